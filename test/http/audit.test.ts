/** What requests to the public API leave in the audit log. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { verify } from "../../src/audit/auditLog.ts";
import type { Client } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { allEntries } from "../store/audit.suite.ts";

describeOnEngines("the audit log of the public API", (engine) => {
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
  });
  afterAll(() => running.stop());

  test("names the key, the address and the request of a change", async () => {
    const { stores } = running;
    const before = (await allEntries(stores)).length;
    const { body } = await client.post("/pets", { name: "Bella", categoryId: 3 });
    const { id } = body as { id: number };
    const merge = { "content-type": "application/merge-patch+json" };
    const headers = { ...merge, "user-agent": "till/2", "x-request-id": "req-1" };
    await client.send("PATCH", `/pets/${id}`, { body: { name: "Luna" }, headers });
    await client.send("PATCH", `/pets/${id}`, { body: { status: "lost" }, headers: merge });
    const placed = await client.post("/store/orders", { petId: id, quantity: 1 });
    const order = (placed.body as { id: number }).id;
    await client.send("POST", `/store/orders/${order}/approve`);
    await client.send("POST", `/store/orders/${order}/approve`);
    const category = await client.post("/categories", { name: "dogs" });
    expect(category.status).toBe(201);
    const keys = (await stores.keys.list()).map((key) => `keys/${key.id}`);
    const entries = (await allEntries(stores)).slice(before);
    expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
      ["pet.update", `pets/${id}`],
      ["order.approve", `orders/${order}`],
      ["category.create", `categories/${(category.body as { id: number }).id}`],
    ]);
    for (const { actor, source } of entries) {
      expect(keys).toContain(actor);
      expect(JSON.parse(source).address).toBe("127.0.0.1");
    }
    const [updated, , created] = entries;
    expect(updated).toMatchObject({ requestId: "req-1" });
    expect(JSON.parse(updated?.source ?? "").agent).toBe("till/2");
    expect(created?.requestId).toBe(category.headers.get("x-request-id") ?? "none");
    expect((await verify(stores.audit)).fault).toBeUndefined();
  });

  test("has nothing of creating pets and placing orders", async () => {
    const count = async () => (await allEntries(running.stores)).length;
    const before = await count();
    const created = await client.post("/pets", { name: "Rex", categoryId: 3 });
    const { id } = created.body as { id: number };
    expect((await client.post("/store/orders", { petId: id, quantity: 1 })).status).toBe(201);
    expect(await count()).toBe(before);
    expect(created.headers.get("x-request-id")).toBeNull();
  });
});
