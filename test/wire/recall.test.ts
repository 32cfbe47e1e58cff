/** Responses that are given again for the same bytes. */
import { expect, test } from "bun:test";
import { systemClock } from "../../src/clock.ts";
import { listen } from "../../src/wire/listener.ts";
import { PreparedResponse } from "../../src/wire/preparedResponse.ts";
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

test("requests are recalled by all their bytes, and only those that can be repeated", async () => {
  const texts: (string | undefined)[] = [];
  const recalled = new Map<string, PreparedResponse>();
  const listener = await listen(
    { host: "127.0.0.1", port: 0 },
    {
      recall: (text) => recalled.get(text),
      async handle(request) {
        texts.push(request.text);
        const response = { status: 200, headers: {}, body: `handled ${request.path}` };
        if (request.text !== undefined) {
          const again = { ...response, body: `recalled ${request.path}` };
          recalled.set(request.text, new PreparedResponse(again, systemClock.now()));
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
    "recalled /1",
    "handled /2",
    "recalled /1",
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
