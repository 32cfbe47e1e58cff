/** Messages that can be framed, on raw sockets. */
import { describe, expect, test } from "bun:test";
import { bodyBytesMax, get, host, open, post, server, start, useWireServer } from "./wireServer.ts";

useWireServer();

describe("a message that can be framed", () => {
  for (const method of ["FOO", "get", "BREW", "QUERY", "PROPFIND", "M-SEARCH"]) {
    test(`is passed on with the method ${method}, and the connection goes on`, async () => {
      const client = await open();
      client.send(`${method} /x HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nabc${get("/next")}`);
      expect((await client.response()).body).toBe(`${method} /x abc`);
      expect((await client.response()).body).toBe("GET /next");
    });
  }

  test("keeps its target as it was sent", async () => {
    const client = await open();
    for (const target of ["/v1/..\\internal/x", "/v1/../internal/x", "/%2e%2e/%2F//a?b=%00&c?"]) {
      client.send(get(target));
      expect((await client.response()).body).toBe(`GET ${target}`);
    }
  });

  test("with a body over the limit is answered, and so is the next one", async () => {
    const client = await open();
    for (const bytes of [bodyBytesMax + 1, 3_000_000]) {
      client.send(post("/", `Content-Length: ${bytes}\r\n`, "x".repeat(bytes)));
      expect(await client.response()).toMatchObject({ status: 413, body: "too_large" });
      const size = (bytes / 2).toString(16).split(".")[0];
      const chunk = `${size}\r\n${"x".repeat(Math.floor(bytes / 2))}\r\n`;
      client.send(
        post(
          "/",
          "Transfer-Encoding: chunked\r\n",
          `${chunk}${chunk}10\r\n${"x".repeat(16)}\r\n0\r\n\r\n`,
        ),
      );
      expect(await client.response()).toMatchObject({ status: 413, body: "too_large" });
    }
    client.send(get("/next"));
    expect((await client.response()).body).toBe("GET /next");
  });

  test("with a body that nobody asked for is answered, and so is the next one", async () => {
    const client = await open();
    client.send(post("/refused", "Content-Length: 200000\r\n", "x".repeat(100)));
    expect((await client.response()).status).toBe(401);
    client.send("x".repeat(199_900) + get("/next"));
    expect((await client.response()).body).toBe("GET /next");
  });

  test("may be chunked, with extensions and trailers", async () => {
    const client = await open();
    const body = "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nX-Checksum: 1\r\nHost: b.example\r\n\r\n";
    client.send(
      post("/", "Transfer-Encoding: chunked\r\nTrailer: X-Checksum\r\n", body) + get("/2"),
    );
    expect((await client.response()).body).toBe("POST / abcde");
    expect((await client.response()).body).toBe("GET /2");
  });

  test("may follow another one, or empty lines", async () => {
    const client = await open();
    const one = post("/1", "Content-Length: 3\r\n", "abc");
    client.send(`\r\n\r\n${one}${get("/2")}${one}\r\n${get("/3")}`);
    const bodies = [];
    for (let n = 0; n < 4; n++) bodies.push((await client.response()).body);
    expect(bodies).toEqual(["POST /1 abc", "GET /2", "POST /1 abc", "GET /3"]);
  });

  test("is read the same however its bytes arrive", async () => {
    const chunked = "3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n";
    const text = `\r\n${post("/a?b", "Transfer-Encoding: chunked\r\n", chunked)}BREW /c HTTP/1.1\r\n${host}\r\n`;
    const connect = await start();
    for (let at = 1; at < text.length; at++) {
      const client = await connect();
      client.socket.setNoDelay(true);
      client.send(text.slice(0, at));
      await new Promise(setImmediate);
      client.send(text.slice(at));
      expect([(await client.response()).body, (await client.response()).body]).toEqual([
        "POST /a?b abc",
        "BREW /c",
      ]);
      client.leave();
    }
    const slow = await connect();
    for (const character of text) {
      slow.send(character);
      await new Promise(setImmediate);
    }
    expect((await slow.response()).body).toBe("POST /a?b abc");
    expect((await slow.response()).body).toBe("BREW /c");
  });

  test("is answered in its turn, with hundreds of others and large responses", async () => {
    const client = await open();
    const count = 500;
    client.socket.pause();
    client.send(Array.from({ length: count }, (_, n) => get(`/large/${10_000 + n}`)).join(""));
    await new Promise(setImmediate);
    client.socket.resume();
    for (let n = 0; n < count; n++) {
      expect((await client.response()).body.length).toBe(10_000 + n);
    }
  });

  test("of HTTP/1.0 is answered, and the connection kept only when asked for", async () => {
    const connect = await start();
    const kept = await connect();
    kept.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\n\r\n");
    expect((await kept.response()).headers).toContainEqual(["Connection", "keep-alive"]);
    expect((await kept.response()).headers).toContainEqual(["Connection", "close"]);
    await kept.closed();
  });

  // llhttp recognised the option before a space alone, up to what Node.js 20 has of it.
  test.each(["", " ", "\t", " \t "])(
    "may ask to close the connection, with %j behind",
    async (blank) => {
      const client = await open();
      client.send(`GET / HTTP/1.1\r\n${host}Connection: close${blank}\r\n\r\n${get("/never")}`);
      expect((await client.response()).headers).toContainEqual(["Connection", "close"]);
      await client.closed();
      expect(client.received).toBe("");
    },
  );

  test("may ask for an upgrade, which is ignored", async () => {
    const client = await open();
    const upgrade =
      "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n";
    client.send(`GET /1 HTTP/1.1\r\n${host}${upgrade}\r\n${get("/2")}`);
    expect((await client.response()).body).toBe("GET /1");
    expect((await client.response()).body).toBe("GET /2");
  });

  test("is answered to a client that sends nothing more and reads late", async () => {
    const connect = await start();
    const client = await connect();
    client.socket.pause();
    client.socket.end(get("/large/300000"));
    // The other client comes later, so the first response was handed over when it has its own.
    const other = await connect();
    for (let n = 0; n < 3; n++) {
      other.send(get("/"));
      await other.response();
    }
    client.socket.resume();
    expect((await client.response()).body.length).toBe(300_000);
    await client.closed();
  });

  test("is answered to a client that sends nothing more", async () => {
    const client = await open();
    client.send(get("/1") + get("/2"));
    client.socket.end();
    expect((await client.response()).body).toBe("GET /1");
    expect((await client.response()).body).toBe("GET /2");
    await client.closed();
  });
});

describe("100 Continue", () => {
  const expecting = (path: string, bytes: number) =>
    post(path, `Content-Length: ${bytes}\r\nExpect: 100-continue\r\n`);

  test("is sent when the body is wanted", async () => {
    const client = await open();
    client.send(expecting("/", 3));
    expect((await client.response()).status).toBe(100);
    client.send("abc");
    expect((await client.response()).body).toBe("POST / abc");
    client.send(get("/next"));
    expect((await client.response()).body).toBe("GET /next");
  });

  test("is not sent when it is not, and the connection closes", async () => {
    for (const [text, status] of [
      [expecting("/refused", 3), 401],
      [expecting("/", bodyBytesMax + 1), 413],
    ] as const) {
      const client = await open();
      client.send(text);
      const { headers, ...seen } = await client.response();
      expect(seen.status).toBe(status);
      expect(headers).toContainEqual(["Connection", "close"]);
      await client.closed();
      await server.listener?.stop(0);
    }
  });

  test("is not sent when the body is here already", async () => {
    const client = await open();
    client.send(`${expecting("/", 3)}abc`);
    expect((await client.response()).body).toBe("POST / abc");
  });
});
