import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { systemClock } from "../../src/core/clock.ts";
import { probeEdge } from "../../src/hosting/edge/probe.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { getPlain, getSecured } from "./clients.ts";
import { startTestEdge, type TestEdge } from "./testEdge.ts";

const nowMs = Date.UTC(2030, 0, 1);
const token = "Tk_-09";
const address = (asked = token) => `/.well-known/acme-challenge/${asked}`;

let edge: TestEdge;
beforeAll(async () => {
  edge = await startTestEdge({ clock: fakeClock(nowMs) });
  edge.attach("a.example");
  edge.redirect("r.example", "a.example", 308);
  for (const host of ["a.example", "r.example", "new.example"]) {
    edge.view.publish(host, token, `${token}.proof-of-${host}`);
  }
  edge.view.publish("a.example", "late", "late.proof", nowMs);
});
afterAll(() => edge.stop());

describe("a challenge", () => {
  test("is answered for any host over plain HTTP, attached, redirecting or neither", async () => {
    for (const host of ["a.example", "r.example", "new.example"]) {
      const seen = await getPlain(edge, `${host}:80`, address());
      expect(seen).toMatchObject({ status: 200, body: `${token}.proof-of-${host}` });
      expect(seen.headers["content-type"]).toBe("application/octet-stream");
    }
  });

  for (const [why, host, path, isLookedUp = false] of [
    ["is for another host", "other.example", address(), true],
    ["is unknown", "a.example", address("unknown"), true],
    ["has expired", "a.example", address("late"), true],
    ["has no token", "a.example", address("")],
    ["has a token of another form", "a.example", address(`${token}%20`)],
    ["has a path below it", "a.example", address(`${token}/x`)],
    ["climbs", "a.example", address("../../x")],
    ["has an endless token", "a.example", address("x".repeat(300))],
  ] as const) {
    test(`that ${why} is 404, never a redirect`, async () => {
      const asked = edge.view.asked.length;
      const seen = await getPlain(edge, host, path);
      expect(seen.status).toBe(404);
      // What no authority would send is not even looked up.
      expect(edge.view.asked.length - asked).toBe(isLookedUp ? 1 : 0);
      expect(seen.headers["location"]).toBeUndefined();
    });
  }

  test("is a page like any other over HTTPS", async () => {
    expect((await getSecured(edge, "a.example", address())).body).toStartWith("dep_a.example");
  });
});

describe("the probe", () => {
  const at = (httpPort: number, ip = "127.0.0.1") => ({ address: ip, httpPort });
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });

  /** Something that answers every connection with these bytes. */
  async function impostor(bytes: string): Promise<number> {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.write(bytes));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  }

  test("reads what an edge answers for a host", async () => {
    const seen = await probeEdge(at(edge.httpPort), "new.example", token, systemClock);
    expect(seen).toEqual({ kind: "answered", body: `${token}.proof-of-new.example` });
  });

  test("says what the edge answered instead", async () => {
    const seen = await probeEdge(at(edge.httpPort), "other.example", token, systemClock);
    expect(seen).toMatchObject({ kind: "failed", detail: expect.stringContaining("404") });
  });

  test("dials no name, not even one that resolves", async () => {
    const seen = await probeEdge(at(edge.httpPort, "localhost"), "new.example", token, systemClock);
    expect(seen).toMatchObject({ kind: "failed", detail: "localhost is not an IP address." });
  });

  test("sends no host or token that would change the request", async () => {
    for (const [host, asked] of [
      ["new.example\r\nx: y", token],
      ["new.example", `${token} HTTP/1.1\r\n\r\n`],
    ] as const) {
      const seen = await probeEdge(at(edge.httpPort), host, asked, systemClock);
      expect(seen.kind).toBe("failed");
    }
  });

  test("follows no redirect", async () => {
    const to = `http://127.0.0.1:${edge.httpPort}${address()}`;
    const port = await impostor(
      `HTTP/1.1 302 Found\r\nlocation: ${to}\r\ncontent-length: 0\r\n\r\n`,
    );
    const seen = await probeEdge(at(port), "new.example", token, systemClock);
    expect(seen).toMatchObject({ kind: "failed", detail: expect.stringContaining("302") });
  });

  for (const [what, bytes] of [
    ["more than a kibibyte", `HTTP/1.1 200 OK\r\ncontent-length: 1025\r\n\r\n${"x".repeat(1025)}`],
    ["an answer without a length", "HTTP/1.1 200 OK\r\n\r\nproof"],
    ["a header without an end", "x".repeat(100_000)],
    ["another protocol", "SSH-2.0-x\r\n\r\n"],
  ] as const) {
    test(`takes no ${what}`, async () => {
      const seen = await probeEdge(at(await impostor(bytes)), "new.example", token, systemClock);
      expect(seen.kind).toBe("failed");
    });
  }

  test("takes a whole kibibyte", async () => {
    const bytes = `HTTP/1.1 200 OK\r\ncontent-length: 1024\r\n\r\n${"x".repeat(1024)}`;
    const seen = await probeEdge(at(await impostor(bytes)), "new.example", token, systemClock);
    expect(seen).toEqual({ kind: "answered", body: "x".repeat(1024) });
  });

  test("waits three seconds for an edge that says nothing", async () => {
    const clock = fakeClock(nowMs);
    const probing = probeEdge(at(await impostor("")), "new.example", token, clock);
    let outcome: unknown;
    void probing.then((seen) => {
      outcome = seen;
    });
    clock.advance(2_999);
    await Promise.resolve();
    expect(outcome).toBeUndefined();
    clock.advance(1);
    expect(await probing).toMatchObject({ detail: expect.stringContaining("within 3 seconds") });
  });

  test("says that nobody is there", async () => {
    const gone = await impostor("");
    await new Promise((resolve) => servers.at(-1)?.close(resolve));
    const seen = await probeEdge(at(gone), "new.example", token, systemClock);
    expect(seen).toMatchObject({ detail: expect.stringContaining("ECONNREFUSED") });
  });
});
