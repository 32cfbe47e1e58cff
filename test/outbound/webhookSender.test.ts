import { describe, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { certificateSeal } from "../../src/hosting/domains/domains.ts";
import { type SenderOptions, WebhookSender } from "../../src/outbound/webhookSender.ts";
import { eventually } from "../../testkit/eventually.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { createAuthority } from "../edge/certificates.ts";
import { type Answer, answering, Receiver, response } from "./receiver.ts";

const headers = { "webhook-id": "evt_1" };
const body = '{"name":"Zoë"}';
const loopback = (address: string): boolean => address === "127.0.0.1" || address === "::1";

/** A sender that may dial loopback, where every name leads. */
function sending(options: Partial<SenderOptions> = {}) {
  const sender = new WebhookSender({
    clock: systemClock,
    isAllowed: loopback,
    resolve: async () => ["127.0.0.1"],
    ...options,
  });
  return Object.assign(sender, { [Symbol.dispose]: () => sender.close() });
}

async function attempt(answer: Answer, options: Partial<SenderOptions> = {}) {
  await using receiver = await new Receiver(answer).listen();
  using sender = sending(options);
  const url = `http://receiver.test:${receiver.port}/hooks?tenant=1`;
  const { atMs: _, durationMs: __, ...result } = await sender.send({ url, headers, body });
  return { result, requests: receiver.requests };
}

describe("an attempt", () => {
  test("is a POST of the body with the given headers", async () => {
    const { result, requests } = await attempt(answering(response(200, "Thanks")));
    expect(result).toEqual({
      ...{ status: 200, body: "Thanks", retryAfter: undefined },
      headers: [["content-length", "6"]],
      request: {
        url: expect.stringMatching(/^http:\/\/receiver\.test:\d+\/hooks\?tenant=1$/),
        headers: expect.anything(),
      },
    });
    const [head = "", sent = ""] = (requests[0] ?? "").split("\r\n\r\n");
    expect(Buffer.from(sent, "latin1").toString()).toBe(body);
    const [line, ...fields] = head.split("\r\n");
    expect(result.request?.headers.map((header) => header.join(": "))).toEqual(fields);
    expect(line).toBe("POST /hooks?tenant=1 HTTP/1.1");
    expect(fields).toEqual([
      expect.stringMatching(/^host: receiver\.test:\d+$/),
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
      "user-agent: petstore",
      "webhook-id: evt_1",
    ]);
  });

  for (const [what, text, expected] of [
    [
      "in chunks",
      "HTTP/1.1 202 A\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
      { status: 202, body: "abcde" },
    ],
    ["without a body", "HTTP/1.1 204 No Content\r\n\r\n", { status: 204, body: "" }],
    [
      "after an interim one",
      `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${response(200, "x")}`,
      { status: 200, body: "x", headers: [["content-length", "1"]] },
    ],
    [
      "with Retry-After",
      response(503, "", "X-Empty:\r\nRetry-After: 120 \r\n"),
      {
        ...{ status: 503, retryAfter: "120" },
        headers: [
          ["content-length", "0"],
          ["x-empty", ""],
          ["retry-after", "120"],
        ],
      },
    ],
    [
      "with a trailer, which is no header",
      "HTTP/1.1 503 A\r\ntransfer-encoding: chunked\r\n\r\n0\r\nRetry-After: 9\r\nX-Last: 1\r\n\r\n",
      { status: 503, retryAfter: undefined, headers: [["transfer-encoding", "chunked"]] },
    ],
    [
      "with Retry-After in an interim one, which is of that one",
      `HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n${response(500)}`,
      { status: 500, retryAfter: undefined },
    ],
    [
      "with more headers than are kept",
      response(200, "", `a: b\r\nlong: ${"c".repeat(4_096)}\r\nd: e\r\n`),
      {
        status: 200,
        headers: [
          ["content-length", "0"],
          ["a", "b"],
        ],
      },
    ],
    [
      "of the start of 5,000 characters",
      response(500, "a".repeat(5_000)),
      { status: 500, body: "a".repeat(4_096) },
    ],
    [
      "of a redirect, which is not followed",
      response(307, "", "location: http://127.0.0.1:1/\r\n"),
      { status: 307, error: "Redirects are not followed." },
    ],
    ["that is no HTTP", "SSH-2.0-OpenSSH_9.6\r\n", { error: "The response is not HTTP/1.1." }],
  ] as const) {
    test(`takes a response ${what}`, async () => {
      const { result, requests } = await attempt(answering(text));
      expect(result).toMatchObject(expected);
      expect(requests).toHaveLength(1);
    });
  }

  test("takes a response that ends with the connection, byte by byte", async () => {
    const { result } = await attempt((_request, socket) => {
      for (const byte of Buffer.from("HTTP/1.0 200 OK\r\n\r\nfine"))
        socket.write(Buffer.from([byte]));
      socket.end();
    });
    expect(result).toMatchObject({ status: 200, body: "fine" });
  });

  test("gives up a response of a gigabyte early", async () => {
    let sent = 0;
    const { result } = await attempt((_request, socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n");
      const more = () => {
        if (socket.destroyed || sent >= 2 ** 30) return;
        sent += 65_536;
        socket.write(Buffer.alloc(65_536, "a"), more);
      };
      more();
    });
    expect(result).toMatchObject({ status: 200, error: "The response is longer than 64 KiB." });
    expect(result.body).toBe("a".repeat(4_096));
    expect(sent).toBeLessThan(2 ** 28);
  });

  for (const [what, text] of [
    ["headers that never end", `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(20_000)}`],
    ["interim responses without an end", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(5_000)],
  ] as const) {
    test(`gives up ${what}`, async () => {
      const { result } = await attempt(answering(text));
      expect(result.error ?? `${result.status}`).toMatch(/longer than 64 KiB|^103$/);
    });
  }

  for (const [when, answer] of [
    ["at once", (() => {}) as Answer],
    ["in the middle", answering("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab")],
  ] as const) {
    test(`ends in time with a receiver that hangs ${when}`, async () => {
      const clock = fakeClock(0);
      await using receiver = await new Receiver(answer).listen();
      using sender = sending({ clock });
      const url = `http://receiver.test:${receiver.port}/`;
      const sent = sender.send({ url, headers, body });
      await eventually(() => receiver.requests.length === 1);
      clock.advance(15_000);
      expect(await sent).toEqual({
        ...{ atMs: 0, durationMs: 15_000, request: expect.anything() },
        error: "There was no complete response within 15 seconds.",
      });
    });
  }

  test("ends in time with a name server that hangs", async () => {
    const clock = fakeClock(0);
    using sender = sending({ clock, resolve: () => new Promise(() => {}) });
    const sent = sender.send({ url: "https://receiver.test/", headers, body });
    clock.advance(15_000);
    expect((await sent).error).toContain("within 15 seconds");
  });

  test("fails with a connection that is closed early, or that nobody takes", async () => {
    const { result } = await attempt((_request, socket) => void socket.destroy());
    expect(result.status).toBeUndefined();
    expect(result.error).toBeString();
    const receiver = await new Receiver(() => {}).listen();
    const { port } = receiver;
    await receiver[Symbol.asyncDispose]();
    using sender = sending();
    const { error } = await sender.send({ url: `http://receiver.test:${port}/`, headers, body });
    expect(error).toBe("The connection failed (ECONNREFUSED).");
  });
});

describe("connections", () => {
  test("carry no trailer of one response over to the next", async () => {
    const trailed =
      "HTTP/1.1 200 A\r\ntransfer-encoding: chunked\r\n\r\n0\r\nRetry-After: 9\r\n\r\n";
    await using receiver = await new Receiver((_, socket, number) => {
      socket.write(number === 1 ? trailed : response(503));
    }).listen();
    using sender = sending();
    const url = `http://receiver.test:${receiver.port}/`;
    await sender.send({ url, headers, body });
    const next = await sender.send({ url, headers, body });
    expect(receiver.connections).toBe(1);
    expect(next).toMatchObject({
      ...{ status: 503, retryAfter: undefined, headers: [["content-length", "0"]] },
    });
  });

  test("are used again, and replaced when the receiver has closed them meanwhile", async () => {
    await using receiver = await new Receiver(answering(response(200))).listen();
    using sender = sending();
    const url = `http://receiver.test:${receiver.port}/`;
    const send = async () => (await sender.send({ url, headers, body })).status;
    expect([await send(), await send(), await send()]).toEqual([200, 200, 200]);
    expect(receiver.connections).toBe(1);
    receiver.hangUp();
    expect(await send()).toBe(200);
    expect(receiver.connections).toBe(2);
  });

  test("are closed when something comes that nobody asked for", async () => {
    let write = (_text: string) => {};
    await using receiver = await new Receiver((_request, socket) => {
      write = (text) => void socket.write(text);
      write(response(200));
    }).listen();
    using sender = sending();
    const url = `http://receiver.test:${receiver.port}/`;
    await sender.send({ url, headers, body });
    expect(receiver.open).toBe(1);
    write(response(200, "smuggled"));
    await eventually(() => receiver.open === 0);
    expect((await sender.send({ url, headers, body })).body).toBe("");
  });

  test("are not used again after what nobody asked for", async () => {
    await using receiver = await new Receiver((_request, socket, number) => {
      socket.write(response(200));
      // The answer to a request that was not made: it must not count for the next one.
      if (number === 1) socket.write(response(200, "smuggled"));
    }).listen();
    using sender = sending();
    const url = `http://receiver.test:${receiver.port}/`;
    expect((await sender.send({ url, headers, body })).body).toBe("");
    expect((await sender.send({ url, headers, body })).body).toBe("");
    expect(receiver.requests.length).toBeGreaterThanOrEqual(2);
  });
});

describe("addresses", () => {
  /** Which names were looked up, and what was dialled of them. */
  async function dialling(
    found: readonly string[],
    protocol: "http" | "https",
    isAllowed = loopback,
  ) {
    await using receiver = await new Receiver(answering(response(200))).listen();
    let lookUps = 0;
    const resolve = async () => {
      lookUps++;
      return found;
    };
    using sender = sending({ resolve, isAllowed });
    const url = `${protocol}://receiver.test:${receiver.port}/`;
    const { status, error } = await sender.send({ url, headers, body });
    return { status, error, lookUps, connections: receiver.connections };
  }

  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254"]) {
    for (const protocol of ["http", "https"] as const) {
      test(`a name that leads to ${address} is not dialled with ${protocol}`, async () => {
        const { error, connections } = await dialling([address], protocol, () => false);
        expect(error).toContain("PETSTORE_WEBHOOK_NETWORKS");
        expect(connections).toBe(0);
      });
    }
  }

  test("only what was checked is dialled, and the name is looked up once for that", async () => {
    const outcome = await dialling(["10.0.0.1", "127.0.0.1"], "http");
    expect(outcome).toEqual({ status: 200, error: undefined, lookUps: 1, connections: 1 });
  });

  test("a name is checked again for the next connection, wherever it led before", async () => {
    await using receiver = await new Receiver(
      answering(response(200, "", "connection: close\r\n")),
    ).listen();
    const found = [["127.0.0.1"], ["10.0.0.1"]];
    using sender = sending({ resolve: async () => found.shift() ?? [] });
    const url = `http://receiver.test:${receiver.port}/`;
    expect((await sender.send({ url, headers, body })).status).toBe(200);
    expect((await sender.send({ url, headers, body })).error).toContain("10.0.0.1 is not in");
    expect(receiver.connections).toBe(1);
  });

  test("a name without an address fails", async () => {
    expect((await dialling([], "https")).error).toBe("receiver.test has no address.");
  });
});

