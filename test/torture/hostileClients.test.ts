import { afterEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import type { Socket } from "node:net";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { gather } from "../../torture/hostile/idleCrowd.ts";
import { RawClient } from "../../torture/hostile/rawClient.ts";
import { type SlowKind, startSlowClient } from "../../torture/hostile/slowClient.ts";
import { answerText, type NaiveServer, startNaiveServer } from "./naiveServer.ts";

let server: NaiveServer | undefined;
afterEach(() => server?.close());

const request = Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

describe("a client that keeps its connection", () => {
  /** What comes of a request where the server does this as soon as it is there. */
  async function outcomeOf(act: (socket: Socket) => void) {
    server = await startNaiveServer((socket, heard) => {
      if (!heard.endsWith("\r\n\r\n")) return heard;
      act(socket);
      return "";
    });
    const client = new RawClient(server.port);
    const outcome = await client.send(request, "GET");
    client.close();
    return outcome;
  }

  test("has its answer, and asks again on the same connection", async () => {
    const sockets = new Set<Socket>();
    server = await startNaiveServer((socket) => {
      sockets.add(socket);
      socket.write(answerText(200, "hello"));
      return "";
    });
    const client = new RawClient(server.port);
    for (let count = 0; count < 3; count++) {
      const outcome = await client.send(request, "GET");
      expect(outcome.kind === "answered" && outcome.answer.body.toString()).toBe("hello");
    }
    client.close();
    expect(sockets.size).toBe(1);
  });

  test("notices a second answer to one request", async () => {
    const outcome = await outcomeOf((socket) => socket.write(answerText(200).repeat(2)));
    expect(outcome).toEqual({ kind: "garbled", why: "more than one answer" });
  });

  test("notices an answer that is none, and a connection that ends without one", async () => {
    expect((await outcomeOf((socket) => socket.write("hello\r\n\r\n"))).kind).toBe("garbled");
    server?.close();
    expect((await outcomeOf((socket) => socket.end())).kind).toBe("ended");
  });
});

describe("a slow client", () => {
  /** What it complains of once the server has said this, whatever was sent. */
  async function faultAfter(kind: SlowKind, text: string) {
    const said = Promise.withResolvers<Socket>();
    server = await startNaiveServer((socket) => {
      socket.end(text);
      said.resolve(socket);
      return "";
    });
    const client = startSlowClient(kind, { port: server.port, token: "t" }, new SeededRandom(1));
    await once(await said.promise, "close");
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => (client.letGo() ? resolve() : void setImmediate(look));
    look();
    await promise;
    return client.fault();
  }

  test("says nothing of an answer that is right, or of being let go", async () => {
    expect(await faultAfter("slow header", answerText(200))).toBeUndefined();
    server?.close();
    expect(await faultAfter("half a body", "")).toBeUndefined();
  });

  test("complains of a failure, of two answers and of one to half a request", async () => {
    expect(await faultAfter("slow header", answerText(500))).toBe("it answered 500");
    server?.close();
    expect(await faultAfter("slow body", answerText(400).repeat(2))).toBe("2 answers");
    server?.close();
    expect(await faultAfter("half a header", answerText(200))).toBe("it answered 200");
  });
});

describe("a crowd", () => {
  test("comes in whole, is told of what it heard wrongly, and leaves", async () => {
    server = await startNaiveServer((socket) => {
      socket.write(answerText(503));
      return "";
    });
    const crowd = await gather({ port: server.port, token: "t", size: 300 }, new SeededRandom(1));
    expect([crowd.connected, crowd.refused]).toEqual([300, 0]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => (crowd.faults.length > 0 ? resolve() : void setImmediate(look));
    look();
    await promise;
    expect(crowd.faults[0]).toStartWith("HTTP/1.1 503");
    crowd.leave();
  });

  test("knows that it was not let in", async () => {
    server = await startNaiveServer(() => "");
    const { port } = server;
    server.close();
    const crowd = await gather({ port, token: "t", size: 3 }, new SeededRandom(1));
    expect([crowd.connected, crowd.refused]).toEqual([0, 3]);
  });
});
