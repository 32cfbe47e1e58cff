import { describe, expect, test } from "bun:test";
import { RecentMap } from "../../src/core/recentMap.ts";
import { type CachedResponse, ResponseCache } from "../../src/http/responseCache.ts";

describe("the room for cached responses", () => {
  const made = {
    revision: 1,
    dependsOn: { first: 1, last: 1 },
    operation: {} as CachedResponse["operation"],
  };
  const add = (cache: ResponseCache, url: string, body: string) =>
    cache.add(url, { status: 200, headers: {}, body }, made);
  const found = (cache: ResponseCache, from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => cache.get(`/${from + n}`)).filter(
      (each) => each !== undefined,
    ).length;

  test("is bounded in number, and what is asked for stays", () => {
    const cache = new ResponseCache();
    add(cache, "/often", "{}");
    for (let n = 0; n < 200_000; n++) {
      add(cache, `/${n}`, "{}");
      if (n % 1_000 === 0) expect(cache.get("/often")).toBeDefined();
    }
    expect(found(cache, 0, 200_000)).toBeLessThanOrEqual(20_480);
    expect(found(cache, 199_000, 200_000)).toBe(1_000);
  });

  test("is bounded in size, also when the same response is added again and again", () => {
    const cache = new ResponseCache();
    const large = "x".repeat(1_000_000);
    for (let n = 0; n < 100; n++) add(cache, "/same", large);
    add(cache, "/small", "{}");
    expect(cache.get("/small")).toBeDefined();
    for (let n = 0; n < 100; n++) add(cache, `/${n}`, large);
    expect(found(cache, 0, 100)).toBeLessThanOrEqual(16);
    expect(cache.get("/small")).toBeUndefined();
  });

  test("is not given to what is asked for once, or by a very long address", () => {
    const cache = new ResponseCache();
    expect([cache.isWorthCaching("/1"), cache.isWorthCaching("/1")]).toEqual([false, true]);
    const long = `/${"1".repeat(600)}`;
    expect([cache.isWorthCaching(long), cache.isWorthCaching(long)]).toEqual([false, false]);
  });

  test("is given back by what is deleted", () => {
    const map = new RecentMap<number>({ entries: 100, weight: 20 });
    for (let n = 0; n < 10; n++) {
      map.set(`/${n}`, n, 9);
      map.delete(`/${n}`);
    }
    map.set("/first", 1, 5);
    map.set("/second", 2, 5);
    map.set("/third", 3, 5);
    expect([map.get("/0"), map.get("/second")]).toEqual([undefined, 2]);
  });
});
