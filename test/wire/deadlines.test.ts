/** Connections that take too long, and the end of a listener. */
import { afterEach, describe, expect, test } from "bun:test";
import type { WireLimits } from "../../src/wire/limits.ts";
import type { HttpHandler } from "../../src/wire/message.ts";
import { eventually } from "../../testkit/eventually.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";
import { echo, get, open, post, server, start, useWireServer } from "./wireServer.ts";

useWireServer();

describe("time", () => {
  let clock: FakeClock;
  const startClock = async (
    handle: HttpHandler["handle"] = echo,
    limits: Partial<WireLimits> = {},
  ) => {
    clock = fakeClock(Date.UTC(2030, 0, 1));
    return start(handle, limits, clock);
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  afterEach(async () => {
    const stopping = server.listener?.stop(0);
    clock?.advance(0);
    await stopping;
    server.listener = undefined;
  });

  test("runs out for a head that does not come whole", async () => {
    const connect = await startClock();
    const silent = await connect();
    const [half, method] = [await connect(), await connect()];
    half.send("GET / HTTP/1.1\r\nHost: a.exam");
    method.send("GE");
    const served = await connect();
    served.send(get("/"));
    await served.response();
    await pass(9_000);
    served.send("GET / HT");
    const probe = await connect();
    probe.send(get("/"));
    await probe.response();
    await pass(2_000);
    await silent.closed();
    expect(silent.received).toBe("");
    for (const client of [half, method]) {
      expect((await client.response()).body).toBe("timeout");
      await client.closed();
    }
    await pass(10_000);
    expect((await served.response()).body).toBe("timeout");
  });

  test("runs out later for a connection that was served", async () => {
    const client = await (await startClock())();
    client.send(get("/"));
    await client.response();
    await pass(59_000);
    client.send(get("/"));
    expect((await client.response()).status).toBe(200);
    await pass(61_000);
    await client.closed();
    expect(client.received).toBe("");
  });

  test("runs out for a body that is slower than the minimum rate", async () => {
    const connect = await startClock();
    const client = await connect();
    client.send(post("/", "Content-Length: 60000\r\n", "x".repeat(20_480)));
    const probe = await connect();
    probe.send(get("/"));
    await probe.response();
    await pass(29_000);
    expect(client.received).toBe("");
    await pass(2_000);
    expect((await client.response()).body).toBe("too_slow");
    await client.closed();
  });

  test("runs out for a reader that takes nothing", async () => {
    const client = await (await startClock())();
    client.send(get("/large/30000000"));
    await eventually(() => client.received !== "");
    client.socket.pause();
    await pass(31_000);
    await pass(1_000);
    client.socket.resume();
    await client.closed();
    expect(client.received.length).toBeLessThan(30_000_000);
  });

  test("runs out for a handler where a limit is set", async () => {
    let handled = false;
    const handle = () => {
      handled = true;
      return new Promise<never>(() => {});
    };
    const client = await (await startClock(handle, { handlerMsMax: 5_000 }))();
    client.send(get("/"));
    await eventually(() => handled);
    await pass(5_000);
    await pass(1_000);
    await client.closed();
    expect(client.received).toBe("");
  });
});

describe("stopping", () => {
  test("lets the responses under way arrive, and closes what waits", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let handled = 0;
    const connect = await start(async (request) => {
      handled++;
      if (request.path === "/slow") await promise;
      return { status: 200, headers: {}, body: "done" };
    });
    const [idle, busy] = [await connect(), await connect()];
    idle.send(get("/"));
    await idle.response();
    busy.send(get("/slow") + get("/behind"));
    await eventually(() => handled === 2);
    const stopping = server.listener?.stop(60_000);
    await idle.closed();
    resolve();
    const responded = await busy.response();
    expect(responded.body).toBe("done");
    expect(responded.headers).toContainEqual(["Connection", "close"]);
    await busy.closed();
    busy.leave();
    idle.leave();
    expect(await stopping).toBe(0);
    server.listener = undefined;
  });

  test("breaks off what takes too long, and says how many", async () => {
    let handled = false;
    const client = await open(() => {
      handled = true;
      return new Promise<never>(() => {});
    });
    client.send(get("/"));
    await eventually(() => handled);
    expect(await server.listener?.stop(50)).toBe(1);
    server.listener = undefined;
    await client.closed();
  });
});
