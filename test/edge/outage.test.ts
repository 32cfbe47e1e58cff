import { afterEach, describe, expect, test } from "bun:test";
import { edgeLimits } from "../../src/hosting/edge/edge.ts";
import type { ServeSite } from "../../src/hosting/edge/requestHandler.ts";
import { eventually } from "../../testkit/eventually.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { rejectionOf } from "../store/rejection.ts";
import {
  bareLine,
  getPlain,
  getSecured,
  openHttp2,
  plainLine,
  requestHttp2,
  securedLine,
} from "./clients.ts";
import { echo, startTestEdge, type TestEdge } from "./testEdge.ts";

const question = (path = "/") => `GET ${path} HTTP/1.1\r\nhost: a.example\r\n\r\n`;

describe("while the store is away", () => {
  let edge: TestEdge;
  afterEach(() => edge.stop());

  test("requests are asked to come back, handshakes are refused, and service resumes afterwards", async () => {
    edge = await startTestEdge({ limits: { pollEveryMs: 20 } });
    edge.attach("a.example");
    edge.view.publish("a.example", "token", "proof");
    const line = await securedLine(edge, "a.example");
    const session = await openHttp2(edge, "a.example");
    edge.view.failure = new Error("The database is away.");
    const answers = [
      await line.ask(question()),
      await requestHttp2(session, { ":path": "/" }),
      await getPlain(edge, "a.example"),
      await getPlain(edge, "a.example", "/.well-known/acme-challenge/token"),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
      expect(answer.body).not.toContain("database");
    }
    await rejectionOf(getSecured(edge, "a.example"));
    const events = () => new Set(edge.logged.map(({ event }) => event));
    await eventually(() => events().has("edge.poll_failed"));

    edge.view.failure = undefined;
    expect((await line.ask(question())).status).toBe(200);
    expect((await requestHttp2(session, { ":path": "/" })).status).toBe(200);
    expect((await getSecured(edge, "a.example")).status).toBe(200);
    edge.view.remove("a.example");
    await eventually(() => line.socket.destroyed && session.destroyed);
  });

  test("a removal that could not be seen is acted on as soon as it can", async () => {
    edge = await startTestEdge({ limits: { pollEveryMs: 20 } });
    edge.attach("a.example");
    const line = await securedLine(edge, "a.example");
    // Answered, so that the edge, too, is done with the handshake and what it asks after it.
    await line.ask(question());
    const { view } = edge;
    view.remove("a.example");
    // It fails between the revision and the certificates, too.
    const certificate = view.certificate.bind(view);
    let asked = 0;
    view.certificate = (host) => {
      asked += 1;
      if (asked < 3) throw new Error("The database is away.");
      return certificate(host);
    };
    const failed = () => edge.logged.some(({ event }) => event === "edge.poll_failed");
    await eventually(failed);
    await eventually(() => line.socket.destroyed);
  });

  test("an edge starts and stops", async () => {
    edge = await startTestEdge();
    edge.view.failure = new Error("The database is away.");
    await edge.stop();
    expect(edge.logged.map(({ event }) => event)).toContain("edge.deregister_failed");
    edge = await startTestEdge();
  });
});

test("a site that cannot be answered is 503, in whatever way it fails", async () => {
  const serveSite: ServeSite = (request) => {
    if (request.path === "/later") return Promise.reject(new Error("away"));
    throw new Error("away");
  };
  const edge = await startTestEdge({ serveSite });
  edge.attach("a.example");
  expect((await getSecured(edge, "a.example", "/now")).status).toBe(503);
  expect((await getSecured(edge, "a.example", "/later")).status).toBe(503);
  await edge.stop();
});

