import { afterEach, describe, expect, test } from "bun:test";
import { edgeLimits } from "../../src/hosting/edge/edge.ts";
import type { ServeSite } from "../../src/hosting/edge/requestHandler.ts";
import { eventually } from "../../testkit/eventually.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";
import {
  bareLine,
  getSecured,
  type Line,
  openHttp2,
  plainLine,
  requestHttp2,
  securedLine,
} from "./clients.ts";
import { startTestEdge, type TestEdge } from "./testEdge.ts";

const question = "GET / HTTP/1.1\r\nhost: a.example\r\n\r\n";
const longBody = new Uint8Array(32 * 1024 * 1024);

let edge: TestEdge;
let clock: FakeClock;
async function start(options: Parameters<typeof startTestEdge>[0] = {}): Promise<void> {
  clock = fakeClock(Date.UTC(2030, 0, 1));
  edge = await startTestEdge({ clock, ...options });
  edge.attach("a.example");
}
afterEach(async () => {
  const stopping = edge.stop(0);
  clock.advance(0);
  await stopping;
});

const isClosed = (line: Line) => eventually(() => line.socket.destroyed);
const sweepMs = edgeLimits.sweepEveryMs;

/** Time passes for the edge, and the clients see what it does about it. */
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

describe("time", () => {
  test("runs out for a handshake that is not begun, or not ended", async () => {
    await start();
    const silent = await bareLine(edge);
    const halfway = await bareLine(edge);
    halfway.send("\x16\x03\x01\x02\x00\x01\x00");
    await eventually(() => silent.socket.readyState === "open");
    await getSecured(edge, "a.example");
    await pass(edgeLimits.handshakeMsMax - sweepMs);
    expect([silent, halfway].map(({ socket }) => socket.destroyed)).toEqual([false, false]);
    await pass(2 * sweepMs);
    await isClosed(silent);
    await isClosed(halfway);
  });

  test("runs out for a first request that does not come whole", async () => {
    await start();
    const lines = [
      await plainLine(edge),
      await plainLine(edge),
      await securedLine(edge, "a.example"),
      await securedLine(edge, "a.example"),
    ];
    lines[1]?.send("GET / HTTP/1.1\r\nhost: a.exam");
    lines[3]?.send("GET / HTTP/1.1\r\nhost: a.exam");
    const session = await openHttp2(edge, "a.example");
    await getSecured(edge, "a.example");
    await pass(edgeLimits.headMsMax - sweepMs);
    expect(lines.some(({ socket }) => socket.destroyed)).toBe(false);
    await pass(2 * sweepMs);
    for (const line of lines) await isClosed(line);
    await eventually(() => session.destroyed);
  });

  test("runs out later for a connection that was used before", async () => {
    await start();
    const line = await securedLine(edge, "a.example");
    await line.ask(question);
    const session = await openHttp2(edge, "a.example");
    let farewell: number | undefined;
    session.on("goaway", (code) => {
      farewell = code;
    });
    await requestHttp2(session, { ":path": "/" });
    await pass(edgeLimits.idleMsMax - sweepMs);
    expect((await line.ask(question)).status).toBe(200);
    expect((await requestHttp2(session, { ":path": "/" })).status).toBe(200);
    line.send("GET / HTTP/1.1\r\nhost: a.exam");
    await pass(edgeLimits.idleMsMax + 2 * sweepMs);
    await isClosed(line);
    await eventually(() => session.destroyed);
    expect(farewell).toBe(0);
  });

  test("runs out for a reader that takes nothing of its answer", async () => {
    await start({ serveSite: () => ({ status: 200, headers: {}, body: longBody }) });
    const line = await securedLine(edge, "a.example");
    line.send(question);
    await eventually(() => line.received !== "");
    line.socket.pause();
    const session = await openHttp2(edge, "a.example");
    const stream = session.request({ ":path": "/" });
    let ended = false;
    stream.on("error", () => {});
    stream.on("close", () => {
      ended = true;
    });
    await new Promise((resolve) => stream.once("response", resolve));
    await pass(edgeLimits.stallMsMax + 2 * sweepMs);
    stream.resume();
    await eventually(() => ended);
    // Only the stream was broken off: the connection may serve others.
    expect(session.destroyed).toBe(false);
    line.socket.resume();
    await isClosed(line);
    expect(line.received.length).toBeLessThan(longBody.byteLength);
    session.destroy();
  });

  test("does not run out for a slow reader that goes on reading", async () => {
    await start({ serveSite: () => ({ status: 200, headers: {}, body: longBody }) });
    const line = await securedLine(edge, "a.example");
    line.send(question);
    for (let seen = 0; line.received.length < longBody.byteLength; seen = line.received.length) {
      line.socket.resume();
      await eventually(() => line.received.length > seen + 4 * 1024 * 1024 || isWhole(line));
      line.socket.pause();
      await pass(edgeLimits.stallMsMax / 2);
      expect(line.received.length).toBeGreaterThan(seen);
    }
    expect((await line.answer()).status).toBe(200);
    line.socket.destroy();
  });

  test("runs out for an answer that never comes", async () => {
    await start({ serveSite: () => new Promise<never>(() => {}) });
    const line = await securedLine(edge, "a.example");
    line.send(question);
    await eventually(() => edge.view.asked.length > 2);
    await pass(edgeLimits.stallMsMax + 2 * sweepMs);
    await isClosed(line);
  });
});

