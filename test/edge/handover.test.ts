/** An edge that stops because another process goes on for it: nobody on their way to it loses a request. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { eventually } from "../../testkit/eventually.ts";
import { hangMs } from "../../testkit/timeouts.ts";
import { Line, openHttp2, requestHttp2, securedLine } from "./clients.ts";
import { startTestEdge, type TestEdge } from "./testEdge.ts";

let edge: TestEdge;

beforeEach(async () => {
  edge = await startTestEdge();
  edge.attach("a.example");
});
afterEach(() => edge.stop(0));

const question = "GET /page HTTP/1.1\r\nhost: a.example\r\n\r\n";

test("a connection of HTTP/1.1 gets its next answer, which tells the client to connect anew", async () => {
  const line = await securedLine(edge, "a.example");
  expect((await line.ask(question)).headers["connection"]).toBeUndefined();
  const stopped = edge.stop(hangMs, hangMs);
  const last = await line.ask(question);
  expect(last.body).toBe("dep_a.example GET /page");
  expect(last.headers["connection"]).toBe("close");
  await line.closed;
  await stopped;
});

test("a handshake that has begun is finished, and a request answered", async () => {
  const socket = connect(edge.httpsPort, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  // It is among the edge's connections once another one that came later is.
  const later = await securedLine(edge, "a.example");
  later.socket.destroy();
  const stopped = edge.stop(hangMs, hangMs);
  const secured = connectTls({ socket, servername: "a.example", ca: edge.ca });
  const line = new Line(secured);
  await new Promise((resolve) => secured.once("secureConnect", resolve));
  const seen = await line.ask(question);
  expect(seen.status).toBe(200);
  expect(seen.headers["connection"]).toBe("close");
  await stopped;
});

test("over HTTP/2 a request that crosses the announcement is answered", async () => {
  const session = await openHttp2(edge, "a.example");
  expect((await requestHttp2(session, { ":path": "/1" })).status).toBe(200);
  const lastIds: number[] = [];
  session.on("goaway", (_code, lastId) => lastIds.push(lastId));
  const stopped = edge.stop(hangMs, hangMs);
  const crossing = await requestHttp2(session, { ":path": "/2" });
  expect(crossing.body).toBe("dep_a.example GET /2");
  await eventually(() => lastIds.length > 0);
  // None is too late: the client need not wonder what was still done.
  expect(lastIds[0]).toBe(2 ** 31 - 1);
  session.close();
  await stopped;
});
