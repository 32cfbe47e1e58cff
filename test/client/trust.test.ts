/** Where the key goes, where it never goes, and what the client makes of answers that are none. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import {
  isPetStoreError,
  PetStoreClient,
  type PetStoreError,
  PetStoreUnreachable,
} from "../../src/client/client.ts";
import { fakePlatform } from "./platform.ts";
import {
  type Act,
  clientOf,
  key,
  refusal,
  rejection,
  type ScriptedServer,
  startScriptedServer,
} from "./scriptedServer.ts";

let server: ScriptedServer;
let stranger: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
  stranger = await startScriptedServer();
});
beforeEach(() => stranger.play());
afterAll(() => {
  server.stop();
  stranger.stop();
});

const pet = { id: 1, name: "Bella", categoryId: 3, status: "available" };
const pageWith = (link: string): Act => ({ status: 200, headers: { link }, body: [pet] });
const lastPage: Act = { status: 200, body: [{ ...pet, id: 2 }] };

/** Everything of an error that a log could show. */
const everything = (error: unknown) =>
  `${inspect(error, { depth: 20, showHidden: true })} ${JSON.stringify(error)} ${String(error)}`;

async function unexpected(work: Promise<unknown>): Promise<PetStoreError> {
  const error = await rejection(work);
  if (!isPetStoreError(error, "unexpected_response")) throw error;
  expect(everything(error)).not.toContain(key);
  return error;
}

describe("a next page", () => {
  for (const [what, link] of [
    ["relative", "</v1/pets?cursor=b>; rel=next"],
    ["of the query alone", '<?cursor=b>; rel="next"'],
  ] as const) {
    test(`whose address is ${what} is followed, with the key`, async () => {
      server.play(pageWith(link), lastPage);
      const ids: bigint[] = [];
      for await (const { id } of clientOf(server).client.pets({ limit: 1 })) ids.push(id);
      expect(ids).toEqual([1n, 2n]);
      expect(server.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
        ["/v1/pets?limit=1", `Bearer ${key}`],
        ["/v1/pets?cursor=b", `Bearer ${key}`],
      ]);
    });
  }

  test("on another origin is refused, and nothing is sent there", async () => {
    for (const address of [
      `${stranger.origin}/v1/pets?cursor=b`,
      `//127.0.0.1:${new URL(stranger.origin).port}/v1/pets`,
      server.base.replace("http:", "https:"),
      server.base.replace("127.0.0.1", "localhost"),
      `http://127.0.0.1:${new URL(server.origin).port}@evil.example/`,
      "data:application/json,[]",
    ]) {
      server.play(pageWith(`<${address}>; rel="next"`));
      const page = await clientOf(server).client.listPets();
      expect(page.items).toHaveLength(1);
      const error = await unexpected(page.next());
      expect(error.message).toContain("another origin");
      expect([server.requests.length, stranger.requests.length]).toEqual([1, 0]);
    }
  });

  test("that is the page itself is refused, or a walk would never end", async () => {
    server.play(pageWith("<>; rel=next"), lastPage);
    const walk = clientOf(server).client.pets();
    await walk.next();
    expect((await unexpected(walk.next())).message).toContain("the same page again");
  });

  test("that leads in a circle is refused where the circle closes", async () => {
    const to = (cursor: string) => pageWith(`<${server.base}/pets?cursor=${cursor}>; rel="next"`);
    server.play(to("a"), to("b"), to("a"), lastPage);
    const walk = clientOf(server).client.pets();
    for (let n = 0; n < 3; n++) expect((await walk.next()).done).toBe(false);
    expect((await unexpected(walk.next())).message).toContain("the same page again");
  });

  test("an answer of another shape than the contract's is no result", async () => {
    for (const body of ["null", "[]", "12", '"text"', "true"]) {
      server.play({ status: 201, body });
      const error = await unexpected(
        clientOf(server).client.createPet({ name: "A", categoryId: 1 }),
      );
      expect(error.message).toContain("something else than an object");
    }
  });
});

describe("a redirect", () => {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`${status} is not followed, not even on the same origin`, async () => {
      for (const location of [`${stranger.origin}/v1/pets`, `${server.base}/pets`]) {
        server.play({ status, headers: { location } }, lastPage);
        const error = await unexpected(clientOf(server).client.listPets());
        expect(error.message).toContain(`a redirect to ${location}, which is not followed`);
        expect(error.message).toContain("Is baseUrl the address of the service");
        expect([server.requests.length, stranger.requests.length]).toEqual([1, 0]);
      }
    });
  }
});

