import { afterEach, beforeEach, expect, test } from "bun:test";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { systemClock } from "../../src/core/clock.ts";
import {
  type Backend,
  type FrontDoor,
  openFrontDoor,
} from "../../src/serve/environments/frontDoor.ts";
import { eventually } from "../../testkit/eventually.ts";

const request = "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n";
const response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
let server: Server;
let backend: Backend | undefined;
/** Of another host. */
let other: Backend;
let door: FrontDoor;
let accepted: Socket[];
/** What the backend does once it has received the request. */
let answer: (socket: Socket) => void;
let events: string[];

beforeEach(async () => {
  accepted = [];
  events = [];
  answer = (socket) => void socket.end(response);
  server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket);
    socket.on("error", () => {});
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (received.endsWith(request)) answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  backend = { httpPort: port, httpsPort: port };
  other = { ...backend };
  door = await openDoor(1);
});

function openDoor(connectionsMax: number): Promise<FrontDoor> {
  const note = (event: string) => void events.push(event);
  return openFrontDoor({
    host: "127.0.0.1",
    httpPort: 0,
    httpsPort: 0,
    backendFor: (host) => (host === "api.example.com" ? backend : other),
    clock: systemClock,
    log: { info: note, warn: note, error: note, writes: () => true, flush: () => {} },
    limits: { connectionsMax, endMsMax: 100 },
  });
}

afterEach(() => {
  door.stop();
  server.close();
  for (const socket of accepted) socket.destroy();
});

class Visitor {
  readonly socket: Socket;
  seen = "";
  closed = false;

  get dismissed(): boolean {
    return this.closed || this.socket.readableEnded;
  }

  constructor() {
    this.socket = connect({ port: door.httpPort, host: "127.0.0.1", allowHalfOpen: true });
    this.socket.on("error", () => {});
    this.socket.on("data", (chunk) => {
      this.seen += chunk.toString("latin1");
    });
    this.socket.on("close", () => {
      this.closed = true;
    });
  }
}

/** All that a usual client gets. */
async function ask(): Promise<string> {
  const visitor = new Visitor();
  visitor.socket.write(request);
  await eventually(() => visitor.dismissed);
  visitor.socket.end();
  await eventually(() => visitor.closed);
  return visitor.seen;
}

/** Whether there is room for one more. */
const isServed = async () => (await ask()) !== "";

test("a client that has sent all it wants to still gets its response", async () => {
  answer = (socket) => void systemClock.after(50, () => socket.end(response));
  const visitor = new Visitor();
  visitor.socket.end(request);
  await eventually(() => visitor.closed);
  expect(visitor.seen).toBe(response);
});

test("a client that keeps its side open after the response does not hold its place", async () => {
  answer = (socket) => {
    socket.end(response);
    // As the edge does, which waits no longer than a few seconds.
    socket.once("finish", () => socket.destroy());
  };
  const visitor = new Visitor();
  visitor.socket.write(request);
  await eventually(() => visitor.socket.readableEnded);
  expect(visitor.seen).toBe(response);
  await eventually(isServed);
  visitor.socket.destroy();
});

test("requests for an environment that does not run do not hold their places", async () => {
  const running = backend;
  backend = undefined;
  const visitor = new Visitor();
  visitor.socket.write(request);
  await eventually(() => visitor.socket.readableEnded);
  expect(visitor.seen).toStartWith("HTTP/1.1 503 ");
  backend = running;
  await eventually(isServed);
  visitor.socket.destroy();
});

test("connections that are reset say nothing of an environment, and are not logged", async () => {
  answer = (socket) => void socket.resetAndDestroy();
  await eventually(async () => (await ask()) === "" && accepted.length >= 3);
  expect(events).toEqual([]);
});

test("an environment that takes no connections is logged once, and its clients are told", async () => {
  await new Promise((resolve) => server.close(resolve));
  for (let round = 0; round < 3; round++) expect(await ask()).toStartWith("HTTP/1.1 503 ");
  expect(events).toEqual(["environment.lost"]);
});

test("one environment cannot take the places of all", async () => {
  door.stop();
  door = await openDoor(4);
  answer = () => {};
  const crowd = Array.from({ length: 8 }, () => new Visitor());
  for (const { socket } of crowd) socket.write(request);
  await eventually(() => crowd.filter(({ dismissed }) => dismissed).length === 5);
  const visitor = new Visitor();
  visitor.socket.write(request.replace("api.", "api.staging."));
  await eventually(() => accepted.length === 4);
  for (const { socket } of [visitor, ...crowd]) socket.destroy();
});
