import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Client } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("conditional requests", (engine) => {
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
    for (let n = 1; n <= 4; n++) {
      await client.post("/pets", {
        name: `Pet ${n}`,
        categoryId: 1,
        status: n === 4 ? "sold" : "available",
      });
    }
    await client.post("/store/orders", { petId: 1 });
  });
  afterAll(() => running.stop());

  const tagOf = async (path: string) => (await client.get(path)).headers.get("etag") ?? "";
  const asking = (path: string, held: string, method = "GET") =>
    client.send(method, path, { headers: { "if-none-match": held } });

  const paths = [
    "/pets",
    "/pets/2",
    "/pets?status=sold",
    "/pets?id=2&id=3",
    "/pets?limit=2",
    "/store/orders",
    "/store/orders/1",
    "/categories",
  ];

  for (const path of paths) {
    test(`${path} has a strong ETag, and 304 without a body for whoever holds it`, async () => {
      const etag = await tagOf(path);
      expect(etag).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
      expect(await tagOf(path)).toBe(etag);
      for (const held of [etag, `W/${etag}`, `"other", ${etag}`, `"a",W/${etag} ,"b"`, "*"]) {
        const seen = await asking(path, held);
        expect([held, seen.status, seen.text]).toEqual([held, 304, ""]);
        expect(seen.headers.get("etag")).toBe(etag);
        expect(seen.headers.get("cache-control")).toBe("private, no-cache");
        expect(seen.headers.get("content-type")).toBeNull();
      }
      expect((await asking(path, etag, "HEAD")).status).toBe(304);
      for (const held of ['"other"', etag.slice(1, -1), `"${etag.slice(1, 5)}"`, ""]) {
        expect([held, (await asking(path, held)).status]).toEqual([held, 200]);
      }
    });
  }

  test("a 304 of a deprecated operation says so too, and one of a page keeps its link", async () => {
    const pet = await asking("/pets/2", await tagOf("/pets/2"));
    expect(pet.headers.get("sunset")).toBe("Thu, 05 Dec 2030 00:00:00 GMT");
    const page = await asking("/pets?limit=2", await tagOf("/pets?limit=2"));
    expect(page.headers.get("link")).toContain('rel="next"');
  });

  test("different answers have different tags", async () => {
    const tags = await Promise.all(paths.map(tagOf));
    expect(new Set(tags).size).toBe(paths.length);
  });

  test("a change changes the tag of what shows it, and of nothing else", async () => {
    const [one, two, all, available] = await Promise.all(
      ["/pets/3", "/pets/2", "/pets", "/pets?status=available"].map(tagOf),
    );
    await client.post("/store/orders", { petId: 3 });
    expect(await tagOf("/pets/3")).not.toBe(one ?? "");
    expect(await tagOf("/pets/2")).toBe(two ?? "");
    expect(await tagOf("/pets")).not.toBe(all ?? "");
    expect(await tagOf("/pets?status=available")).not.toBe(available ?? "");
  });

  test("a full last page that gains a successor is another answer", async () => {
    const count = ((await client.get("/pets?limit=100")).body as unknown[]).length;
    const last = await client.get(`/pets?limit=${count}`);
    expect(last.headers.get("link")).toBeNull();
    await client.post("/pets", { name: "New", categoryId: 1 });
    const seen = await asking(`/pets?limit=${count}`, last.headers.get("etag") ?? "");
    expect([seen.status, seen.text]).toEqual([200, last.text]);
    expect(seen.headers.get("link")).toContain('rel="next"');
  });

  test("writes and refusals have no tag and ignore the condition", async () => {
    const made = await client.post("/pets", { name: "W", categoryId: 1 }, { "if-none-match": "*" });
    expect([made.status, made.headers.get("etag")]).toEqual([201, null]);
    const missing = await asking("/pets/999", "*");
    expect([missing.status, missing.headers.get("etag")]).toEqual([404, null]);
  });
});
