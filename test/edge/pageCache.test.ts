import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { cacheMax, PageCache } from "../../src/hosting/edge/pageCache.ts";
import type { EdgeRequest, ServeSite } from "../../src/hosting/edge/requestHandler.ts";
import type { HttpResponse } from "../../src/wire/message.ts";
import { openHttp2, requestHttp2, securedLine } from "./clients.ts";
import { echo, startTestEdge, type TestEdge } from "./testEdge.ts";

const question = "GET / HTTP/1.1\r\nhost: a.example\r\n\r\n";

describe("an edge whose store knows its revision at once", () => {
  let made = 0;
  const serveSite: ServeSite = (request, deployment) => {
    made += 1;
    return echo(request, deployment);
  };
  let edge: TestEdge;
  beforeEach(async () => {
    edge = await startTestEdge({ serveSite });
    edge.view.revisionNow = () => edge.view.revision();
    edge.attach("a.example");
    made = 0;
  });
  afterEach(() => edge.stop(0));

  /** On which the question was asked so often that nothing of it is read any more. */
  async function lineWithCache() {
    const line = await securedLine(edge, "a.example");
    for (let count = 0; count < 3; count++) await line.ask(question);
    return line;
  }

  test("makes a page once, for both versions of HTTP, and logs each request", async () => {
    const line = await securedLine(edge, "a.example");
    const session = await openHttp2(edge, "a.example");
    const first = await line.ask(question);
    const others = [await line.ask(question), await line.ask(question), await line.ask(question)];
    for (const { headers, ...response } of others) {
      expect({ ...response, headers: { ...headers, date: "" } }).toEqual({
        ...{ status: 200, body: "dep_a.example GET /" },
        headers: { ...first.headers, date: "" },
      });
    }
    const { status, body } = await requestHttp2(session, { ":path": "/" });
    expect({ status, body }).toEqual({ status: 200, body: "dep_a.example GET /" });
    expect(made).toBe(1);
    const logged = edge.logged.filter(({ event }) => event === "edge.request_served");
    expect(logged).toHaveLength(5);
    for (const { fields } of logged) {
      const { durationMs, ...request } = fields;
      expect(durationMs).toBeNumber();
      expect(request).toEqual({
        ...{ secured: true, method: "GET", client: "127.0.0.1", host: "a.example" },
        ...{ path: "/", status: 200 },
      });
    }
    line.socket.destroy();
    session.destroy();
  });

  test("shows another deployment from the very next request on, and nothing of a removed host", async () => {
    const line = await lineWithCache();
    const certificate = edge.view.certificates.get("a.example");
    if (certificate === undefined) throw new Error("a.example has a certificate.");
    const route = { kind: "site", project: "p", deployment: "later", primary: undefined } as const;
    edge.view.attach("a.example", route, certificate);
    expect((await line.ask(question)).body).toBe("later GET /");
    edge.view.remove("a.example");
    expect((await line.ask(question)).status).toBe(421);
  });

  test("gives nothing from memory on the connection of another host", async () => {
    edge.attach("b.example");
    const line = await lineWithCache();
    const other = await securedLine(edge, "b.example");
    expect((await other.ask(question)).status).toBe(421);
    line.socket.destroy();
    other.socket.destroy();
  });

  test("answers 503 while the store fails, whatever was cached", async () => {
    const line = await lineWithCache();
    edge.view.failure = new Error("The database is away.");
    expect((await line.ask(question)).status).toBe(503);
    edge.view.failure = undefined;
    expect((await line.ask(question)).status).toBe(200);
    line.socket.destroy();
  });
});

