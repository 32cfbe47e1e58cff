/** A request that differs from the one before it in its target alone is not parsed again. */
import { expect, test } from "bun:test";
import { Connections } from "../../src/wire/connections.ts";
import { Http1Connection } from "../../src/wire/http1.ts";
import { wireLimits } from "../../src/wire/limits.ts";
import { RepeatedHead, RequestHead } from "../../src/wire/requestHead.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";

const rest =
  " HTTP/1.1\r\nHost: Shop.example.com:8080\r\nX-One: a\r\nAuthorization: Bearer token\r\nX-One: b\r\n\r\n";

/** All that a handler and a client see of a connection that receives these chunks. */
function seenOf(...chunks: string[]): string[] {
  const seen: string[] = [];
  const see = (...what: unknown[]) => seen.push(JSON.stringify(what)) > 0;
  const connections = new Connections(fakeClock(0), { ...wireLimits, targetBytesMax: 100 });
  const connection = new Http1Connection(
    {
      peer: "192.0.2.1",
      scheme: "http",
      write: (bytes) => see("sent", Buffer.from(bytes).toString("latin1")),
      writeText: (text) => see("sent", text),
      end: () => void see("end"),
      destroy: () => void see("destroy"),
      pause: () => void see("pause"),
      resume: () => void see("resume"),
    },
    connections,
    {
      handle(request) {
        const { method, path, query, authority, host, text } = request;
        const headers = ["host", "x-one", "authorization", "content-length"].map((name) =>
          request.header(name),
        );
        see(method, path, query, authority, host, text, headers);
        see("body", request.body(10));
        return { status: 200, headers: {}, body: path };
      },
      failed: () => ({ status: 500, headers: {} }),
      refuse: (error) => ({ status: 400, headers: {}, body: error }),
    },
  );
  for (const chunk of chunks) connection.receive(Buffer.from(chunk, "latin1"));
  return seen;
}

const targets = [
  "/",
  "/v1/pets/1",
  "/v1/pets?status=sold&limit=2",
  "/?",
  "//host/..\\x/%2e%2e",
  `/${"a".repeat(99)}`,
  // Refused, or with another meaning than that of a path.
  `/${"a".repeat(100)}`,
  "",
  " /",
  "/ ",
  "/a b",
  "/a\tb",
  "/a#b",
  "/é",
  "/\u0000",
  "/\u007f",
  "*",
  "http://other.example.com/x",
  "/a HTTP/1.1\r\nX-One: c\r\nX:",
  "/a HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
  `/a${rest}GET /b`,
  "/a HTTP/1.0\r\nX: /b",
  "/a\r\n",
  "/a\nX: b",
];

test("what follows on a connection means what it means on a new one", () => {
  const first = seenOf(`GET /first${rest}`);
  for (const target of targets) {
    const request = `GET ${target}${rest}`;
    expect([request, ...seenOf(`GET /first${rest}`, request)]).toEqual([
      request,
      ...first,
      ...seenOf(request),
    ]);
  }
});

test("another method, version or header is read for itself", () => {
  const first = `GET /first${rest}`;
  for (const request of [
    `POST /x${rest}`,
    `get /x${rest}`,
    `GET /x${rest.replace("1.1", "1.0")}`,
    `GET /x${rest.replace("token", "nekot")}`,
    `GET /x${rest.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")}`,
    `GET /x${rest.replace("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\ny")}`,
    `\r\nGET /x${rest}`,
    rest,
    `GET /${rest.slice(3)}`,
  ]) {
    expect(seenOf(first, request, first)).toEqual([...seenOf(first), ...seenOf(request, first)]);
  }
});

test("only the target of a request that is like the one before it is read", () => {
  const head = new RequestHead("GET");
  head.addTarget("/1");
  for (const [name, value] of [
    ["Host", "a"],
    ["X", "y"],
  ] as const) {
    head.addName(name);
    head.addValue(value);
  }
  head.end(11, true);
  expect(head.interpret(wireLimits)).toBeUndefined();
  const repeated = new RepeatedHead(wireLimits);
  expect(repeated.find("GET /1 HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n")).toBeUndefined();
  repeated.remember("GET /1 HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n", head);
  const found = repeated.find("GET /2?q HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n");
  expect(found?.target).toEqual({ authority: "a", path: "/2", query: "?q" });
  expect([found?.method, found?.header("x"), found?.keepAlive]).toEqual(["GET", "y", true]);
  expect(repeated.find("GET /2 HTTP/1.1\r\nHost: b\r\nX: y\r\n\r\n")).toBeUndefined();
});
