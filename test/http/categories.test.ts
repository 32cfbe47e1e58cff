import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { nextPage } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("categories", (engine) => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService({ engine, variables: { PETSTORE_ENFORCE_CATEGORIES: "on" } });
    for (const [id, name] of [
      [3n, "Dogs"],
      [-2n, "Ghosts"],
      [9223372036854775807n, 'Big "ones"'],
    ] as const) {
      await running.stores.categories.add(name, id);
    }
  });
  afterAll(() => running.stop());

  describe("listCategories", () => {
    test("returns them in the order of their ids, exact", async () => {
      expect((await running.client.get("/categories")).text).toBe(
        '[{"id":-2,"name":"Ghosts"},{"id":3,"name":"Dogs"},{"id":9223372036854775807,"name":"Big \\"ones\\""}]',
      );
    });

    test("pages through them", async () => {
      const { client } = running;
      const ids: unknown[] = [];
      for (let at: string | undefined = "/categories?limit=1"; at !== undefined; ) {
        const seen = await client.get(at);
        ids.push(...(seen.body as { id: unknown }[]).map(({ id }) => id));
        at = nextPage(seen.headers);
      }
      expect(ids).toEqual([-2, 3, 9223372036854775807n]);
      expect((await client.get("/categories?limit=0")).status).toBe(400);
    });
  });

  describe("where categories are enforced", () => {
    test("a pet of an unknown one is refused and not stored", async () => {
      const { client } = running;
      const seen = await client.post("/pets", { name: "Stray", categoryId: 4 });
      expect(seen.body).toEqual({
        code: "body_invalid",
        message: "categoryId must be the id of a category; no category has 4.",
        status: 400,
      });
      expect((await client.get("/pets")).text).toBe("[]");
      expect((await client.post("/pets", { name: "Rex", categoryId: 3 })).status).toBe(201);
    });

    test("elsewhere any int64 will do", async () => {
      const free = await startTestService({ engine });
      try {
        expect((await free.client.post("/pets", { name: "Stray", categoryId: 4 })).status).toBe(
          201,
        );
        expect((await free.client.get("/categories")).text).toBe("[]");
      } finally {
        await free.stop();
      }
    });
  });
});