describe("an answer that is none of the service's", () => {
  const answers: [what: string, act: Act, said: string][] = [
    [
      "a proxy's page with an error",
      { status: 403, headers: { "content-type": "text/html" }, body: "<html>\n <h1>Forbidden" },
      '403 (text/html) with what is no answer of the service: "<html> <h1>Forbidden".',
    ],
    ["a proxy's page with 200", { status: 200, body: "<html>Log in" }, "<html>Log in"],
    ["an empty body with 200", { status: 200 }, '""'],
    ["JSON that stops", { status: 200, body: '[{"id":1' }, "200 (application/json)"],
    ["an error without a code", { status: 400, body: { message: "no" } }, "400"],
    ["an error that is null", { status: 400, body: "null" }, "400"],
    ["an error that is a list", { status: 400, body: "[]" }, "400"],
    ["an object in place of a list", { status: 200, body: pet }, "something else than a list"],
    ["an id that is no int64", { status: 200, body: [{ ...pet, id: "1" }] }, "200"],
    ["an id that was rounded", { status: 200, body: '[{"id":1e300}]' }, "200"],
    ["an Error body with 200", { status: 200, body: { code: "a", message: "b" } }, "list"],
  ];
  for (const [what, act, said] of answers) {
    test(`${what} is unexpected_response, and says what came`, async () => {
      server.play(act, lastPage);
      const error = await unexpected(clientOf(server).client.listPets());
      expect(error.message).toStartWith(`listPets: GET ${server.base}/pets answered `);
      expect(error.message).toContain(said);
      expect(error.message.length).toBeLessThan(400);
      expect(error.operation).toBe("listPets");
    });
  }

  test("a passing failure of a proxy is unexpected_response once the attempts are used up", async () => {
    server.play(...Array<Act>(4).fill({ status: 502, body: "<html>" }));
    const error = await unexpected(clientOf(server).client.listPets());
    expect([error.status, error.attempts]).toEqual([502, 4]);
  });

  test("a code from a newer service is passed on", async () => {
    server.play(refusal(418, "teapot", { "x-request-id": "r-1", "retry-after": "7" }));
    const error = (await rejection(clientOf(server).client.listPets())) as PetStoreError;
    expect([error.code as string, error.status, error.requestId, error.retryAfterMs]).toEqual([
      "teapot",
      418,
      "r-1",
      7_000,
    ]);
  });
});

