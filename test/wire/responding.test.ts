/** Responses as bytes, and what is held for them. */
import { describe, expect, test } from "bun:test";
import { eventually } from "../../testkit/eventually.ts";
import { echo, get, host, open, post, server, start, useWireServer } from "./wireServer.ts";

useWireServer();

describe("a response", () => {
  test("has a date, a length, and names in their usual case", async () => {
    const client = await open(() => ({
      status: 200,
      headers: {
        "content-type": "text/plain",
        etag: '"1"',
        "x-request-id": "a",
        "set-cookie": "b=1",
      },
      body: "é",
    }));
    client.send(get("/"));
    const { headers } = await client.response();
    expect(headers.map(([name]) => name)).toEqual([
      "Date",
      "Content-Type",
      "ETag",
      "X-Request-Id",
      "Set-Cookie",
      "Content-Length",
    ]);
    expect(headers.at(-1)).toEqual(["Content-Length", "2"]);
    expect(Math.abs(Date.parse(headers[0]?.[1] ?? "") - Date.now())).toBeLessThan(60_000);
  });

  test("to HEAD has the headers of GET and no body; 204 and 304 have no length", async () => {
    const status: Record<string, number> = { "/204": 204, "/304": 304 };
    const client = await open(({ path }) => ({
      status: status[path] ?? 200,
      headers: {},
      body: "abc",
    }));
    client.send(`HEAD / HTTP/1.1\r\n${host}\r\n${get("/204")}${get("/304")}${get("/")}`);
    expect((await client.response({ bodiless: true })).headers).toContainEqual([
      "Content-Length",
      "3",
    ]);
    for (const _ of [204, 304]) {
      const { headers } = await client.response();
      expect(headers.some(([name]) => name === "Content-Length")).toBe(false);
    }
    expect((await client.response()).body).toBe("abc");
  });

  test("that is not given, or cannot be sent, is replaced", async () => {
    const client = await open((request) => {
      if (request.path === "/throws") throw new Error("at once");
      if (request.path === "/rejects") return Promise.reject(new Error("later"));
      return { status: 200, headers: { location: "/a\r\nSet-Cookie: b=1" }, body: "" };
    });
    client.send(get("/throws") + get("/rejects") + get("/splits"));
    expect(await client.statuses(3)).toEqual([500, 500, 500]);
    expect(client.received).not.toContain("Set-Cookie");
    expect(server.failures.map((cause) => (cause as Error).message)).toEqual([
      "at once",
      "later",
      "The response header location is not printable ASCII.",
    ]);
  });

  test("without a known length is sent in chunks, or to the end of the connection", async () => {
    const connect = await start(() => ({ status: 200, headers: {}, body: pieces() }));
    async function* pieces() {
      yield Buffer.from("abc");
      yield Buffer.from("");
      yield Buffer.from("de");
    }
    const client = await connect();
    client.send(get("/") + get("/"));
    await eventually(() => client.received.split("0\r\n\r\n").length === 3);
    expect(client.received).toContain(
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    );
    const old = await connect();
    old.send("GET / HTTP/1.0\r\n\r\n");
    await old.closed();
    expect(old.received).toEndWith("Connection: close\r\n\r\nabcde");
  });

  test("that goes on ends when its reader leaves", async () => {
    let ended = false;
    const client = await open(({ signal }) => {
      async function* forever() {
        try {
          yield Buffer.from("abc");
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        } finally {
          ended = true;
        }
      }
      return { status: 200, headers: {}, body: forever() };
    });
    client.send(get("/"));
    await eventually(() => client.received.includes("abc"));
    client.leave();
    await eventually(() => ended);
  });
});

describe("memory", () => {
  test("for bodies is bounded over all connections", async () => {
    const connect = await start(echo, { heldBodyBytesMax: 150_000 });
    const half = post("/", "Content-Length: 60000\r\n", "x".repeat(59_999));
    const holding = [await connect(), await connect()];
    for (const client of holding) client.send(half);
    const third = await connect();
    third.send(half);
    expect((await third.response()).body).toBe("out_of_memory");
    for (const client of holding) {
      client.send("x");
      expect((await client.response()).status).toBe(200);
    }
    third.send(`x${get("/next")}`);
    expect((await third.response()).body).toBe("GET /next");
  });

  test("for responses is bounded over all connections", async () => {
    const bytes = 30_000_000;
    let handled = 0;
    const large = () => {
      handled++;
      return { status: 200, headers: {}, body: new Uint8Array(bytes) };
    };
    const connect = await start(large, { heldResponseBytesMax: 1.5 * bytes });
    const slow = await connect();
    slow.socket.pause();
    slow.send(get("/"));
    await eventually(() => handled === 1);
    const other = await connect();
    other.send(get("/"));
    expect(await other.response()).toMatchObject({ status: 400, body: "overloaded" });
    expect(server.refused).toEqual(["overloaded"]);
    slow.leave();
  });

  test("for connections is bounded, and a client that was served is not the one that makes room", async () => {
    const connect = await start(echo, { connectionsMax: 3 });
    const served = await connect();
    served.send(get("/"));
    await served.response();
    const silent = await connect();
    await connect();
    const last = await connect();
    await silent.closed();
    for (const client of [served, last]) {
      client.send(get("/"));
      expect((await client.response()).status).toBe(200);
    }
  });

  test("for connections is bounded, and those that wait make room", async () => {
    const connect = await start(echo, { connectionsMax: 3 });
    const first = await connect();
    const others = [await connect(), await connect(), await connect()];
    await first.closed();
    for (const client of others) {
      client.send(get("/"));
      expect((await client.response()).status).toBe(200);
    }
  });
});
