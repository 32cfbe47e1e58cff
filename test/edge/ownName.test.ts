import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { BodyError, type HttpHandler, type HttpResponse } from "../../src/wire/message.ts";
import { eventually } from "../../testkit/eventually.ts";
import {
  getPlain,
  getSecured,
  openHttp2,
  requestHttp2,
  securedLine,
  shakeHands,
} from "./clients.ts";
import { startTestEdge, type TestEdge } from "./testEdge.ts";

const host = "api.example.com";
const bytesMax = 1_000_000;
let edge: TestEdge;
/** How the bodies ended that nobody waits for any more. */
let endings: string[];
let bodiesAwaited: number;
let slowRequests: number;
let released: PromiseWithResolvers<void>;

const text = (status: number, body: string): HttpResponse => ({
  status,
  headers: { "content-type": "text/plain" },
  body,
});

/** Says what it was asked; some paths behave as parts of the service do. */
const handler: HttpHandler = {
  async handle(request) {
    const { method, path, scheme, authority } = request;
    if (path === "/unread") return text(401, "Who are you?");
    if (path === "/slow") {
      slowRequests += 1;
      await released.promise;
      return text(200, "at last");
    }
    if (path === "/empty") return { status: 204, headers: {} };
    if (path === "/bad-header") return { status: 200, headers: { "x-bad": "a\nb" }, body: "" };
    if (path === "/throws") throw new Error("broken");
    if (path === "/events") return { status: 200, headers: {}, body: events(request.signal) };
    if (path === "/broken-events") return { status: 200, headers: {}, body: brokenEvents() };
    try {
      bodiesAwaited += 1;
      const body = await request.body(bytesMax);
      return text(200, `${method} ${scheme}://${authority}${path} ${body.byteLength}`);
    } catch (cause) {
      if (!(cause instanceof BodyError)) throw cause;
      endings.push(cause.failure);
      return text(cause.failure === "too_large" ? 413 : 400, cause.failure);
    }
  },
  failed: () => text(500, "failed"),
  refuse: (error) => text(400, error),
};

async function* events(signal: AbortSignal) {
  for (let at = 1; !signal.aborted; at++) {
    yield Buffer.from(`event ${at}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  endings.push("stream ended");
}

async function* brokenEvents() {
  yield Buffer.from("one\n");
  throw new Error("broken");
}

interface Seen {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly code: number;
}

function send(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body: Iterable<Uint8Array> = [],
): Promise<Seen> {
  return new Promise((resolve) => {
    const stream = session.request({ ":authority": host, ...headers });
    let head: IncomingHttpHeaders = {};
    let received = "";
    stream.on("response", (given) => {
      head = given;
    });
    stream.on("data", (chunk: Buffer) => {
      received += chunk.toString();
    });
    stream.on("error", () => {});
    stream.on("close", () => resolve({ headers: head, body: received, code: stream.rstCode ?? 0 }));
    for (const piece of body) stream.write(piece);
    stream.end();
  });
}

const post = (path: string) => ({ ":method": "POST", ":path": path });

beforeEach(async () => {
  endings = [];
  bodiesAwaited = 0;
  slowRequests = 0;
  released = Promise.withResolvers();
  edge = await startTestEdge({ own: { host, handler }, publicHttpsPort: 443 });
});
afterEach(() => edge.stop());

describe("the service's own name, without encryption", () => {
  test("asks to come back while there is no certificate", async () => {
    const { status, headers, body } = await getPlain(edge, host, "/v1/pets");
    expect(status).toBe(503);
    expect(headers["retry-after"]).toBe("60");
    expect(body).toBe("This service has no certificate yet. Try again in a minute.\n");
  });

  test("leads to HTTPS, with the method kept", async () => {
    edge.certifyOwn();
    for (const method of ["GET", "POST", "DELETE"]) {
      const { status, headers } = await getPlain(edge, host, "/v1/pets?limit=1", { method });
      expect(status).toBe(308);
      expect(headers["location"]).toBe(`https://${host}/v1/pets?limit=1`);
    }
  });

  test("answers the authority", async () => {
    edge.view.publish(host, "token", "token.thumbprint");
    const { status, body } = await getPlain(edge, host, "/.well-known/acme-challenge/token");
    expect([status, body]).toEqual([200, "token.thumbprint"]);
  });
});

