import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "../end-to-end/client.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { fakeClock } from "../fakes/clock.ts";

const clock = fakeClock(Date.UTC(2026, 10, 15));
let running: TestService;
beforeAll(async () => {
  // 6 requests in 3 seconds: one grows back every half second.
  running = await startTestService({ clock, variables: { PETSTORE_RATE_LIMIT: "6/3" } });
});
afterAll(() => running.stop());

const newClient = async () => new Client(running.base, (await running.newKey()).token);

describe("rate limits", () => {
  test("the quota can be spent at once, counts down, and is told on every answer", async () => {
    const client = await newClient();
    const told: (string | null)[] = [];
    for (const path of ["/pets", "/pets/99", "/nothing", "/pets?limit=0", "/pets", "/pets"]) {
      const { headers } = await client.get(path);
      expect(headers.get("ratelimit-policy")).toBe('"default";q=6;w=3');
      told.push(headers.get("ratelimit"));
    }
    expect(told).toEqual(
      [5, 4, 3, 2, 1, 0].map((r) => `"default";r=${r};t=${Math.ceil((6 - r) / 2)}`),
    );
    const refused = await client.get("/pets");
    expect(refused.body).toEqual({
      code: "rate_limited",
      message: "This API key has used up its quota of requests. Try again in 1 second.",
      status: 429,
    });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("ratelimit")).toBe('"default";r=0;t=3');
  });

  test("it grows back evenly, and a refused request costs nothing", async () => {
    const client = await newClient();
    for (let n = 0; n < 6; n++) await client.get("/pets");
    for (let n = 0; n < 5; n++) expect((await client.get("/pets")).status).toBe(429);
    clock.advance(499);
    expect((await client.get("/pets")).status).toBe(429);
    clock.advance(1);
    expect((await client.get("/pets")).status).toBe(200);
    expect((await client.get("/pets")).status).toBe(429);
    clock.advance(60_000);
    expect((await client.get("/pets")).headers.get("ratelimit")).toBe('"default";r=5;t=1');
  });

  test("each key has its own", async () => {
    const [one, two] = [await newClient(), await newClient()];
    for (let n = 0; n < 7; n++) await one.get("/pets");
    expect((await one.get("/pets")).status).toBe(429);
    expect((await two.get("/pets")).status).toBe(200);
  });

  test("a 304 costs no quota", async () => {
    const client = await newClient();
    const etag = (await client.get("/pets")).headers.get("etag") ?? "";
    for (let n = 0; n < 20; n++) {
      const seen = await client.get("/pets", { headers: { "if-none-match": etag } });
      expect([seen.status, seen.headers.get("ratelimit")]).toEqual([304, '"default";r=5;t=1']);
    }
    expect((await client.get("/pets")).headers.get("ratelimit")).toBe('"default";r=4;t=1');
  });

  test("a 304 for * costs no quota either", async () => {
    const client = await newClient();
    for (let n = 0; n < 20; n++) {
      const seen = await client.get("/pets", { headers: { "if-none-match": "*" } });
      expect([seen.status, seen.headers.get("ratelimit")]).toEqual([304, '"default";r=6;t=0']);
    }
  });

  test("a write that is refused for its quota does nothing", async () => {
    const client = await newClient();
    for (let n = 0; n < 6; n++) await client.get("/pets");
    expect((await client.post("/pets", { name: "Late", categoryId: 1 })).status).toBe(429);
    clock.advance(3000);
    expect((await client.get("/pets")).text).not.toContain("Late");
  });

  test("without a setting there is no limit and no field", async () => {
    const free = await startTestService();
    try {
      const { headers } = await free.client.get("/pets");
      expect([headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([null, null]);
    } finally {
      await free.stop();
    }
  });
});