describe("the key", () => {
  test("is in no error, even where a proxy or the service echoes it", async () => {
    const echo = `You sent ${key}`;
    const acts: Act[] = [
      { status: 200, body: `${"x".repeat(100)}${key}` },
      { status: 403, headers: { "content-type": key, "x-request-id": key }, body: echo },
      { status: 302, headers: { location: `${stranger.origin}/?k=${key}` } },
      { status: 401, body: { code: "key_invalid", message: echo, status: 401 } },
      pageWith(`<https://evil.example/${key}>; rel=next`),
    ];
    for (const act of acts) {
      server.play(act);
      const { client } = clientOf(server, { retries: 0 });
      const error = await rejection(client.listPets().then((page) => page.next()));
      expect(isPetStoreError(error)).toBe(true);
      expect(everything(error)).not.toContain(key);
      expect(everything(error)).not.toContain(key.slice(0, 20));
    }
  });

  test("is in no cause, even where the runtime's error holds the whole request", async () => {
    const { client } = clientOf(server, {
      async fetch(_address, init) {
        const inner = Object.assign(new Error(`bad header ${key}`), { code: "ECONNRESET", init });
        throw Object.assign(new TypeError("fetch failed", { cause: inner }), { init });
      },
    });
    const error = (await rejection(client.listPets())) as PetStoreUnreachable;
    expect(error).toBeInstanceOf(PetStoreUnreachable);
    expect(everything(error)).not.toContain(key);
    expect(error.cause).toMatchObject({
      name: "TypeError",
      message: "fetch failed",
      cause: { message: "bad header <API_KEY>", code: "ECONNRESET" },
    });
  });

  test("is not shown when a client is logged", () => {
    const { client } = clientOf(server);
    expect(everything(client)).not.toContain(key);
    expect(everything(client)).toContain(server.base);
  });

  test("that no header can carry is refused without being repeated", () => {
    for (const apiKey of [
      "",
      `${key}\n`,
      `${key} x`,
      "schlüssel",
      undefined as unknown as string,
    ]) {
      let error: unknown;
      try {
        new PetStoreClient({ baseUrl: server.base, apiKey });
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toEqual(new TypeError("apiKey must be 1 to 255 visible ASCII characters."));
    }
  });
});

describe("nobody at the address", () => {
  test("is PetStoreUnreachable, with what the runtime said as its cause", async () => {
    const gone = await startScriptedServer();
    gone.stop();
    const { client, fake } = clientOf(gone);
    const error = (await rejection(client.listPets())) as PetStoreUnreachable;
    expect(error).toBeInstanceOf(PetStoreUnreachable);
    expect(isPetStoreError(error)).toBe(false);
    expect(error.message).toStartWith(
      `listPets: ${gone.origin} could not be reached, tried 4 times: `,
    );
    expect(error.cause).toBeInstanceOf(Error);
    expect([error.operation, error.attempts, fake.pauses.length]).toEqual(["listPets", 4, 3]);
  });
});

describe("the options", () => {
  test("a base address may end in a slash, and may lie below a path", async () => {
    server.play(lastPage, lastPage);
    await clientOf({ base: `${server.base}//` }).client.listPets();
    await clientOf({ base: `${server.origin}/shop/v1/` }).client.listPets({ id: [1, 2n] });
    expect(server.requests.map(({ url }) => url)).toEqual(["/v1/pets", "/shop/v1/pets?id=1&id=2"]);
  });

  for (const baseUrl of [
    "",
    "/v1",
    "api.example",
    "ftp://api.example/v1",
    "https://user:secret@api.example/v1",
    "https://api.example/v1?a=1",
    "https://api.example/v1#a",
    undefined as unknown as string,
  ]) {
    test(`a base address of ${JSON.stringify(baseUrl)} is refused`, () => {
      expect(() => new PetStoreClient({ baseUrl, apiKey: key })).toThrow("baseUrl must be");
    });
  }

  for (const options of [
    { retries: -1 },
    { retries: 1.5 },
    { timeoutMs: Number.NaN },
    { totalMs: 2 ** 31 },
  ]) {
    test(`${inspect(options)} is refused`, () => {
      expect(() => clientOf(server, options)).toThrow(`${Object.keys(options)[0]} must be a whole`);
    });
  }

  test("an Idempotency-Key that no header can carry is refused before anything is sent", async () => {
    server.play(lastPage);
    for (const idempotencyKey of ["", "a b", "é", "a".repeat(256)]) {
      const { client } = clientOf(server);
      const error = await rejection(
        client.createPet({ name: "A", categoryId: 1 }, { idempotencyKey }),
      );
      expect(error).toBeInstanceOf(TypeError);
    }
    expect(server.requests).toHaveLength(0);
  });

  test("a missing identifier is refused, rather than sent as the word undefined", async () => {
    const { client } = clientOf(server, { fake: fakePlatform() });
    const error = await rejection(client.getOrder(undefined as unknown as bigint));
    expect(error).toEqual(new TypeError("orderId is missing."));
  });

  test("an argument that has no text of its own is refused, rather than sent as [object Object]", async () => {
    server.play(lastPage);
    const { client } = clientOf(server);
    const wrong = (value: unknown) => value as never;
    for (const [call, message] of [
      [
        () => client.getPet(wrong({ petId: 1n })),
        "petId must be a number, a bigint or a string, and is of type object.",
      ],
      [
        () => client.getOrder(wrong([1n])),
        "orderId must be a number, a bigint or a string, and is a list.",
      ],
      [
        () => client.listPets({ status: wrong(true) }),
        "status must be a number, a bigint or a string, and is of type boolean.",
      ],
      [
        () => client.listPets({ id: wrong([{}]) }),
        "id must be a number, a bigint or a string, and is of type object.",
      ],
    ] as const) {
      expect(await rejection(call())).toEqual(new TypeError(message));
    }
    expect(server.requests).toHaveLength(0);
  });
});