describe("the service's own name, encrypted", () => {
  beforeEach(() => edge.certifyOwn());

  test("reaches the service by HTTP/1.1, and browsers are told to stay with HTTPS", async () => {
    const extra = "content-length: 0\r\n";
    const seen = await getSecured(edge, host, "/v1/pets", { method: "POST", extra });
    expect(seen.body).toBe(`POST https://${host}/v1/pets 0`);
    expect(seen.headers["strict-transport-security"]).toBe("max-age=31536000");
  });

  test("is not served on a connection for another host, nor the other way round", async () => {
    edge.attach("docs.acme.com");
    const other = { serverName: "docs.acme.com" };
    expect((await getSecured(edge, host, "/", other)).status).toBe(421);
    const swapped = { serverName: host };
    expect((await getSecured(edge, "docs.acme.com", "/", swapped)).status).toBe(421);
    expect((await getSecured(edge, "docs.acme.com")).body).toBe("dep_docs.acme.com GET /");
  });

  test("takes bodies by HTTP/2, whole and in pieces", async () => {
    const session = await openHttp2(edge, host);
    const piece = Buffer.alloc(100_000, "a");
    const seen = await send(session, post("/v1/pets"), [piece, piece, piece]);
    expect(seen.body).toBe(`POST https://${host}/v1/pets 300000`);
    expect(seen.headers["strict-transport-security"]).toBe("max-age=31536000");
    const none = await send(session, { ":path": "/" });
    expect(none.body).toBe(`GET https://${host}/ 0`);
    session.destroy();
  });

  test("refuses a body that is too large, announced or not, and the session goes on", async () => {
    const session = await openHttp2(edge, host);
    const announced = { ...post("/"), "content-length": String(bytesMax + 1) };
    const large = Buffer.alloc(bytesMax + 1);
    expect((await send(session, announced, [large])).body).toBe("too_large");
    expect((await send(session, post("/"), [large])).body).toBe("too_large");
    expect((await send(session, post("/"), [Buffer.alloc(3)])).body).toEndWith(" 3");
    session.destroy();
  });

  test("refuses a body that is not as long as announced, and goes on", async () => {
    for (const sent of [10, 200_000]) {
      const session = await openHttp2(edge, host);
      const seen = new Promise<string>((resolve) => {
        const stream = session.request({ ":authority": host, ...post("/"), "content-length": "1" });
        let received = "";
        stream.on("data", (chunk: Buffer) => {
          received += chunk.toString();
        });
        stream.on("error", () => {});
        stream.on("close", () => resolve(received));
        // Without an end: the length is known to be wrong before that.
        stream.write(Buffer.alloc(sent));
      });
      expect(["malformed", ""]).toContain(await seen);
      session.destroy();
    }
    const session = await openHttp2(edge, host);
    expect((await send(session, { ":path": "/" })).body).toEndWith(" 0");
    session.destroy();
  });

  test("refuses a target that is none, or too long, for what it is", async () => {
    const session = await openHttp2(edge, host);
    expect((await send(session, { ":path": "/a#b" })).body).toBe("malformed");
    expect((await send(session, { ":path": `/${"a".repeat(9_000)}` })).body).toBe(
      "target_too_long",
    );
    session.destroy();
  });

  test("answers before a body that it does not want has arrived", async () => {
    const session = await openHttp2(edge, host);
    const seen = await new Promise<number>((resolve, reject) => {
      const stream = session.request({ ":authority": host, ...post("/unread") });
      stream.on("response", (headers) => resolve(Number(headers[":status"])));
      stream.on("error", reject);
      stream.write(Buffer.alloc(10));
    });
    expect(seen).toBe(401);
    expect((await send(session, { ":path": "/" })).body).toEndWith(" 0");
    session.destroy();
  });

  test("sends no content where there is none", async () => {
    const session = await openHttp2(edge, host);
    const empty = await send(session, { ":path": "/empty" });
    expect(Number(empty.headers[":status"])).toBe(204);
    expect(empty.headers["content-length"]).toBeUndefined();
    const head = await send(session, { ":method": "HEAD", ":path": "/" });
    expect([Number(head.headers[":status"]), head.body]).toEqual([200, ""]);
    expect(Number(head.headers["content-length"])).toBeGreaterThan(0);
    session.destroy();
  });

  test("turns a fault into the service's own response", async () => {
    const session = await openHttp2(edge, host);
    for (const path of ["/throws", "/bad-header"]) {
      const seen = await requestHttp2(session, { ":authority": host, ":path": path });
      expect([seen.status, seen.body]).toEqual([500, "failed"]);
    }
    session.destroy();
  });

  test("streams, and stops when its reader is gone", async () => {
    const session = await openHttp2(edge, host);
    const stream = session.request({ ":authority": host, ":path": "/events" });
    let received = "";
    stream.on("data", (chunk: Buffer) => {
      received += chunk.toString();
    });
    stream.on("error", () => {});
    await eventually(() => received.includes("event 3\n"));
    stream.close();
    await eventually(() => endings.includes("stream ended"));
    session.destroy();
  });

  test("resets a stream that breaks off, and leaves the others alone", async () => {
    const session = await openHttp2(edge, host);
    const { body, code } = await send(session, { ":path": "/broken-events" });
    expect(body).toBe("one\n");
    expect(code).not.toBe(0);
    expect(edge.logged.map(({ event }) => event)).toContain("edge.response_failed");
    expect((await send(session, { ":path": "/" })).body).toEndWith(" 0");
    session.destroy();
  });

  test("notices that a client goes away in the middle of its body", async () => {
    const socket = await shakeHands(edge, host, { ALPNProtocols: ["h2"] });
    const session = connect(`https://${host}`, { createConnection: () => socket });
    session.on("error", () => {});
    const stream = session.request({ ":authority": host, ...post("/") });
    stream.on("error", () => {});
    stream.write(Buffer.alloc(10));
    await eventually(() => bodiesAwaited > 0);
    socket.destroy();
    await eventually(() => endings.includes("incomplete"));
  });
});

