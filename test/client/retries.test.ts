/** When a call is tried again, exactly, and when it is not. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  isPetStoreError,
  type PetStoreError,
  PetStoreUnreachable,
} from "../../src/client/client.ts";
import { webPlatform } from "../../src/client/platform.ts";
import { readRetryAfter } from "../../src/client/response.ts";
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
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.stop());

const pet = { id: 1, name: "Bella", categoryId: 3, status: "available" };
const page: Act = { status: 200, body: [pet] };
const created: Act = { status: 201, body: pet };
const busy = refusal(503, "store_unavailable");
const newPet = { name: "Bella", categoryId: 3 };

describe("a failure that passes", () => {
  const passing: [what: string, act: Act][] = [
    ["429", refusal(429, "rate_limited")],
    ["502 with a proxy's page", { status: 502, body: "<html>Bad Gateway</html>" }],
    ["503", busy],
    ["504", { status: 504 }],
    ["409 idempotency_in_flight", refusal(409, "idempotency_in_flight")],
    ["a connection that closes before the answer", "hang up"],
    ["a connection that breaks in the middle of the answer", "break off"],
  ];
  for (const [what, act] of passing) {
    test(`${what}: a reading call is tried again`, async () => {
      server.play(act, act, page);
      const { client, fake } = clientOf(server);
      expect((await client.listPets()).items).toHaveLength(1);
      expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(
        Array(3).fill("GET /v1/pets"),
      );
      expect(fake.pauses).toEqual([125, 250]);
    });

    test(`${what}: a creation is tried again with the same Idempotency-Key and body`, async () => {
      server.play(act, act, created, created);
      const { client } = clientOf(server);
      await client.createPet(newPet);
      await client.createPet(newPet);
      expect(server.requests.map(({ headers }) => headers["idempotency-key"])).toEqual([
        "unique-1",
        "unique-1",
        "unique-1",
        "unique-2",
      ]);
      expect(new Set(server.requests.map(({ body }) => body))).toEqual(
        new Set(['{"name":"Bella","categoryId":3}']),
      );
    });
  }

  test("an Idempotency-Key of the caller's own is sent as it is", async () => {
    server.play(busy, created);
    await clientOf(server).client.createPet(newPet, { idempotencyKey: "order-66" });
    expect(server.requests.map(({ headers }) => headers["idempotency-key"])).toEqual([
      "order-66",
      "order-66",
    ]);
  });

  test("reading sends no Idempotency-Key", async () => {
    server.play(page);
    await clientOf(server).client.listPets();
    expect(server.requests[0]?.headers).not.toHaveProperty("idempotency-key");
  });
});

describe("a failure that stays", () => {
  for (const [status, code] of [
    [400, "parameter_invalid"],
    [401, "key_invalid"],
    [403, "insufficient_scope"],
    [404, "pet_not_found"],
    [409, "pet_not_available"],
    [410, "operation_removed"],
    [422, "idempotency_mismatch"],
    [500, "internal"],
  ] as const) {
    test(`${status} ${code} is told at once`, async () => {
      server.play(refusal(status, code), page);
      const { client, fake } = clientOf(server);
      const error = (await rejection(client.createPet(newPet))) as PetStoreError;
      expect([error.code as string, error.status, error.attempts]).toEqual([code, status, 1]);
      expect([server.requests.length, fake.pauses]).toEqual([1, []]);
    });
  }
});

describe("the pauses", () => {
  test("double up to a limit, and a random part of each is taken", async () => {
    for (const [random, expected] of [
      [0.999_999, [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]],
      [0.5, [125, 250, 500, 1_000, 2_000, 4_000, 4_000]],
      [0, [0, 0, 0, 0, 0, 0, 0]],
    ] as const) {
      server.play(...Array<Act>(7).fill(busy), page);
      const { client, fake } = clientOf(server, { retries: 7, fake: fakePlatform({ random }) });
      await client.listPets();
      expect(fake.pauses).toEqual([...expected]);
    }
  });

  test("are at least what Retry-After asks for, in seconds or as a date", async () => {
    const startMs = Date.UTC(2026, 10, 15, 12, 0, 0);
    server.play(
      refusal(429, "rate_limited", { "retry-after": "3" }),
      refusal(503, "store_unavailable", { "retry-after": "Sun, 15 Nov 2026 12:00:10 GMT" }),
      refusal(503, "store_unavailable", { "retry-after": "0" }),
      page,
    );
    const { client, fake } = clientOf(server, { fake: fakePlatform({ startMs }) });
    await client.listPets();
    expect(fake.pauses).toEqual([3_000, 7_000, 500]);
  });

  test("a Retry-After that makes no sense is no Retry-After", () => {
    for (const value of [
      "",
      "-1",
      "1.5",
      "soon",
      "1e3",
      "99999999999",
      "Sun, 99 Nov GMT",
      "Sun, 99 Nov 2026 00:00:00 GMT",
    ]) {
      expect([value, readRetryAfter(value, 0)]).toEqual([value, undefined]);
    }
    expect(readRetryAfter("Thu, 01 Jan 1970 00:00:00 GMT", 5_000)).toBe(0);
  });
});

describe("the attempts", () => {
  test("end after the first and three more; the last answer is the error", async () => {
    server.play(busy, busy, busy, refusal(503, "store_unavailable", { "x-request-id": "r-4" }));
    const error = await rejection(clientOf(server).client.createPet(newPet));
    expect({ ...(error as PetStoreError) }).toMatchObject({
      code: "store_unavailable",
      status: 503,
      requestId: "r-4",
      retryAfterMs: undefined,
      operation: "createPet",
      attempts: 4,
      idempotencyKey: "unique-1",
    });
    expect((error as Error).message).toBe("It is store_unavailable.");
    expect(server.requests).toHaveLength(4);
  });

  test("are as many as the caller wants", async () => {
    server.play(busy, page);
    expect(
      isPetStoreError(await rejection(clientOf(server, { retries: 0 }).client.listPets())),
    ).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  test("end when the time for all of them would not last for the pause; the caller learns how long it is", async () => {
    server.play(refusal(429, "rate_limited", { "retry-after": "60" }), page);
    const { client, fake } = clientOf(server);
    const error = (await rejection(client.listPets())) as PetStoreError;
    expect([error.status, error.retryAfterMs, error.attempts]).toEqual([429, 60_000, 1]);
    expect(fake.pauses).toEqual([]);
  });

  test("have a time limit each, cut to what is left of the whole", async () => {
    server.play(
      refusal(503, "store_unavailable", { "retry-after": "25" }),
      refusal(503, "store_unavailable", { "retry-after": "27" }),
      page,
    );
    const { client, fake } = clientOf(server);
    await client.listPets();
    expect(fake.limits).toEqual([10_000, 10_000, 8_000]);
  });

  test("that get no answer in time are tried again, and in the end told as unreachable", async () => {
    server.play("say nothing", "say nothing");
    const { client, fake } = clientOf(server, { retries: 1, timeoutMs: 1_234 });
    const failing = rejection(client.createPet(newPet));
    await server.received(1);
    fake.expire();
    await server.received(2);
    fake.expire();
    const error = (await failing) as PetStoreUnreachable;
    expect(error).toBeInstanceOf(PetStoreUnreachable);
    expect(error.message).toBe(
      `createPet: ${server.origin} could not be reached, tried 2 times: no answer within 1234 ms.`,
    );
    expect([error.attempts, error.operation, error.idempotencyKey]).toEqual([
      2,
      "createPet",
      "unique-1",
    ]);
  });

  test("leave no timer behind", async () => {
    let open = 0;
    server.play(busy, "hang up", page);
    const fake = fakePlatform();
    const { client } = clientOf(server, {
      platform: {
        ...fake,
        after(delayMs, action) {
          open++;
          const cancel = fake.after(delayMs, action);
          return () => {
            open--;
            cancel();
          };
        },
      },
    });
    await client.listPets();
    expect(open).toBe(0);
  });
});

describe("an abort", () => {
  const reason = new Error("the user left");

  test("before the call sends nothing", async () => {
    server.play(page);
    const signal = AbortSignal.abort(reason);
    const { client } = clientOf(server);
    expect(await rejection(client.listPets({}, { signal }))).toBe(reason);
    expect(await rejection(client.createPet(newPet, { signal }))).toBe(reason);
    expect(await rejection(client.getPet(1, { signal }))).toBe(reason);
    expect(await rejection(client.pets({}, { signal }).next())).toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  test("during an attempt ends it, and no other follows", async () => {
    for (const retries of [0, 3]) {
      server.play("say nothing", page);
      const stop = new AbortController();
      const { client, fake } = clientOf(server, { retries });
      const failing = rejection(client.listPets({}, { signal: stop.signal }));
      await server.received(1);
      stop.abort(reason);
      expect(await failing).toBe(reason);
      expect([server.requests.length, fake.pauses]).toEqual([1, []]);
    }
  });

  test("during a pause ends the pause", async () => {
    server.play(refusal(503, "store_unavailable", { "retry-after": "30" }), page);
    const stop = new AbortController();
    const { client } = clientOf(server, {
      platform: {
        ...fakePlatform(),
        sleep(delayMs, signal) {
          queueMicrotask(() => stop.abort(reason));
          return webPlatform.sleep(delayMs, signal);
        },
      },
    });
    expect(await rejection(client.listPets({}, { signal: stop.signal }))).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  test("between pages ends the walk", async () => {
    server.play(
      { ...(page as object), status: 200, headers: { link: "<?cursor=b>; rel=next" } },
      page,
    );
    const stop = new AbortController();
    const walk = clientOf(server).client.pets({}, { signal: stop.signal });
    expect((await walk.next()).value).toMatchObject({ id: 1n });
    stop.abort(reason);
    expect(await rejection(walk.next())).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });
});

describe("the platform of the web", () => {
  test("sleeps, and gives up its sleep at once when told", async () => {
    await webPlatform.sleep(0, undefined);
    await webPlatform.sleep(0, new AbortController().signal);
    expect(await rejection(webPlatform.sleep(1e9, AbortSignal.abort("now")))).toBe("now");
  });

  test("makes Idempotency-Keys that differ, and that a header can carry", () => {
    const made = Array.from({ length: 1_000 }, () => webPlatform.unique());
    expect(new Set(made).size).toBe(1_000);
    for (const one of made) expect(one).toMatch(/^[0-9a-f]{32}$/);
  });

  test("ends an attempt on a real timer, and carries the key and no cookie", async () => {
    server.play("say nothing");
    const { client } = clientOf(server, { platform: {}, timeoutMs: 1, retries: 0 });
    expect(await rejection(client.listPets())).toBeInstanceOf(PetStoreUnreachable);
    server.play(page);
    await clientOf(server, { platform: {} }).client.listPets();
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      accept: "application/json",
    });
    expect(server.requests[0]?.headers).not.toHaveProperty("cookie");
  });
});