test("an answer that cannot be sent is replaced, over HTTP/1.1 and HTTP/2", async () => {
  const serveSite: ServeSite = (request, deployment) =>
    request.path === "/bad"
      ? { status: 200, headers: { "x-bad": "a\r\nset-cookie: b=c" }, body: undefined }
      : echo(request, deployment);
  const edge = await startTestEdge({ serveSite });
  edge.attach("a.example");
  const line = await securedLine(edge, "a.example");
  expect((await line.ask(question("/bad"))).status).toBe(503);
  expect(line.received).not.toContain("set-cookie");
  const session = await openHttp2(edge, "a.example");
  const replaced = await requestHttp2(session, { ":path": "/bad" });
  expect(replaced.status).toBe(503);
  expect(replaced.headers["set-cookie"]).toBeUndefined();
  expect((await requestHttp2(session, { ":path": "/" })).status).toBe(200);
  session.destroy();
  await edge.stop();
});

test("an edge is heard of every five seconds", async () => {
  const clock = fakeClock(Date.UTC(2030, 0, 1));
  const edge = await startTestEdge({ clock });
  const { view } = edge;
  expect(view.reports).toBe(1);
  const pollOnce = async () => {
    clock.advance(edgeLimits.pollEveryMs);
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let ms = 0; ms < 15_000; ms += edgeLimits.pollEveryMs) await pollOnce();
  expect(view.reports).toBe(4);
  expect(view.reported.get("edge-1")?.seenAtMs).toBe(clock.now());
  await edge.stop();
});

describe("an edge that stops", () => {
  test("finishes the answers under way, and ends what is idle at once", async () => {
    const release: (() => void)[] = [];
    const longBody = new Uint8Array(8 * 1024 * 1024);
    const serveSite: ServeSite = () =>
      new Promise((resolve) => {
        release.push(() => resolve({ status: 200, headers: {}, body: longBody }));
      });
    const edge = await startTestEdge({ serveSite });
    edge.attach("a.example");
    const idle = [
      await plainLine(edge),
      await bareLine(edge),
      await securedLine(edge, "a.example"),
    ];
    const idle2 = await openHttp2(edge, "a.example");
    const line = await securedLine(edge, "a.example");
    line.send(question());
    const session = await openHttp2(edge, "a.example");
    const answer2 = requestHttp2(session, { ":path": "/" });
    await eventually(() => release.length === 2);
    let stopped = false;
    const stopping = edge.stop(30_000).then(() => {
      stopped = true;
    });
    const ended = () => idle.every(({ socket }) => socket.destroyed) && idle2.destroyed;
    await eventually(ended);
    await rejectionOf(plainLine(edge));
    await rejectionOf(bareLine(edge));
    expect(stopped).toBe(false);
    for (const go of release) go();
    const seen = await line.answer();
    expect(seen.headers["connection"]).toBe("close");
    expect(seen.body.length).toBe(longBody.byteLength);
    expect((await answer2).body.length).toBe(longBody.byteLength);
    await stopping;
  });

  test("lets an answer whose beginning is sent come to its end, too", async () => {
    const body = new Uint8Array(32 * 1024 * 1024);
    const edge = await startTestEdge({ serveSite: () => ({ status: 200, headers: {}, body }) });
    edge.attach("a.example");
    const line = await securedLine(edge, "a.example");
    line.send(question());
    await eventually(() => line.received !== "");
    line.socket.pause();
    const stopping = edge.stop(30_000);
    line.socket.resume();
    expect((await line.answer()).body.length).toBe(body.byteLength);
    await stopping;
    await line.closed;
  });

  test("ends what does not come to an end in time", async () => {
    const edge = await startTestEdge({ serveSite: () => new Promise<never>(() => {}) });
    edge.attach("a.example");
    const line = await securedLine(edge, "a.example");
    line.send(question());
    const session = await openHttp2(edge, "a.example");
    const answer = requestHttp2(session, { ":path": "/" });
    const unanswered = rejectionOf(answer);
    await eventually(() => edge.view.asked.length >= 6);
    await edge.stop(50);
    await line.closed;
    await unanswered;
  });
});