describe("the cache of pages", () => {
  const asked = (
    path: string,
    headers: Record<string, string> = {},
    method = "GET",
  ): EdgeRequest => ({
    ...{ method, host: "a.example", path, query: "", text: `${method} ${path}` },
    header: (name) => headers[name],
  });
  const page: HttpResponse = { status: 200, headers: {}, body: new Uint8Array(10) };

  /** How often each of the requests is made, of two that are the same. */
  async function madeOfTwo(request: EdgeRequest, response = page, revisionNow = () => 1) {
    const cache = new PageCache({ revisionNow });
    let made = 0;
    const make = () => {
      made += 1;
      return response;
    };
    await cache.get(request, make);
    await cache.get(request, make);
    return made;
  }

  test("holds whole pages", async () => {
    expect(await madeOfTwo(asked("/"))).toBe(1);
    expect(await madeOfTwo(asked("/", { "accept-encoding": "br" }))).toBe(1);
  });

  for (const [what, request] of Object.entries({
    "the answer to HEAD": asked("/", {}, "HEAD"),
    "what depends on what the client has": asked("/", { "if-none-match": '"x"' }),
    "a range": asked("/", { range: "bytes=0-1" }),
    "a request of any length": asked(`/${"a".repeat(2_000)}`),
  })) {
    test(`does not hold ${what}`, async () => {
      expect(await madeOfTwo(request)).toBe(2);
    });
  }

  for (const [what, response] of Object.entries({
    "what is not there": { ...page, status: 404 },
    "a redirect": { status: 308, headers: { location: "/x/" }, body: "Elsewhere.\n" },
    "a long body": { ...page, body: new Uint8Array(64 * 1024 + 1) },
  })) {
    test(`does not hold ${what}`, async () => {
      expect(await madeOfTwo(asked("/"), response)).toBe(2);
    });
  }

  test("holds nothing that was made before a change, or during one", async () => {
    let revision = 1;
    expect(await madeOfTwo(asked("/"), page, () => revision++)).toBe(2);
    revision = 1;
    const cache = new PageCache({ revisionNow: () => revision });
    const slow = Promise.withResolvers<HttpResponse>();
    const early = cache.get(asked("/"), () => slow.promise);
    revision = 2;
    await cache.get(asked("/other"), () => page);
    slow.resolve(page);
    await early;
    const later = { ...page };
    expect(await cache.get(asked("/"), () => later)).toBe(later);
  });

  test("tells what clients accept apart", async () => {
    const cache = new PageCache({ revisionNow: () => 1 });
    const small = { ...page };
    await cache.get(asked("/"), () => page);
    expect(await cache.get(asked("/", { "accept-encoding": "br" }), () => small)).toBe(small);
    expect(await cache.get(asked("/"), () => small)).toBe(page);
  });

  test("is bounded in number and in bytes, and what is asked for stays", async () => {
    for (const [count, bytes, headers] of [
      [cacheMax.entries, 10, {}],
      [(4 * cacheMax.weight) / 65_536, 60_000, {}],
      [(4 * cacheMax.weight) / 65_536, 10, { "x-long": "x".repeat(60_000) }],
    ] as const) {
      const cache = new PageCache({ revisionNow: () => 1 });
      const large = { ...page, headers, body: new Uint8Array(bytes) };
      const anew = { ...large };
      for (let at = 0; at < count; at++) {
        await cache.get(asked(`/${at}`), () => large);
        expect(await cache.get(asked("/0"), () => anew)).toBe(large);
      }
      expect(await cache.get(asked("/1"), () => anew)).toBe(anew);
    }
  });

  test("is of no use to a store that would have to be asked", async () => {
    const cache = new PageCache({});
    await cache.get(asked("/"), () => page);
    const anew = { ...page };
    expect(await cache.get(asked("/"), () => anew)).toBe(anew);
  });

  test("finds a page by the text of a request, for its host and as long as nothing changes", async () => {
    let revision = 1;
    const cache = new PageCache({ revisionNow: () => revision });
    const found = (host = "a.example") => cache.findByText("GET /", host, 0);
    await cache.get(asked("/"), () => page);
    expect(found()).toBeUndefined();
    await cache.get(asked("/"), () => page);
    expect(found()).toMatchObject({ path: "/", response: page });
    expect(found()?.prepared).toBeDefined();
    expect(found("b.example")).toBeUndefined();
    revision = 2;
    expect(found()).toBeUndefined();
  });

  test("finds no page by its text while the store fails", async () => {
    let failure: Error | undefined;
    const revisionNow = () => {
      if (failure !== undefined) throw failure;
      return 1;
    };
    const cache = new PageCache({ revisionNow });
    for (let count = 0; count < 2; count++) await cache.get(asked("/"), () => page);
    failure = new Error("The database is away.");
    expect(cache.findByText("GET /", "a.example", 0)).toBeUndefined();
  });

  test("holds texts in bounds, with the pages that they lead to", async () => {
    const cache = new PageCache({ revisionNow: () => 1 });
    const large = { ...page, body: new Uint8Array(60_000) };
    const withText = (text: string): EdgeRequest => ({ ...asked("/"), text });
    await cache.get(asked("/"), () => large);
    const count = (2 * cacheMax.weight) / 65_536;
    for (let at = 0; at < count; at++) await cache.get(withText(`${at}`), () => large);
    expect(cache.findByText("0", "a.example", 0)).toBeUndefined();
    expect(cache.findByText(`${count - 1}`, "a.example", 0)).toBeDefined();
  });
});
