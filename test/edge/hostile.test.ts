import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { eventually } from "../../testkit/eventually.ts";
import {
  bareLine,
  getPlain,
  getSecured,
  Line,
  plainLine,
  securedLine,
  shakeHands,
} from "./clients.ts";
import { startTestEdge, type TestEdge } from "./testEdge.ts";

let edge: TestEdge;
beforeAll(async () => {
  edge = await startTestEdge({ limits: { headMsMax: 1_000, idleMsMax: 1_000 } });
  edge.attach("a.example");
});
afterAll(() => edge.stop());
afterEach(async () => {
  expect((await getSecured(edge, "a.example")).status).toBe(200);
  expect((await getPlain(edge, "a.example")).status).toBe(301);
});

const next = "GET /smuggled HTTP/1.1\r\nHost: a.example\r\n\r\n";
const post = (lines: string, body: string) =>
  `POST / HTTP/1.1\r\nHost: a.example\r\n${lines}\r\n${body}`;

describe("a request within a request", () => {
  for (const [how, text] of [
    [
      "two ways to end a body",
      post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${next}`),
    ],
    [
      "two ways, the other first",
      post("Transfer-Encoding: chunked\r\nContent-Length: 6\r\n", `0\r\n\r\n${next}`),
    ],
    ["two lengths", post("Content-Length: 0\r\nContent-Length: 44\r\n", next)],
    ["a length with a sign", post("Content-Length: +0\r\n", next)],
    ["a list of lengths", post("Content-Length: 0, 44\r\n", next)],
    ["an encoding that nobody knows", post("Transfer-Encoding: xchunked\r\n", `0\r\n\r\n${next}`)],
    ["a space before the colon", post("Transfer-Encoding : chunked\r\n", `0\r\n\r\n${next}`)],
    ["a folded line", post("Transfer-Encoding:\r\n chunked\r\n", `0\r\n\r\n${next}`)],
    ["a line feed alone", `GET / HTTP/1.1\nHost: a.example\n\n${next}`],
    [
      "a line feed alone within the header",
      `GET / HTTP/1.1\r\nHost: a.example\nX: y\r\n\r\n${next}`,
    ],
    ["a carriage return alone", `GET / HTTP/1.1\r\nHost: a.example\rX: y\r\n\r\n${next}`],
    ["a zero byte", `GET / HTTP/1.1\r\nHost: a.example\r\nX: \0\r\n\r\n${next}`],
    ["a chunk of a negative size", post("Transfer-Encoding: chunked\r\n", `-1\r\n\r\n${next}`)],
    [
      "a chunk that a line feed ends",
      post("Transfer-Encoding: chunked\r\n", `1\nx\r\n0\r\n\r\n${next}`),
    ],
    ["the preface of HTTP/2", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${next}`],
    ["another version", `GET / HTTP/3.7\r\nHost: a.example\r\n\r\n${next}`],
  ] as const) {
    test(`by ${how} is not answered, and the connection ends`, async () => {
      for (const line of [await plainLine(edge), await securedLine(edge, "a.example")]) {
        line.send(text);
        await line.closed;
        expect(line.received).not.toContain("smuggled");
        expect(line.received).not.toContain("HTTP/1.1 200");
        const statuses = line.received.match(/^HTTP\/1\.1 \d+/gm) ?? [];
        expect(statuses.every((status) => /(40[05]|505)$/.test(status))).toBe(true);
      }
    });
  }

  test("as the body of another method stays a body", async () => {
    const line = await securedLine(edge, "a.example");
    const seen = await line.ask(post(`Content-Length: ${next.length}\r\n`, next));
    expect(seen.status).toBe(405);
    const after = await line.ask("GET /after HTTP/1.1\r\nHost: a.example\r\n\r\n");
    expect(after.body).toBe("dep_a.example GET /after");
    line.socket.destroy();
  });
});

describe("whoever wants something else", () => {
  test("gets no tunnel", async () => {
    const line = await plainLine(edge);
    line.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
    await line.closed;
    expect(line.received).not.toContain(" 200 ");
  });

  test("gets no other protocol", async () => {
    const line = await plainLine(edge);
    const upgrade = "Connection: upgrade, http2-settings\r\nUpgrade: h2c\r\n";
    const seen = await line.ask(`GET / HTTP/1.1\r\nHost: a.example\r\n${upgrade}\r\n`);
    expect(seen.status).toBe(301);
    line.socket.destroy();
  });

  test("is not encouraged to send a body", async () => {
    const line = await securedLine(edge, "a.example");
    const seen = await line.ask(post("Expect: 100-continue\r\nContent-Length: 5\r\n", ""));
    expect(seen.status).toBe(405);
    await line.closed;
  });
});

