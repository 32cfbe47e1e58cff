import { afterAll, beforeAll, expect, test } from "bun:test";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { Client, type Seen } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("Idempotency-Key", (engine) => {
  const clock = fakeClock(Date.UTC(2026, 10, 15));
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine, clock });
    client = running.client;
  });
  afterAll(() => running.stop());

  const pet = { name: "Once", categoryId: 1 };
  const keyed = (key: string) => ({ "idempotency-key": key });
  const create = (key: string, body: unknown = pet, from = client) =>
    from.post("/pets", body, keyed(key));
  const replayed = (seen: Seen) => seen.headers.get("idempotency-replayed");
  const petCount = async () => ((await client.get("/pets?limit=100")).body as unknown[]).length;

  test("a repetition gets the first answer again and creates nothing", async () => {
    const first = await create("a");
    const before = await petCount();
    const second = await create("a");
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect([replayed(first), replayed(second)]).toEqual([null, "true"]);
    expect(await petCount()).toBe(before);
  });

  test("neither layout nor unknown members make it another request", async () => {
    const first = await create("layout", '{"name":"L","categoryId":100}');
    const again = await create(
      "layout",
      ' { "categoryId" : 1e2, "extra": 1, "status":"available", "name":"L" }',
    );
    expect(again.text).toBe(first.text);
  });

  test("another body is 422 and does nothing", async () => {
    await create("b");
    const before = await petCount();
    for (const body of [
      { ...pet, name: "Other" },
      { ...pet, status: "sold" },
      { ...pet, categoryId: 2 },
    ]) {
      expect((await create("b", body)).body).toMatchObject({
        code: "idempotency_mismatch",
        status: 422,
      });
    }
    expect(await petCount()).toBe(before);
  });

  test("another operation or another order is another request", async () => {
    const { id } = (await create("c")).body as { id: number };
    expect((await client.post("/store/orders", { petId: id }, keyed("c"))).status).toBe(422);
    const order = (await client.post("/store/orders", { petId: id }, keyed("c2"))).body as {
      id: number;
    };
    const approve = (key: string, which = order.id) =>
      client.send("POST", `/store/orders/${which}/approve`, { headers: keyed(key) });
    const first = await approve("c3");
    const second = await approve("c3");
    expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
    expect(replayed(second)).toBe("true");
    expect((await approve("c3", order.id + 1)).status).toBe(422);
    expect(
      (await client.send("POST", `/store/orders/${order.id}/deliver`, { headers: keyed("c3") }))
        .status,
    ).toBe(422);
  });

  test("the same idempotency key of another API key is another one", async () => {
    const other = new Client(running.base, (await running.newKey()).token);
    const first = await create("d");
    const second = await create("d", pet, other);
    expect(second.status).toBe(201);
    expect(second.text).not.toBe(first.text);
    expect(replayed(second)).toBeNull();
  });

  test("a refusal is not remembered: the corrected request goes through", async () => {
    expect((await create("e", { name: "" })).status).toBe(400);
    expect((await create("e")).status).toBe(201);
    const sold = ((await client.post("/pets", { ...pet, status: "sold" })).body as { id: number })
      .id;
    expect((await client.post("/store/orders", { petId: sold }, keyed("e2"))).status).toBe(409);
    expect((await client.post("/store/orders", { petId: 1 }, keyed("e2"))).status).toBe(201);
  });

  test("twenty at once create one: each gets the same pet or is told that it is under way", async () => {
    const before = await petCount();
    const all = await Promise.all(Array.from({ length: 20 }, () => create("race")));
    const made = all.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    for (const seen of all) {
      if (seen.status !== 201) {
        expect(seen.body).toMatchObject({ code: "idempotency_in_flight", status: 409 });
        expect(seen.headers.get("retry-after")).toBe("1");
      }
    }
    expect(all.filter((seen) => seen.status === 409).length).toBeGreaterThan(0);
    expect(await petCount()).toBe(before + 1);
    expect(replayed(await create("race"))).toBe("true");
  });

  test("it is forgotten after 24 hours, not before", async () => {
    const first = await create("f");
    clock.advance(24 * 3_600_000 - 1);
    expect((await create("f")).text).toBe(first.text);
    clock.advance(1);
    const later = await create("f", { ...pet, name: "Later" });
    expect([later.status, replayed(later)]).toEqual([201, null]);
  });

  test("1 to 255 visible ASCII characters are taken, anything else is 400", async () => {
    expect((await create("x".repeat(255))).status).toBe(201);
    expect((await create('"quoted~!"')).status).toBe(201);
    for (const key of ["x".repeat(256), "", "two words", "é", "a, b"]) {
      expect([key, (await create(key)).body]).toMatchObject([key, { code: "parameter_invalid" }]);
    }
  });
});
