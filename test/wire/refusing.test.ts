/** Messages that cannot be framed, on raw sockets. */
import { describe, expect, test } from "bun:test";
import { get, host, open, post, server, useWireServer } from "./wireServer.ts";

useWireServer();

describe("a message that cannot be framed", () => {
  const long = "y".repeat(17_000);
  const cases: [what: string, text: string, error: string][] = [
    [
      "a length and chunks",
      post("/", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      "malformed",
    ],
    ["two lengths", post("/", "Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"), "malformed"],
    ["a length that is none", post("/", "Content-Length: +3\r\n", "abc"), "malformed"],
    [
      "a chunk size that is none",
      post("/", "Transfer-Encoding: chunked\r\n", "zz\r\n"),
      "malformed",
    ],
    [
      "a coding that is unknown",
      post("/", "Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
      "coding_unsupported",
    ],
    [
      "chunks in HTTP/1.0",
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "malformed",
    ],
    ["a space before a colon", `GET / HTTP/1.1\r\nHost : a\r\n\r\n`, "malformed"],
    ["a folded header", `GET / HTTP/1.1\r\n${host}A: b\r\n c\r\n\r\n`, "malformed"],
    ["bare line feeds", "GET / HTTP/1.1\nHost: a\n\n", "malformed"],
    ["no method", " / HTTP/1.1\r\n\r\n", "malformed"],
    ["a method that is none", "G@T / HTTP/1.1\r\n\r\n", "malformed"],
    ["an endless method", "A".repeat(100), "malformed"],
    [
      "TLS",
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20",
      "malformed",
    ],
    ["two hosts", `GET / HTTP/1.1\r\n${host}${host}\r\n`, "host_invalid"],
    ["no host", "GET / HTTP/1.1\r\n\r\n", "host_invalid"],
    ["a host that is none", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "host_invalid"],
    ["a fragment", `GET /a#b HTTP/1.1\r\n${host}\r\n`, "malformed"],
    ["a long target", `GET /${"y".repeat(8_192)} HTTP/1.1\r\n${host}\r\n`, "target_too_long"],
    ["an endless target", `GET /${long}`, "target_too_long"],
    ["a long header", `GET / HTTP/1.1\r\n${host}A: ${long}\r\n\r\n`, "headers_too_large"],
    ["an endless header name", `GET / HTTP/1.1\r\n${long}`, "headers_too_large"],
    ["many headers", `GET / HTTP/1.1\r\n${host}${"A: b\r\n".repeat(101)}\r\n`, "headers_too_large"],
    ["another version", `GET / HTTP/3.0\r\n${host}\r\n`, "version_unsupported"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "version_unsupported"],
  ];
  for (const [what, text, error] of cases) {
    test(`by ${what} is refused, and the refusal arrives`, async () => {
      const client = await open();
      client.send(text);
      // What a client sends before it reads must not cost it the refusal.
      client.send("z".repeat(1_000_000));
      const responded = await client.response();
      await client.closed();
      expect(responded).toMatchObject({ status: 400, body: error });
      expect(responded.headers).toContainEqual(["Connection", "close"]);
      expect(server.refused).toEqual([error]);
    });
  }

  test("behind one that can is refused after it", async () => {
    const client = await open();
    client.send(`${get("/1")}nonsense\r\n\r\n`);
    expect((await client.response()).body).toBe("GET /1");
    expect((await client.response()).body).toBe("malformed");
    await client.closed();
  });

  test("because of its body is told to the handler that reads it", async () => {
    const client = await open();
    client.send(post("/", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\nzz\r\n"));
    expect(await client.response()).toMatchObject({ status: 400, body: "malformed" });
    await client.closed();
  });

  test("because its chunks are nothing but extensions is cut off", async () => {
    const client = await open();
    client.send(post("/", "Transfer-Encoding: chunked\r\n", `1;${"x".repeat(200_000)}`));
    expect(await client.response()).toMatchObject({ status: 400, body: "malformed" });
    await client.closed();
  });
});