describe("on the TLS port", () => {
  for (const [what, bytes] of [
    ["plain HTTP", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"],
    ["noise", "\x00\xff\x13\x37".repeat(5_000)],
    ["a greeting of absurd length", `\x16\x03\x01\xff\xff\x01\xff\xff\xff${"x".repeat(70_000)}`],
    ["a greeting of SSL 2", "\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10"],
    ["an alert", "\x15\x03\x01\x00\x02\x02\x28"],
  ] as const) {
    test(`${what} is let go`, async () => {
      const line = await bareLine(edge);
      line.send(bytes);
      await line.closed;
      expect(line.received).not.toContain("HTTP/1.1 200");
    });
  }

  test("a client that goes away before the handshake, as a health check does, leaves no line in the log", async () => {
    edge.logged.length = 0;
    const line = await bareLine(edge);
    line.socket.destroy();
    // The edge has dealt with it once it refuses the next one.
    await eventually(async () => {
      await shakeHands(edge, "nobody.example").catch(() => {});
      return edge.logged.some(({ event }) => event === "edge.handshake_refused");
    });
    expect(edge.logged).not.toContainEqual(expect.objectContaining({ reason: "ECONNRESET" }));
  });

  test("a client that goes away in the midst of the handshake is let go", async () => {
    for (let times = 0; times < 50; times += 1) {
      const line = await bareLine(edge);
      line.send("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03");
      line.socket.resetAndDestroy();
    }
  });

  test("a thousand refusals leave a few lines in the log, with a count", async () => {
    edge.logged.length = 0;
    for (let times = 0; times < 100; times += 1) {
      await Promise.all(
        Array.from({ length: 10 }, () => shakeHands(edge, "nobody.example").catch(() => {})),
      );
    }
    const refusals = edge.logged.filter(({ event }) => event === "edge.handshake_refused");
    expect(refusals.length).toBeLessThanOrEqual(3);
  });
});

function frame(type: number, flags: number, stream: number, body: Buffer = Buffer.of()): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(body.byteLength, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, body]);
}

const preface = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0)]);
// GET, https and / from the static table, then :authority as it is (RFC 7541, appendix A).
const request = Buffer.concat([Buffer.from([0x82, 0x87, 0x84, 0x41, 9]), Buffer.from("a.example")]);
const repeated = (times: number, make: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: times }, (_, index) => make(index)));

describe("a flood over HTTP/2", () => {
  for (const [of, bytes] of [
    ["pings", () => repeated(50_000, () => frame(6, 0, 0, Buffer.alloc(8)))],
    ["settings", () => repeated(50_000, () => frame(4, 0, 0))],
    [
      "requests that are taken back at once",
      () =>
        repeated(20_000, (index) =>
          Buffer.concat([
            frame(1, 5, 2 * index + 1, request),
            frame(3, 0, 2 * index + 1, Buffer.from([0, 0, 0, 8])),
          ]),
        ),
    ],
    [
      "header continuations",
      () =>
        Buffer.concat([
          frame(1, 1, 1, request),
          repeated(2_000, () => frame(9, 0, 1, Buffer.alloc(8_000, "\x00\x01x\x01y"))),
        ]),
    ],
    [
      "empty header continuations",
      () => Buffer.concat([frame(1, 1, 1, request), repeated(50_000, () => frame(9, 0, 1))]),
    ],
    [
      "empty data",
      () => Buffer.concat([frame(1, 4, 1, request), repeated(50_000, () => frame(0, 0, 1))]),
    ],
    ["priorities", () => repeated(50_000, () => frame(2, 0, 1, Buffer.from([0, 0, 0, 0, 1])))],
    ["frames that nobody knows", () => repeated(50_000, () => frame(77, 0, 0, Buffer.alloc(8)))],
    ["noise", () => Buffer.alloc(100_000, "\x13\x37")],
  ] as const) {
    test(`of ${of} ends the connection`, async () => {
      const line = new Line(await shakeHands(edge, "a.example", { ALPNProtocols: ["h2"] }));
      line.socket.write(preface);
      line.socket.write(bytes());
      await line.closed;
    });
  }
});
