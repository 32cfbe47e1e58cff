import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { connect } from "node:tls";
import type { ServeSite } from "../../src/hosting/edge/requestHandler.ts";
import { eventually } from "../../testkit/eventually.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";
import { rejectionOf } from "../store/rejection.ts";
import {
  getPlain,
  getSecured,
  openHttp2,
  requestHttp2,
  securedLine,
  shakeHands,
} from "./clients.ts";
import { echo, startTestEdge, type TestEdge } from "./testEdge.ts";

const removalMsMax = 2_000;
const question = "GET / HTTP/1.1\r\nhost: a.example\r\n\r\n";
/** Larger than what the sockets between take up. */
const longBody = new Uint8Array(32 * 1024 * 1024);
const serveSite: ServeSite = (request, deployment) =>
  request.path === "/long"
    ? { status: 200, headers: {}, body: longBody }
    : echo(request, deployment);

let edge: TestEdge;
let clock: FakeClock;
beforeEach(async () => {
  clock = fakeClock(Date.UTC(2030, 0, 1));
  edge = await startTestEdge({ serveSite, clock });
  edge.attach("a.example");
  edge.attach("b.example");
});
afterEach(async () => {
  const stopping = edge.stop(0);
  clock.advance(0);
  await stopping;
});

describe("what is removed", () => {
  test("is not shaken hands for from the same instant on", async () => {
    await getSecured(edge, "a.example");
    edge.view.remove("a.example");
    await rejectionOf(shakeHands(edge, "a.example"));
    expect((await getPlain(edge, "a.example")).status).toBe(404);
  });

  test("is not answered for on an open connection, which then ends", async () => {
    // Time stands still: the answer itself ends it, not somebody who looks around.
    const still = await startTestEdge({ clock: fakeClock(0) });
    still.attach("a.example");
    const line = await securedLine(still, "a.example");
    const session = await openHttp2(still, "a.example");
    expect((await line.ask(question)).status).toBe(200);
    expect((await requestHttp2(session, { ":path": "/" })).status).toBe(200);
    still.view.remove("a.example");
    expect(await line.ask(question)).toMatchObject({ status: 421 });
    expect((await requestHttp2(session, { ":path": "/" })).status).toBe(421);
    await eventually(() => line.socket.destroyed && session.destroyed);
    await still.stop();
  });

  test("leaves no connection open within two seconds, idle or in the midst of an answer", async () => {
    const idle = await securedLine(edge, "a.example");
    const keptAlive = await securedLine(edge, "a.example");
    await keptAlive.ask(question);
    const halfway = await securedLine(edge, "a.example");
    halfway.send("GET / HTTP/1.1\r\nhost: a.exam");
    const reading = await securedLine(edge, "a.example");
    reading.send("GET /long HTTP/1.1\r\nhost: a.example\r\n\r\n");
    await eventually(() => reading.received !== "");
    reading.socket.pause();
    const idle2 = await openHttp2(edge, "a.example");
    await requestHttp2(idle2, { ":path": "/" });
    const reading2 = await openHttp2(edge, "a.example");
    const stream = reading2.request({ ":path": "/long" });
    stream.on("error", () => {});
    await new Promise((resolve) => stream.once("response", resolve));
    const neighbour = await securedLine(edge, "b.example");

    edge.view.remove("a.example");
    const gone = () =>
      [idle, keptAlive, halfway].every(({ socket }) => socket.destroyed) &&
      idle2.destroyed &&
      reading2.destroyed;
    clock.advance(removalMsMax);
    await eventually(gone);
    reading.socket.resume();
    await eventually(() => reading.socket.destroyed);
    expect(reading.received.length).toBeLessThan(longBody.byteLength);
    const still = await neighbour.ask("GET / HTTP/1.1\r\nhost: b.example\r\n\r\n");
    expect(still.body).toBe("dep_b.example GET /");
    neighbour.socket.destroy();
  });

  for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
    test(`is not reached by resuming a session of ${version}`, async () => {
      const only = { minVersion: version, maxVersion: version } as const;
      const first = await securedLine(edge, "a.example", only);
      const offered: Buffer[] = [];
      first.socket.on("session", (session: Buffer) => offered.push(session));
      await first.ask(question);
      const session = offered.at(-1) ?? (first.socket as ReturnType<typeof connect>).getSession();
      first.socket.destroy();
      expect(session).toBeDefined();

      const resumed = { ...only, session: session as Buffer };
      const again = await shakeHands(edge, "a.example", resumed);
      expect(again.isSessionReused()).toBe(true);
      again.destroy();
      edge.view.remove("a.example");
      expect((await rejectionOf(shakeHands(edge, "a.example", resumed))).message).toContain(
        "ALERT",
      );
      // It was for that certificate: neither another host nor another certificate resumes it.
      edge.attach("a.example");
      for (const host of ["a.example", "b.example"]) {
        const anew = await shakeHands(edge, host, resumed);
        expect(anew.isSessionReused()).toBe(false);
        anew.destroy();
      }
    });
  }

  test("during a handshake has no connection afterwards", async () => {
    // Time stands still: nobody looks around afterwards.
    const still = await startTestEdge({ clock: fakeClock(0) });
    still.attach("a.example");
    const { view } = still;
    const certificate = view.certificate.bind(view);
    // The certificate was given out an instant before.
    view.certificate = async (host) => {
      const found = await certificate(host);
      if (host === "a.example") view.remove(host);
      return found;
    };
    const line = await securedLine(still, "a.example").catch(() => undefined);
    const gone = () => line === undefined || line.socket.destroyed;
    await eventually(gone);
    await still.stop();
  });
});

describe("an edge tells the others", () => {
  const told = () => edge.view.reported.get("edge-1");

  test("where it is and what it has acted on, also when it starts", async () => {
    expect(told()).toMatchObject({ address: "127.0.0.1", httpPort: edge.httpPort });
    const line = await securedLine(edge, "a.example");
    edge.view.remove("a.example");
    const revision = edge.view.revision();
    clock.advance(removalMsMax);
    await eventually(() => told()?.revision === revision);
    // Whoever reads the revision may rely on this.
    await line.closed;
    expect(line.socket.destroyed).toBe(true);
  });

  test("no more once it has stopped", async () => {
    const other = await startTestEdge();
    expect(other.view.reported.size).toBe(1);
    await other.stop();
    expect(other.view.reported.size).toBe(0);
  });
});
