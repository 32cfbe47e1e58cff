import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { connect } from "node:tls";
import { hostInHttp, hostInTls } from "../../src/serve/environments/namedHost.ts";
import { SeededRandom } from "../../testkit/seededRandom.ts";

/** What a real client sends first. */
function clientHello(servername: string | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.once("data", (bytes: Buffer) => {
        resolve(bytes);
        socket.destroy();
        server.close();
      });
    });
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      const client = connect({ host: "127.0.0.1", port, ...(servername ? { servername } : {}) });
      client.on("error", () => {});
      server.once("error", reject);
    });
  });
}

test("the server name of a handshake is found, however the bytes arrive", async () => {
  const hello = await clientHello("API.example.com");
  expect(hostInTls(hello)).toEqual({ kind: "named", host: "api.example.com" });
  for (let length = 0; length < hello.byteLength; length++) {
    expect(hostInTls(hello.subarray(0, length))).toEqual({ kind: "incomplete" });
  }
});

test("a handshake spread over several records is read as one", async () => {
  const hello = await clientHello("api.example.com");
  const message = hello.subarray(5);
  const record = (part: Buffer) =>
    Buffer.concat([Buffer.from([22, 3, 1, part.byteLength >> 8, part.byteLength & 0xff]), part]);
  const split = Buffer.concat([record(message.subarray(0, 3)), record(message.subarray(3))]);
  expect(hostInTls(split)).toEqual({ kind: "named", host: "api.example.com" });
});

test("no name is found where there is none, or other bytes", async () => {
  expect(hostInTls(await clientHello(undefined))).toEqual({ kind: "none" });
  expect(hostInTls(Buffer.from("GET / HTTP/1.1\r\n\r\n"))).toEqual({ kind: "none" });
});

test("mutated handshakes are answered for too", async () => {
  const hello = await clientHello("api.example.com");
  const random = new SeededRandom(7);
  for (let round = 0; round < 20_000; round++) {
    const mutated = Buffer.from(hello);
    for (let at = 0; at < 4; at++)
      mutated[random.between(0, mutated.byteLength)] = random.between(0, 256);
    expect(["named", "none", "incomplete"]).toContain(hostInTls(mutated).kind);
  }
});

test("the host of a request is found in its head", () => {
  const request = "GET /a HTTP/1.1\r\nAccept: */*\r\nHOST: \tDocs.Acme.com:80 \r\n\r\nbody";
  expect(hostInHttp(Buffer.from(request))).toEqual({ kind: "named", host: "docs.acme.com" });
  for (const [text, kind] of [
    ["GET / HT", "incomplete"],
    ["GET / HTTP/1.1\r\nHost: docs.ac", "incomplete"],
    ["GET / HTTP/1.0\r\n\r\nHost: docs.acme.com\r\n", "none"],
    ["GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "none"],
  ] as const) {
    expect(hostInHttp(Buffer.from(text)).kind).toBe(kind);
  }
});
