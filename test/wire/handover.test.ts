/** How connections pass from one process to the next on the same listening sockets. */
import { afterEach, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { type Listener, listen } from "../../src/wire/listener.ts";
import { closeSocket, duplicate, openListeningSockets } from "../../src/wire/listeningSockets.ts";
import { hangMs } from "../../testkit/timeouts.ts";
import { RawClient } from "./rawClient.ts";
import { echo, get, server, start, useWireServer } from "./wireServer.ts";

useWireServer();

const held: number[] = [];
const others: Listener[] = [];
afterEach(async () => {
  for (const each of others.splice(0)) await each.stop(0);
  for (const socket of held.splice(0)) closeSocket(socket);
});

const address = { host: "127.0.0.1", port: 0 };
const refuse = () => ({ status: 500, headers: {} });

function openHeld(count: number) {
  const opened = openListeningSockets(address, count);
  held.push(...opened.sockets);
  return opened;
}

/** As another process would have it: with a descriptor of its own. */
async function acceptOn(port: number, sockets: readonly number[], name: string): Promise<Listener> {
  const handler = {
    handle: () => ({ status: 200, headers: {}, body: name }),
    failed: refuse,
    refuse,
  };
  const at = { host: address.host, port, sockets: sockets.map(duplicate) };
  const listener = await listen(at, handler, systemClock);
  others.push(listener);
  return listener;
}

async function answerer(port: number): Promise<string> {
  const client = await RawClient.open(port);
  client.send(get("/"));
  const { body } = await client.response();
  client.leave();
  return body;
}

test("an idle connection gets its next response, which tells the client to connect anew", async () => {
  const client = await (await start(echo))();
  client.send(get("/1"));
  expect((await client.response()).headers.map(([name]) => name)).not.toContain("Connection");
  const stopped = server.listener?.stop(hangMs, hangMs);
  client.send(get("/2"));
  const last = await client.response();
  expect(last.body).toBe("GET /2");
  expect(last.headers).toContainEqual(["Connection", "close"]);
  await client.closed();
  client.leave();
  expect(await stopped).toBe(0);
});

test("one that stays idle is closed when its time is over", async () => {
  const client = await (await start(echo))();
  client.send(get("/1"));
  await client.response();
  const stopped = server.listener?.stop(hangMs, 50);
  await client.closed();
  client.leave();
  expect(await stopped).toBe(0);
});

test("a connection that waits when a process stops is accepted by the next one", async () => {
  const { port, sockets } = openHeld(1);
  const first = await acceptOn(port, sockets, "first");
  expect(await answerer(port)).toBe("first");
  await first.stop(0);
  const waiting = answerer(port);
  await acceptOn(port, sockets, "second");
  expect(await waiting).toBe("second");
});

test("each of several sockets gets connections, and all of them can be accepted by one process", async () => {
  const { port, sockets } = openHeld(2);
  const [one, other] = sockets as [number, number];
  const first = await acceptOn(port, [one], "first");
  const second = await acceptOn(port, [other], "second");
  const seen = await Promise.all(Array.from({ length: 64 }, () => answerer(port)));
  expect([...new Set(seen)].sort()).toEqual(["first", "second"]);

  // It crashed, and the other one is told to stand in for it.
  await first.stop(0);
  await second.accept(duplicate(one));
  const after = await Promise.all(Array.from({ length: 64 }, () => answerer(port)));
  expect([...new Set(after)]).toEqual(["second"]);
});

test("a second service cannot share the port, however many sockets it has", () => {
  const { port } = openHeld(2);
  for (const count of [1, 2]) {
    expect(() => openListeningSockets({ ...address, port }, count)).toThrow(
      expect.objectContaining({ code: "EADDRINUSE" }),
    );
  }
});
