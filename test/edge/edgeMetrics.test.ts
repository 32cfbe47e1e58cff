import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually } from "../../testkit/eventually.ts";
import { sampleOf } from "../monitoring/scraped.ts";
import {
  bareLine,
  getPlain,
  getSecured,
  openHttp2,
  plainLine,
  requestHttp2,
  shakeHands,
} from "./clients.ts";
import { startTestEdge, type TestEdge } from "./testEdge.ts";

let edge: TestEdge;
beforeAll(async () => {
  edge = await startTestEdge();
  edge.attach("a.example");
});
afterAll(() => edge.stop());

const requests = (scheme: string, protocol: string, code: string) =>
  sampleOf(
    edge.metrics(),
    `petstore_edge_requests_total{scheme="${scheme}",protocol="${protocol}",code="${code}"}`,
  );
const failures = (reason: string) =>
  sampleOf(edge.metrics(), `petstore_edge_tls_handshake_failures_total{reason="${reason}"}`);

test("requests are counted by scheme, protocol and class of the status, cached ones too", async () => {
  for (let times = 0; times < 3; times++) await getSecured(edge, "a.example");
  await getSecured(edge, "a.example", "/", { method: "POST" });
  await getPlain(edge, "a.example");
  await getPlain(edge, "nobody.example");
  const session = await openHttp2(edge, "a.example");
  await requestHttp2(session, { ":path": "/" });
  session.destroy();
  const line = await plainLine(edge);
  line.send("NONSENSE\r\n\r\n");
  await line.closed;
  expect(requests("https", "http/1.1", "2xx")).toBe(3);
  expect(requests("https", "http/1.1", "4xx")).toBe(1);
  expect(requests("https", "h2", "2xx")).toBe(1);
  expect(requests("http", "http/1.1", "3xx")).toBe(1);
  expect(requests("http", "http/1.1", "4xx")).toBe(2);
  expect(requests("https", "h2", "5xx")).toBe(0);
});

test("handshakes are counted, and those that failed by the reason", async () => {
  const before = sampleOf(edge.metrics(), "petstore_edge_tls_handshakes_total") ?? Number.NaN;
  await getSecured(edge, "a.example");
  expect(sampleOf(edge.metrics(), "petstore_edge_tls_handshakes_total")).toBe(before + 1);
  await shakeHands(edge, "nobody.example").catch(() => {});
  await eventually(() => failures("no_certificate") === 1);
  const line = await bareLine(edge);
  line.send("GET / HTTP/1.1\r\n\r\n");
  await line.closed;
  await eventually(() => failures("protocol") === 1);
  expect(failures("overloaded")).toBe(0);
});

test("a handshake that takes too long is counted as such", async () => {
  const small = await startTestEdge({ limits: { handshakeMsMax: 1 } });
  const reason = (name: string) =>
    sampleOf(small.metrics(), `petstore_edge_tls_handshake_failures_total{reason="${name}"}`);
  const line = await bareLine(small);
  await line.closed;
  expect(reason("timeout")).toBe(1);
  await small.stop();
});

test("connections and bytes in both directions are counted", async () => {
  const before = edge.traffic;
  const session = await openHttp2(edge, "a.example");
  const { body } = await requestHttp2(session, { ":path": "/" });
  const afterHttp2 = edge.traffic;
  expect(afterHttp2.open).toBe(before.open + 1);
  expect(afterHttp2.sentBytes).toBe(before.sentBytes + body.length);
  session.destroy();
  const line = await plainLine(edge);
  const text = "GET / HTTP/1.1\r\nhost: a.example\r\n\r\n";
  line.send(text);
  await line.answer();
  expect(edge.traffic.receivedBytes).toBe(afterHttp2.receivedBytes + text.length);
  expect(edge.traffic.sentBytes).toBeGreaterThan(afterHttp2.sentBytes + "HTTP/1.1 308".length);
  line.socket.destroy();
  await eventually(() => edge.traffic.open === 0);
});
