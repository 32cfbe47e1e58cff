/** Responses that are given again for the same bytes. */
import { expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { Connections } from "../../src/wire/connections.ts";
import { Http1Connection } from "../../src/wire/http1.ts";
import { wireLimits } from "../../src/wire/limits.ts";
import { listen } from "../../src/wire/listener.ts";
import type { HttpHandler } from "../../src/wire/message.ts";
import { PreparedResponse } from "../../src/wire/response.ts";
import type { Transport } from "../../src/wire/transport.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { RawClient } from "./rawClient.ts";
import { get, host } from "./wireServer.ts";

test("a prepared response changes nothing but its date", () => {
  const nowMs = Date.UTC(2030, 0, 1, 12);
  const response = { status: 200, headers: { etag: '"1"' }, body: "é" };
  const prepared = new PreparedResponse(response, nowMs);
  const first = prepared.at(nowMs).toString();
  expect(first).toBe(
    'HTTP/1.1 200 OK\r\nDate: Tue, 01 Jan 2030 12:00:00 GMT\r\nETag: "1"\r\nContent-Length: 2\r\n\r\né',
  );
  expect(prepared.at(nowMs + 1_000).toString()).toBe(first.replace("12:00:00", "12:00:01"));
});

test("a prepared response is read back as what it was made from", () => {
  const headers = { "content-type": "application/json", etag: '"1: 2"', link: '</a>; rel="next"' };
  const response = { status: 200, headers, body: '{"name":"é\\r\\n\\r\\n"}\r\n\r\n' };
  expect(new PreparedResponse(response, 0).parsed()).toEqual(response);
});

test("a prepared response takes bytes as they are, whatever they would be as text", () => {
  const body = Uint8Array.from({ length: 256 }, (_, at) => at);
  const bytes = new PreparedResponse({ status: 200, headers: {}, body }, 0).at(0);
  expect(bytes.toString("latin1")).toContain("\r\nContent-Length: 256\r\n\r\n");
  expect(bytes.subarray(-256).equals(body)).toBe(true);
});

test("requests are recognised by all their bytes, and only those that can be repeated", async () => {
  const texts: (string | undefined)[] = [];
  const cached = new Map<string, PreparedResponse>();
  const listener = await listen(
    { host: "127.0.0.1", port: 0 },
    {
      cached: (text) => cached.get(text),
      async handle(request) {
        texts.push(request.text);
        const response = { status: 200, headers: {}, body: `handled ${request.path}` };
        if (request.text !== undefined) {
          const again = { ...response, body: `cached ${request.path}` };
          cached.set(request.text, new PreparedResponse(again, systemClock.now()));
        }
        return response;
      },
      failed: () => ({ status: 500, headers: {} }),
      refuse: () => ({ status: 400, headers: {} }),
    },
    systemClock,
  );
  const client = await RawClient.open(listener.port);
  const say = async (text: string) => {
    client.send(text);
    return (await client.response()).body;
  };
  const one = get("/1");
  expect([await say(one), await say(one), await say(get("/2")), await say(one)]).toEqual([
    "handled /1",
    "cached /1",
    "handled /2",
    "cached /1",
  ]);
  // Two at once are two messages.
  client.send(one + one);
  expect([(await client.response()).body, (await client.response()).body]).toEqual([
    "handled /1",
    "handled /1",
  ]);
  const seen = texts.length;
  expect(await say(`POST /3 HTTP/1.1\r\n${host}Content-Length: 1\r\n\r\nx`)).toBe("handled /3");
  expect(await say(`GET /4 HTTP/1.1\r\n${host}X: ${"y".repeat(3_000)}\r\n\r\n`)).toBe("handled /4");
  expect(await say(`GET /5 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)).toBe("handled /5");
  expect(texts.slice(seen)).toEqual([undefined, undefined, undefined]);
  await client.closed();
  client.leave();
  await listener.stop(0);
});

/** A connection that is fed by hand, so that a test decides which bytes arrive together. */
function fedConnection() {
  const texts: (string | undefined)[] = [];
  const handler: HttpHandler = {
    handle(request) {
      texts.push(request.text);
      return { status: 200, headers: {} };
    },
    failed: () => ({ status: 500, headers: {} }),
    refuse: () => ({ status: 400, headers: {} }),
  };
  const nothing = () => {};
  const transport: Transport = {
    peer: undefined,
    scheme: "http",
    write: () => true,
    writeText: () => true,
    end: nothing,
    destroy: nothing,
    pause: nothing,
    resume: nothing,
  };
  const connections = new Connections(fakeClock(0), wireLimits);
  const connection = new Http1Connection(transport, connections, handler);
  return {
    texts,
    feed(...chunks: string[]): void {
      for (const text of chunks) connection.receive(Buffer.from(text, "latin1"));
    },
  };
}

test("no part of a request stands for all of it", () => {
  const request = get("/1");
  const whole = fedConnection();
  whole.feed(request);
  expect(whole.texts).toEqual([request]);
  for (let at = 1; at < request.length; at++) {
    const { texts, feed } = fedConnection();
    feed(request.slice(0, at), request.slice(at));
    expect([at, texts]).toEqual([at, [undefined]]);
  }
  const behindLines = fedConnection();
  behindLines.feed(`\r\n${request}`);
  expect(behindLines.texts).toEqual([undefined]);
});

test("a head whose body is still to come is not a whole request", () => {
  const { texts, feed } = fedConnection();
  feed(`GET / HTTP/1.1\r\n${host}Content-Length: 1\r\n\r\n`, "x");
  feed(`GET / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`, "0\r\n\r\n");
  expect(texts).toEqual([undefined, undefined]);
});

test("a request that means something else from a trusted proxy is not recalled", () => {
  const connection = fedConnection();
  const request = (header: string) => `GET / HTTP/1.1\r\nHost: a.example\r\n${header}\r\n`;
  const origins = ["Forwarded: host=b", "X-Forwarded-Host: b", "X-Forwarded-Proto: https"];
  origins.push("X-Forwarded-For: 192.0.2.1");
  connection.feed(...origins.map((header) => request(`${header}\r\n`)));
  expect(connection.texts).toEqual([undefined, undefined, undefined, undefined]);
});