const isWhole = (line: Line) => line.received.length > longBody.byteLength;

describe("numbers", () => {
  test("of connections are bounded, and idle ones make room for new ones", async () => {
    await start({ limits: { connectionsMax: 50 } });
    const idle: Line[] = [];
    for (let made = 0; made < 1_000; made += 1) {
      idle.push(await (made % 2 === 0 ? bareLine(edge) : plainLine(edge)));
    }
    const open = () => idle.filter(({ socket }) => !socket.destroyed).length;
    await eventually(() => open() <= 50);
    expect((await getSecured(edge, "a.example")).status).toBe(200);
    expect(open()).toBeGreaterThan(40);
    for (const { socket } of idle) socket.destroy();
  });

  test("of connections are bounded when all are busy, too", async () => {
    const held: (() => void)[] = [];
    const serveSite: ServeSite = () =>
      new Promise((resolve) => {
        held.push(() => resolve({ status: 200, headers: {}, body: undefined }));
      });
    await start({ limits: { connectionsMax: 3 }, serveSite });
    const busy: Line[] = [];
    for (let made = 1; made <= 3; made += 1) {
      const line = await securedLine(edge, "a.example");
      line.send(question);
      await eventually(() => held.length === made);
      busy.push(line);
    }
    expect(await isClosed(await plainLine(edge))).toBe(true);
    for (const release of held) release();
    for (const line of busy) expect((await line.answer()).status).toBe(200);
    expect((await (await plainLine(edge)).ask(question)).status).toBe(301);
  });

  test("of pipelined requests in memory are bounded, and all are answered", async () => {
    await start();
    const line = await securedLine(edge, "a.example");
    const count = Math.ceil((4 * edgeLimits.pipelinedBytesMax) / question.length);
    line.send(question.repeat(count));
    for (let n = 0; n < count; n++) expect((await line.answer()).status).toBe(200);
    line.socket.destroy();
  });

  test("of a few pipelined requests are answered in their order", async () => {
    await start();
    const line = await securedLine(edge, "a.example");
    for (const path of ["/1", "/2", "/3"]) line.send(question.replace("/ ", `${path} `));
    const bodies = [await line.answer(), await line.answer(), await line.answer()];
    expect(bodies.map(({ body }) => body.slice(-2))).toEqual(["/1", "/2", "/3"]);
    line.socket.destroy();
  });

  test("of streams on one connection are bounded", async () => {
    let asked = 0;
    const serveSite: ServeSite = () => {
      asked += 1;
      return new Promise<never>(() => {});
    };
    await start({ serveSite, limits: { streamsMax: 10 } });
    const session = await openHttp2(edge, "a.example");
    await new Promise((resolve) => session.once("remoteSettings", resolve));
    expect(session.remoteSettings.maxConcurrentStreams).toBe(10);
    for (let made = 0; made < 50; made += 1)
      session.request({ ":path": "/" }).on("error", () => {});
    await eventually(() => asked >= 10);
    await new Promise<void>((resolve) => session.ping(() => resolve()));
    expect(asked).toBe(10);
    session.destroy();
  });

  test("of bytes in a header are bounded", async () => {
    await start();
    const long = "y".repeat(edgeLimits.headBytesMax);
    for (const [text, status] of [
      [`GET / HTTP/1.1\r\nhost: a.example\r\nx: ${long}\r\n\r\n`, 431],
      [`GET /${long} HTTP/1.1\r\nhost: a.example\r\n\r\n`, 414],
    ] as const) {
      const line = await securedLine(edge, "a.example");
      expect((await line.ask(text)).status).toBe(status);
      await line.closed;
    }
    const session = await openHttp2(edge, "a.example");
    const refused = requestHttp2(session, { ":path": "/", x: long + long });
    expect(
      await refused.then(
        ({ status }) => status,
        () => "refused",
      ),
    ).not.toBe(200);
    session.destroy();
    expect((await getSecured(edge, "a.example")).status).toBe(200);
  });

  test("of bytes in a body that are read are bounded", async () => {
    await start();
    const line = await securedLine(edge, "a.example");
    line.send("POST / HTTP/1.1\r\nhost: a.example\r\ncontent-length: 100000000\r\n\r\n");
    line.send("x".repeat(2 * edgeLimits.discardedBytesMax));
    expect((await line.answer()).status).toBe(405);
    await isClosed(line);
  });

  test("of bytes in a body over HTTP/2 that are read are bounded", async () => {
    await start();
    const session = await openHttp2(edge, "a.example");
    const stream = session.request({ ":method": "POST", ":path": "/" }, { endStream: false });
    stream.on("error", () => {});
    let status: unknown;
    stream.on("response", (headers) => {
      status = headers[":status"];
    });
    stream.resume();
    for (let pieces = 0; pieces < 100; pieces += 1) stream.write(new Uint8Array(64 * 1024));
    await eventually(() => status === 405 && stream.closed);
    expect((await requestHttp2(session, { ":path": "/" })).status).toBe(200);
    session.destroy();
  });

  test("of bytes in answers whose readers left before them are not counted", async () => {
    const release: (() => void)[] = [];
    const body = new Uint8Array(1024 * 1024);
    const serveSite: ServeSite = () =>
      new Promise((resolve) => {
        release.push(() => resolve({ status: 200, headers: {}, body }));
      });
    await start({ serveSite, limits: { heldResponseBytesMax: 1.5 * body.byteLength } });
    const session = await openHttp2(edge, "a.example");
    for (let times = 1; times <= 6; times += 2) {
      const line = await securedLine(edge, "a.example");
      line.send(question);
      const stream = session.request({ ":path": "/" });
      stream.on("error", () => {});
      await eventually(() => release.length === times + 1);
      line.socket.destroy();
      stream.close(8);
      // An answer to what was sent later says that this was read.
      await new Promise<void>((resolve) => session.ping(() => resolve()));
      await (await plainLine(edge)).ask(question);
      for (const go of release) go();
    }
    const last = requestHttp2(session, { ":path": "/" });
    await eventually(() => release.length === 7);
    release.at(-1)?.();
    expect((await last).status).toBe(200);
    session.destroy();
  });

  test("of bytes in answers under way are bounded, and those that end make room", async () => {
    const serveSite: ServeSite = () => ({ status: 200, headers: {}, body: longBody });
    await start({ serveSite, limits: { heldResponseBytesMax: 1.5 * longBody.byteLength } });
    const first = await securedLine(edge, "a.example");
    first.send(question);
    await eventually(() => first.received !== "");
    first.socket.pause();
    const second = await securedLine(edge, "a.example");
    const refused = await second.ask(question);
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    first.socket.destroy();
    const answered = async () => (await second.ask(question)).status;
    let status = await answered();
    for (let times = 0; status === 503 && times < 100; times += 1) status = await answered();
    expect(status).toBe(200);
    second.socket.destroy();
  });
});
