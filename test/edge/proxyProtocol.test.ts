/** An edge behind a load balancer that passes bytes on, with a header before the handshake. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { connect as connectHttp2 } from "node:http2";
import { type AddressInfo, connect as connectPlain, createServer } from "node:net";
import { systemClock } from "../../src/core/clock.ts";
import { probeEdge } from "../../src/hosting/edge/probe.ts";
import { localProxyHeader } from "../../src/wire/proxyProtocol.ts";
import { eventually } from "../../testkit/eventually.ts";
import { fromIpv4 } from "../wire/proxyHeaders.ts";
import { bareLine, Line, plainLine, requestHttp2, shakeHands } from "./clients.ts";
import { startTestEdge, type TestEdge } from "./testEdge.ts";

let edge: TestEdge;
beforeEach(async () => {
  edge = await startTestEdge({ proxyProtocol: true });
  edge.attach("a.example");
});
afterEach(() => edge.stop(0));

const request = "GET /page HTTP/1.1\r\nHost: a.example\r\n\r\n";
const clients = () =>
  edge.logged
    .filter(({ event }) => event === "edge.request_served")
    .map(({ fields }) => fields["client"]);

/** Passes connections on to the TLS listener, each with the header and the first bytes together. */
async function balancer(): Promise<{ port: number } & Disposable> {
  const server = createServer((client) => {
    const upstream = connectPlain(edge.httpsPort, "127.0.0.1");
    client.once("data", (first: Buffer) => {
      upstream.write(Buffer.concat([fromIpv4, first]));
      client.pipe(upstream);
    });
    upstream.pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.dispose]: () => void server.close() };
}

test("a plain connection is its client's", async () => {
  const line = await plainLine(edge);
  line.socket.write(fromIpv4);
  expect((await line.ask(request)).status).toBe(301);
  expect(clients()).toEqual(["203.0.113.9"]);
  line.socket.destroy();
});

test("an encrypted connection is its client's, over HTTP/1.1", async () => {
  using before = await balancer();
  const line = new Line(await shakeHands(edge, "a.example", { port: before.port }));
  for (const expected of [1, 2]) {
    expect((await line.ask(request)).body).toBe("dep_a.example GET /page");
    expect(clients()).toEqual(Array(expected).fill("203.0.113.9"));
  }
  line.socket.destroy();
});

test("an encrypted connection is its client's, over HTTP/2", async () => {
  using before = await balancer();
  const socket = await shakeHands(edge, "a.example", {
    port: before.port,
    ALPNProtocols: ["h2"],
  });
  const session = connectHttp2("https://a.example", { createConnection: () => socket });
  expect((await requestHttp2(session, { ":path": "/page" })).body).toBe("dep_a.example GET /page");
  expect(clients()).toEqual(["203.0.113.9"]);
  session.destroy();
});

test("a connection without the header is closed and logged, before any handshake", async () => {
  await expect(shakeHands(edge, "a.example")).rejects.toThrow();
  const line = await plainLine(edge);
  line.send(request);
  await line.closed;
  expect(line.received).toBe("");
  const refused = () => edge.logged.filter(({ event }) => event === "edge.connection_refused");
  await eventually(() => refused().length > 0);
  expect(refused()[0]?.fields).toMatchObject({ reason: "malformed", peer: "127.0.0.1" });
});

test("a removed host closes its connections behind a balancer too", async () => {
  using before = await balancer();
  const line = new Line(await shakeHands(edge, "a.example", { port: before.port }));
  expect((await line.ask(request)).status).toBe(200);
  edge.view.remove("a.example");
  await line.closed;
});

test("a handshake that is never begun does not outlive a stop", async () => {
  const line = await bareLine(edge);
  line.socket.write(fromIpv4);
  await edge.stop(0);
  await line.closed;
});

test("another process still finds its challenges at the edge", async () => {
  const token = "t".repeat(43);
  edge.view.publish("a.example", token, "proof");
  const at = { address: "127.0.0.1", httpPort: edge.httpPort };
  const probe = (preface?: Uint8Array) => probeEdge(at, "a.example", token, systemClock, preface);
  expect(await probe(localProxyHeader)).toEqual({ kind: "answered", body: "proof" });
  expect((await probe()).kind).toBe("failed");
});
