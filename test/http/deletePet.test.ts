import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client, nextPage, type Seen } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("deletePet", (engine) => {
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
  });
  afterAll(() => running.stop());

  const remove = (id: unknown, headers = {}, from = client): Promise<Seen> =>
    from.send("DELETE", `/pets/${id}`, { headers });
  const newPet = async (status = "available") =>
    ((await client.post("/pets", { name: "Bella", categoryId: 3, status })).body as { id: number })
      .id;
  const place = async (petId: number) =>
    ((await client.post("/store/orders", { petId })).body as { id: number }).id;
  const missing = { code: "pet_not_found", message: "No pet has this id.", status: 404 };

  test("answers 204 without a body, and the pet is gone for every reader", async () => {
    const id = await newPet();
    const paths = [`/pets/${id}`, `/pets?id=${id}`, `/pets?id=${id}&status=available`];
    for (const path of [...paths, ...paths, ...paths]) await client.get(path);
    const seen = await remove(id);
    expect([seen.status, seen.text, seen.headers.get("content-type")]).toEqual([204, "", null]);
    expect(seen.headers.get("content-length")).toBeNull();
    expect((await client.get(`/pets/${id}`)).body).toEqual(missing);
    for (const path of paths.slice(1)) expect((await client.get(path)).text).toBe("[]");
    const cancelled = await client.send("PATCH", `/pets/${id}`, {
      body: { name: "x" },
      headers: { "content-type": "application/json" },
    });
    expect(cancelled.body).toEqual(missing);
  });

  test("twice is 404, and of ten at once one succeeds", async () => {
    const id = await newPet();
    const all = await Promise.all(Array.from({ length: 10 }, () => remove(id)));
    expect(all.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(404)]);
    expect((await remove(id)).body).toEqual(missing);
  });

  for (const id of ["999999", "0", "-1", "abc", "01", "9223372036854775808"]) {
    test(`there is no pet ${id}`, async () => {
      expect((await remove(id)).body).toEqual(missing);
    });
  }

  test("the id does not come back, though it was the largest", async () => {
    const id = await newPet();
    await remove(id);
    expect(await newPet()).toBe(id + 1);
  });

  test("an open order keeps the pet; once it ends the pet can go, and the order stays", async () => {
    for (const ending of [["cancel"], ["approve", "deliver"]]) {
      const id = await newPet();
      const order = await place(id);
      expect((await remove(id)).body).toEqual({
        code: "pet_reserved",
        message: `Order ${order} holds pet ${id}. Deliver or cancel the order first.`,
        status: 409,
      });
      for (const event of ending) await client.send("POST", `/store/orders/${order}/${event}`);
      const before = (await client.get(`/store/orders/${order}`)).text;
      expect((await remove(id)).status).toBe(204);
      expect((await client.get(`/store/orders/${order}`)).text).toBe(before);
      expect((await client.get("/store/orders?limit=100")).text).toContain(before);
      expect((await client.post("/store/orders", { petId: id })).body).toMatchObject({
        code: "body_invalid",
        message: `petId must be the id of a pet; no pet has ${id}.`,
      });
    }
  });

  test("of deleting and ordering at once, one happens", async () => {
    for (let round = 0; round < 10; round++) {
      const id = await newPet();
      const [removed, placed] = await Promise.all([
        remove(id),
        client.post("/store/orders", { petId: id }),
      ]);
      expect(["204 400", "409 201"]).toContain(`${removed.status} ${placed.status}`);
    }
  });

  test("If-Match with a stale ETag is 412, and the pet stays; with its own it goes", async () => {
    const id = await newPet();
    const tag = (await client.get(`/pets/${id}`)).headers.get("etag") ?? "";
    expect((await remove(id, { "if-match": '"stale"' })).body).toMatchObject({
      ...{ code: "precondition_failed", status: 412 },
    });
    expect((await remove(id, { "if-match": "stale" })).body).toMatchObject({
      ...{ code: "parameter_invalid", status: 400 },
    });
    expect((await client.get(`/pets/${id}`)).status).toBe(200);
    expect((await remove(id, { "if-match": tag })).status).toBe(204);
  });

  test("a repetition under an Idempotency-Key is 204 again, and another pet is 422", async () => {
    const [id, other] = [await newPet(), await newPet()];
    const headers = { "idempotency-key": `delete-${id}` };
    expect((await remove(id, headers)).headers.get("idempotency-replayed")).toBeNull();
    const again = await remove(id, headers);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([204, "true"]);
    expect((await remove(other, headers)).body).toMatchObject({ code: "idempotency_mismatch" });
    expect((await client.get(`/pets/${other}`)).status).toBe(200);
  });

  test("pets:write is needed, and strict handling is confirmed", async () => {
    const id = await newPet();
    const { token } = await running.newKey({ scopes: ["pets:read", "orders:write"] });
    expect((await remove(id, {}, new Client(running.base, token))).status).toBe(403);
    expect((await remove(id, {}, new Client(running.base))).status).toBe(401);
    const strict = { prefer: "handling=strict" };
    expect(
      (await client.send("DELETE", `/pets/${id}?really=1`, { headers: strict })).body,
    ).toMatchObject({
      message: "really is not a parameter of this operation.",
    });
    const seen = await remove(id, strict);
    expect([seen.status, seen.headers.get("preference-applied")]).toEqual([204, "handling=strict"]);
  });

  test("whoever pages meanwhile meets every other pet once, and no cursor breaks", async () => {
    const fresh = await startTestService({ engine });
    try {
      for (let n = 1; n <= 12; n++) {
        await fresh.client.post("/pets", { name: `Pet ${n}`, categoryId: 1 });
      }
      const met: number[] = [];
      for (let at: string | undefined = "/pets?limit=3"; at !== undefined; ) {
        // Once more, so that the next time around it could come from the cache.
        await fresh.client.get(at);
        const seen: Seen = await fresh.client.get(at);
        const page = (seen.body as { id: number }[]).map(({ id }) => id);
        met.push(...page);
        at = nextPage(seen.headers);
        // The last of this page, which the cursor stands on, and the first of the next.
        const last = page.at(-1) ?? 0;
        if (last === 3) await remove(3, {}, fresh.client);
        if (last === 3) await remove(4, {}, fresh.client);
        if (last === 7) await remove(7, {}, fresh.client);
      }
      expect(met).toEqual([1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12]);
      expect((await fresh.client.get("/pets?limit=3")).body).toMatchObject([
        ...[{ id: 1 }, { id: 2 }, { id: 5 }],
      ]);
    } finally {
      await fresh.stop();
    }
  });
});
