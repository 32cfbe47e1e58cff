/** Receivers that mean harm: whatever they do costs one attempt, and little memory and time. */
import { describe, expect, test } from "bun:test";
import type { TlsOptions } from "node:tls";
import { gzipSync } from "node:zlib";
import { systemClock } from "../../src/core/clock.ts";
import { WebhookSender } from "../../src/outbound/webhookSender.ts";
import { alternativeNames, certify, newKeyPair, spkiOf } from "../../testkit/certificates.ts";
import { eventually } from "../../testkit/eventually.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { type Answer, answering, Receiver, response } from "./receiver.ts";

const message = { headers: { "webhook-id": "evt_1" }, body: "{}" };
const toHere = {
  isAllowed: (address: string) => address === "127.0.0.1",
  resolve: async () => ["127.0.0.1"],
};

/** What one attempt leads to. The connection is closed after it. */
async function attempt(answer: Answer) {
  await using receiver = await new Receiver(answer).listen();
  const sender = new WebhookSender({ clock: systemClock, ...toHere });
  const url = `http://receiver.test:${receiver.port}/`;
  const result = await sender.send({ url, ...message });
  await eventually(() => receiver.open === 0);
  sender.close();
  return { result, requests: receiver.requests };
}

const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n";

describe("what is not HTTP/1.1", () => {
  for (const [what, text] of [
    ["a chunk without a size", `${chunked}\r\nZZZ\r\nabc\r\n0\r\n\r\n`],
    ["a chunk of a size that no number holds", `${chunked}\r\n${"F".repeat(17)}\r\nabc`],
    ["a chunk that is longer than it says", `${chunked}\r\n2\r\nabcdef\r\n0\r\n\r\n`],
    ["chunks and a length", `${chunked}content-length: 5\r\n\r\n0\r\n\r\n`],
    ["a negative length", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
    [
      "a length that no number holds",
      `HTTP/1.1 200 OK\r\ncontent-length: ${"9".repeat(30)}\r\n\r\n`,
    ],
    ["a status of five digits", "HTTP/1.1 20000 OK\r\ncontent-length: 0\r\n\r\n"],
    ["a header with a zero byte", "HTTP/1.1 200 OK\r\na: b\0c\r\ncontent-length: 0\r\n\r\n"],
    ["a header without a name", "HTTP/1.1 200 OK\r\n: b\r\ncontent-length: 0\r\n\r\n"],
    ["HTTP/2", "\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x64\0\x04\0\x01\0\0"],
    ["TLS", "\x15\x03\x01\0\x02\x02\x28"],
  ] as const) {
    test(`${what} is a failure, and ends the connection`, async () => {
      const { result } = await attempt(
        (_, socket) => void socket.write(Buffer.from(text, "latin1")),
      );
      expect(result.error).toBe("The response is not HTTP/1.1.");
      expect(result.status).toBeUndefined();
    });
  }

  test("random bytes never reject, hang or pass for a success", async () => {
    for (let round = 0; round < 40; round++) {
      const bytes = Buffer.from(systemClock.random(200));
      const { result } = await attempt((_, socket) => void socket.end(bytes));
      expect(result.error).toBeString();
    }
  });
});

describe("too much", () => {
  for (const [what, text] of [
    ["one header without an end", `HTTP/1.1 200 OK\r\na: ${"b".repeat(300_000)}`],
    ["a name of a header without an end", `HTTP/1.1 200 OK\r\n${"a".repeat(300_000)}`],
    ["a hundred thousand headers", `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(100_000)}`],
    ["chunks of one byte", `${chunked}\r\n${"1\r\na\r\n".repeat(50_000)}`],
    ["extensions of a chunk", `${chunked}\r\n1;${"a".repeat(300_000)}\r\n`],
    ["interim responses", "HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n".repeat(50_000)],
    ["a trailer without an end", `${chunked}\r\n0\r\n${"a: b\r\n".repeat(100_000)}`],
  ] as const) {
    test(`${what} is given up, and little of it is kept`, async () => {
      const { result } = await attempt(answering(text));
      expect(result.error).toBe("The response is longer than 64 KiB.");
      expect(JSON.stringify([result.headers, result.body]).length).toBeLessThan(32_768);
    });
  }

  test("what is compressed stays so: a gigabyte of zeros is the few bytes that came", async () => {
    const packed = gzipSync(Buffer.alloc(16 * 1024 * 1024));
    const { result, requests } = await attempt((_, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n`);
      socket.write(`content-length: ${packed.byteLength}\r\n\r\n`);
      socket.end(packed);
    });
    expect(result.status).toBe(200);
    expect(result.body).toBe(packed.subarray(0, 4_096).toString("utf8"));
    expect(requests[0]).not.toMatch(/accept-encoding/i);
  });
});

test("a response of 60 KiB is taken whole after interim ones", async () => {
  const early = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(3);
  const all = early + response(200, "a".repeat(60_000), "connection: close\r\n");
  const { result } = await attempt((_, socket) => void socket.end(all));
  expect([result.status, result.error]).toEqual([200, undefined]);
});

describe("too slow", () => {
  /** What comes of an attempt whose receiver does not end it, once 15 seconds are over. */
  async function outlasted(
    scheme: "http" | "https",
    answer: Answer,
    isWaiting: (r: Receiver) => boolean,
  ) {
    const clock = fakeClock(0);
    await using receiver = await new Receiver(answer).listen();
    const sender = new WebhookSender({ clock, ...toHere });
    const url = `${scheme}://receiver.test:${receiver.port}/`;
    const sent = sender.send({ url, ...message });
    await eventually(() => isWaiting(receiver));
    clock.advance(15_000);
    const result = await sent;
    await eventually(() => receiver.open === 0);
    sender.close();
    return result;
  }

  test("a response that comes byte by byte ends after 15 seconds, and its connection with it", async () => {
    let bytes = 0;
    const result = await outlasted(
      "http",
      (_, socket) => {
        const more = () => {
          if (socket.destroyed) return;
          bytes++;
          socket.write(bytes === 1 ? "HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\n" : "a");
          setImmediate(more);
        };
        more();
      },
      () => bytes > 20,
    );
    expect(result.error).toMatch(/within 15 seconds|longer than 64 KiB/);
  });

  test("TLS that never answers ends after 15 seconds", async () => {
    const result = await outlasted(
      "https",
      () => {},
      ({ connections }) => connections === 1,
    );
    expect(result).toMatchObject({ error: "There was no complete response within 15 seconds." });
  });

  test("another protocol after 101 is not waited for any longer", async () => {
    const upgrade = "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n";
    const result = await outlasted(
      "http",
      answering(upgrade),
      ({ requests }) => requests.length === 1,
    );
    expect(result.error).toContain("within 15 seconds");
  });
});

describe("a certificate", () => {
  const dayMs = 86_400_000;

  /** Sends to `host` with a certificate for receiver.test that ends after so many days. */
  async function over(host: string, days: number) {
    const issuer = { name: "receiver.test", ...newKeyPair() };
    const cert = certify(issuer, {
      ...{ subject: issuer.name, spki: spkiOf(issuer.publicKey), serial: Buffer.from([0x10]) },
      ...{ notBeforeMs: Date.now() - 9 * dayMs, notAfterMs: Date.now() + days * dayMs },
      extensions: [alternativeNames([issuer.name])],
    });
    const key = issuer.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const asked: string[] = [];
    const SNICallback: TlsOptions["SNICallback"] = (name, done) => {
      asked.push(name);
      done(null);
    };
    const tls = { cert, key, SNICallback };
    await using receiver = await new Receiver(answering(response(200)), tls).listen();
    const sender = new WebhookSender({ clock: systemClock, ...toHere, trustPem: cert });
    const result = await sender.send({ url: `https://${host}:${receiver.port}/`, ...message });
    sender.close();
    const { status, error } = result;
    return { status, error, requests: receiver.requests.length, asked };
  }

  test("that has expired fails before anything is sent", async () => {
    expect(await over("receiver.test", -1)).toEqual({
      ...{ status: undefined, requests: 0, asked: ["receiver.test"] },
      error: "The connection failed (CERT_HAS_EXPIRED).",
    });
  });

  test("of a name is that of the same name with a dot at its end", async () => {
    expect(await over("receiver.test.", 1)).toMatchObject({
      ...{ status: 200, requests: 1, asked: ["receiver.test"] },
    });
  });
});
