import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Problem } from "../../src/core/problems.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { faultyStores } from "../../testkit/faultyStores.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("a store that fails", (engine) => {
  const clock = fakeClock(Date.UTC(2026, 10, 15));
  let stores: ReturnType<typeof faultyStores>;
  let running: TestService;

  beforeAll(async () => {
    running = await startTestService({
      engine,
      clock,
      async openStores(_options, usual) {
        stores = faultyStores(await usual());
        return stores;
      },
    });
  });
  beforeEach(() => {
    stores.fault = undefined;
  });
  afterAll(() => running.stop());

  const calls = {
    listPets: () => running.client.get("/pets"),
    getPet: () => running.client.get("/pets/1"),
    createPet: () => running.client.post("/pets", { name: "A", categoryId: 1 }),
  };

  for (const [operation, call] of Object.entries(calls)) {
    describe(`${operation} when the store fails`, () => {
      test("an unknown fault is 500 with nothing of it leaked, and is logged with its cause", async () => {
        stores.fault = new Error("secret table exploded", { cause: new Error("root of it") });
        const seen = await call();
        expect(seen.body).toEqual({
          code: "internal",
          message: "The service failed. Try again. If the error persists, report the X-Request-Id.",
          status: 500,
        });
        const id = seen.headers.get("x-request-id") ?? "none";
        const line = running
          .logged()
          .split("\n")
          .find((text) => text.includes(id) && text.includes("request.failed"));
        expect(JSON.parse(line ?? "{}")).toMatchObject({ level: "error", operation });
        expect(line).toContain("secret table exploded");
        expect(line).toContain("root of it");
      });

      test("what is thrown without being an error is 500 too", async () => {
        stores.fault = "a string";
        expect((await call()).status).toBe(500);
      });

      test("an unreachable store is 503 with Retry-After, and service returns by itself", async () => {
        stores.fault = new Problem("store_unavailable", { cause: new Error("disk full") });
        const seen = await call();
        expect(seen.body).toMatchObject({ code: "store_unavailable", status: 503 });
        expect(seen.headers.get("retry-after")).toBe("2");
        expect(seen.headers.get("cache-control")).toBe("no-store");
        expect(seen.text).not.toContain("disk full");
        stores.fault = undefined;
        expect((await call()).status).toBeLessThan(500);
      });
    });
  }

  describe("health", () => {
    const status = async (path: string) => (await fetch(running.origin + path)).status;

    test("/healthz answers as long as the process lives, /readyz while the store works", async () => {
      expect([await status("/healthz"), await status("/readyz")]).toEqual([200, 200]);
      stores.fault = new Problem("store_unavailable");
      clock.advance(1000);
      expect([await status("/healthz"), await status("/readyz")]).toEqual([200, 503]);
      stores.fault = undefined;
      clock.advance(1000);
      expect(await status("/readyz")).toBe(200);
    });

    test("/readyz bothers the store at most once a second, however often it is asked", async () => {
      clock.advance(1000);
      expect(await status("/readyz")).toBe(200);
      stores.fault = new Error("asked again");
      clock.advance(999);
      expect(await status("/readyz")).toBe(200);
      clock.advance(1);
      expect(await status("/readyz")).toBe(503);
    });
  });
});