test("a body by HTTP/2 that does not arrive is given up", async () => {
  const slow = await startTestEdge({
    own: { host, handler },
    limits: { bodyGraceMs: 100, sweepEveryMs: 20 },
  });
  slow.certifyOwn();
  const session = await openHttp2(slow, host);
  const stream = session.request({ ":authority": host, ...post("/") });
  let received = "";
  stream.on("data", (chunk: Buffer) => {
    received += chunk.toString();
  });
  stream.on("error", () => {});
  stream.write(Buffer.alloc(10));
  await eventually(() => received === "too_slow");
  session.destroy();
  await slow.stop();
});

/** A site is read from the store; an upload to the service waits for others of its owner. */
test("the service takes its time, which sites have not", async () => {
  const strict = await startTestEdge({
    own: { host, handler },
    serveSite: () => released.promise.then(() => text(200, "at last")),
    limits: { handlerMsMax: 50, sweepEveryMs: 20 },
  });
  strict.certifyOwn();
  strict.attach("docs.acme.com");
  const session = await openHttp2(strict, host);
  const answers = [getSecured(strict, host, "/slow"), send(session, { ":path": "/slow" })];
  await Promise.race([...answers, eventually(() => slowRequests === 2)]);
  await expect(getSecured(strict, "docs.acme.com")).rejects.toThrow("Closed");
  released.resolve();
  for (const { body } of await Promise.all(answers)) expect(body).toBe("at last");
  session.destroy();
  await strict.stop();
});

test("a client that is refused while it sends a body learns why", async () => {
  edge.certifyOwn();
  const line = await securedLine(edge, host);
  const length = 2_000_000;
  line.send(`POST /unread HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${length}\r\n\r\n`);
  expect((await line.answer()).status).toBe(401);
  line.send("a".repeat(length));
  const next = await line.ask(`GET /v1/pets HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  expect(next.status).toBe(200);
  line.socket.destroy();
});
