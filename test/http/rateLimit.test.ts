import { afterAll, beforeAll, expect, test } from "bun:test";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { Client } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("rate limits", (engine) => {
  const clock = fakeClock(Date.UTC(2026, 10, 15));
  // PostgreSQL counts by its own clock, for all processes alike, and no test can stop that. There
  // everything takes so much longer that what a test takes itself does not matter.
  const slower = engine.name === "SQLite" ? 1 : 100_000;
  const windowSeconds = 3 * slower;
  const secondsTakenMax = engine.name === "SQLite" ? 0 : 60;
  let running: TestService;
  beforeAll(async () => {
    // 6 requests in 3 seconds: one grows back every half second.
    const variables = { PETSTORE_RATE_LIMIT: `6/${windowSeconds}` };
    running = await startTestService({ engine, clock, variables });
  });
  afterAll(() => running.stop());

  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    if (engine.name === "SQLite") return;
    await running.database.query(
      `UPDATE quota_buckets SET filled_at_ms = filled_at_ms - ${ms * slower}`,
    );
  }

  function expectSeconds(told: string | undefined | null, seconds: number): void {
    expect(told).toMatch(/^\d+$/);
    expect(Number(told)).toBeLessThanOrEqual(seconds);
    expect(Number(told)).toBeGreaterThanOrEqual(Math.max(0, seconds - secondsTakenMax));
  }

  /** So many are left, and it takes half a second for each of the others to grow back. */
  function expectLeft(headers: Headers, left: number): void {
    const field = headers.get("ratelimit") ?? "";
    expect(field).toStartWith(`"default";r=${left};t=`);
    expectSeconds(/;t=(.*)$/.exec(field)?.[1], Math.ceil(((6 - left) / 2) * slower));
  }

  const newClient = async () => new Client(running.base, (await running.newKey()).token);

  test("the quota can be spent at once, counts down, and is told on every answer", async () => {
    const client = await newClient();
    const paths = ["/pets", "/pets/99", "/nothing", "/pets?limit=0", "/pets", "/pets"];
    for (const [index, path] of paths.entries()) {
      const { headers } = await client.get(path);
      expect(headers.get("ratelimit-policy")).toBe(`"default";q=6;w=${windowSeconds}`);
      expectLeft(headers, 5 - index);
    }
    const refused = await client.get("/pets");
    const seconds = refused.headers.get("retry-after");
    expectSeconds(seconds, Math.ceil(slower / 2));
    expect(refused.body).toEqual({
      code: "rate_limited",
      message: `This API key has exceeded its quota of requests. Try again in ${seconds} second${seconds === "1" ? "" : "s"}.`,
      status: 429,
    });
    expectLeft(refused.headers, 0);
  });

  test("it grows back evenly, and a refused request costs nothing", async () => {
    const client = await newClient();
    for (let n = 0; n < 6; n++) await client.get("/pets");
    for (let n = 0; n < 5; n++) expect((await client.get("/pets")).status).toBe(429);
    await pass(499);
    expect((await client.get("/pets")).status).toBe(429);
    await pass(1);
    expect((await client.get("/pets")).status).toBe(200);
    expect((await client.get("/pets")).status).toBe(429);
    await pass(60_000);
    expectLeft((await client.get("/pets")).headers, 5);
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
      expect(seen.status).toBe(304);
      expectLeft(seen.headers, 5);
    }
    expectLeft((await client.get("/pets")).headers, 4);
  });

  test("a 304 for * costs no quota either", async () => {
    const client = await newClient();
    for (let n = 0; n < 20; n++) {
      const seen = await client.get("/pets", { headers: { "if-none-match": "*" } });
      expect(seen.status).toBe(304);
      expectLeft(seen.headers, 6);
    }
  });

  test("a write that is refused for its quota does nothing", async () => {
    const client = await newClient();
    for (let n = 0; n < 6; n++) await client.get("/pets");
    expect((await client.post("/pets", { name: "Late", categoryId: 1 })).status).toBe(429);
    await pass(3000);
    expect((await client.get("/pets")).text).not.toContain("Late");
  });

  test("without a setting there is no limit and no field", async () => {
    const free = await startTestService({ engine });
    try {
      const { headers } = await free.client.get("/pets");
      expect([headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([null, null]);
    } finally {
      await free.stop();
    }
  });
});