describe("certificates", () => {
  const authority = createAuthority();
  const vault = new Vault("the secret of this service", systemClock);
  async function over(host: string, trustPem: string | undefined, named = host) {
    const { id, chainPem, sealedKey } = authority.issue(named, "crt_1", vault);
    const keyPem = vault.open(sealedKey, certificateSeal(named, id));
    await using receiver = await new Receiver(answering(response(200)), {
      cert: chainPem,
      key: keyPem,
    }).listen();
    using sender = sending({ trustPem });
    const url = `https://${host}:${receiver.port}/`;
    const first = await sender.send({ url, headers, body });
    return { ...first, requests: receiver.requests.length };
  }

  test("of the host are accepted", async () => {
    expect(await over("receiver.test", authority.certificatePem)).toMatchObject({
      status: 200,
      requests: 1,
    });
  });

  test("of another host, or of an unknown authority, fail before anything is sent", async () => {
    const other = await over("receiver.test", authority.certificatePem, "other.test");
    expect(other).toMatchObject({ requests: 0, error: expect.stringMatching(/certificate|CERT/i) });
    expect(other.status).toBeUndefined();
    const unknown = await over("receiver.test", undefined);
    expect(unknown).toMatchObject({ requests: 0, error: expect.stringContaining("failed (") });
    expect(unknown.status).toBeUndefined();
  });
});
