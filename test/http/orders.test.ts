import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { Client, nextPage, type Seen } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("orders", (engine) => {
  const placedAt = "2026-11-15T12:00:00.000Z";
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine, clock: fakeClock(Date.parse(placedAt)) });
    client = running.client;
  });
  afterAll(() => running.stop());

  const idOf = (seen: Seen) => (seen.body as { id: number }).id;
  const newPet = async (status = "available") =>
    idOf(await client.post("/pets", { name: "Bella", categoryId: 3, status }));
  const petStatus = async (id: number) =>
    ((await client.get(`/pets?id=${id}`)).body as { status: string }[])[0]?.status;
  const place = (petId: unknown, quantity?: unknown) =>
    client.post("/store/orders", { petId, ...(quantity === undefined ? {} : { quantity }) });
  const move = (order: number | string, event: string, headers = {}) =>
    client.send("POST", `/store/orders/${order}/${event}`, { headers });

  describe("placeOrder", () => {
    test("answers 201 with the order and its address, and makes the pet pending", async () => {
      const petId = await newPet();
      const seen = await place(petId, 2);
      const id = idOf(seen);
      expect(seen.status).toBe(201);
      expect(seen.text).toBe(
        `{"id":${id},"petId":${petId},"quantity":2,"status":"placed","placedAt":"${placedAt}"}`,
      );
      expect(seen.headers.get("location")).toBe(`${running.base}/store/orders/${id}`);
      expect((await client.get(`/store/orders/${id}`)).text).toBe(seen.text);
      expect(await petStatus(petId)).toBe("pending");
      expect((await client.get(`/pets/${petId}`)).body).toMatchObject({ status: "pending" });
    });

    test("the quantity is 1 unless said", async () => {
      expect((await place(await newPet())).body).toMatchObject({ quantity: 1 });
    });

    for (const status of ["pending", "sold"]) {
      test(`a pet that is ${status} cannot be ordered, and stays as it is`, async () => {
        const petId = await newPet(status);
        expect((await place(petId)).body).toEqual({
          code: "pet_not_available",
          message: `Pet ${petId} is ${status}, and only an available pet can be ordered.`,
          status: 409,
        });
        expect(await petStatus(petId)).toBe(status);
      });
    }

    test("of twenty racing orders for one pet exactly one is placed", async () => {
      const petId = await newPet();
      const all = await Promise.all(Array.from({ length: 20 }, () => place(petId)));
      expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    });

    test("an unknown pet is the body's fault", async () => {
      for (const petId of ["9223372036854775807", "0", "-5"]) {
        const seen = await client.post("/store/orders", `{"petId":${petId}}`);
        expect(seen.body).toEqual({
          code: "body_invalid",
          message: `petId must be the id of a pet; no pet has ${petId}.`,
          status: 400,
        });
      }
    });

    const petIdMust = "petId must be an integer from -9223372036854775808 to 9223372036854775807.";
    const quantityMust = "quantity must be an integer from 1 to 1000.";
    const refused: [body: string, message: string][] = [
      ["{}", "petId is required."],
      ['{"petId":"1","quantity":"1"}', `${petIdMust} ${quantityMust}`],
      ['{"petId":null,"quantity":null}', `${petIdMust} ${quantityMust}`],
      ['{"petId":1,"quantity":0}', quantityMust],
      ['{"petId":1,"quantity":1001}', quantityMust],
      ['{"petId":1,"quantity":1.5}', quantityMust],
      ['{"petId":1.5}', petIdMust],
      ["[]", "The body must be a JSON object."],
    ];
    for (const [body, message] of refused) {
      test(`${body} is refused and named`, async () => {
        const seen = await client.post("/store/orders", body);
        expect(seen.body).toEqual({ code: "body_invalid", message, status: 400 });
      });
    }

    test("orders:write is needed, and orders:read for reading", async () => {
      const reader = new Client(
        running.base,
        (await running.newKey({ scopes: ["orders:read"] })).token,
      );
      expect((await reader.post("/store/orders", { petId: 1 })).status).toBe(403);
      expect((await reader.get("/store/orders")).status).toBe(200);
      const pets = new Client(
        running.base,
        (await running.newKey({ scopes: ["pets:read"] })).token,
      );
      expect((await pets.get("/store/orders")).status).toBe(403);
      expect((await pets.get("/store/orders/1")).status).toBe(403);
    });
  });

  describe("the life of an order", () => {
    test("placed, approved, delivered; delivery makes the pet sold", async () => {
      const petId = await newPet();
      const id = idOf(await place(petId));
      const approved = await move(id, "approve");
      expect([approved.status, approved.body]).toMatchObject([
        200,
        { id, status: "approved", placedAt },
      ]);
      expect(await petStatus(petId)).toBe("pending");
      const delivered = await move(id, "deliver");
      expect([delivered.status, delivered.body]).toMatchObject([200, { id, status: "delivered" }]);
      expect(await petStatus(petId)).toBe("sold");
      expect((await client.get(`/store/orders/${id}`)).text).toBe(delivered.text);
    });

    const refused: [reached: string[], event: string, message: (id: number) => string][] = [
      [
        [],
        "deliver",
        (id) => `Order ${id} is placed, and only an approved order can be delivered.`,
      ],
      [
        ["approve"],
        "approve",
        (id) => `Order ${id} is approved, and only a placed order can be approved.`,
      ],
      [
        ["approve", "deliver"],
        "approve",
        (id) => `Order ${id} is delivered, and only a placed order can be approved.`,
      ],
      [
        ["approve", "deliver"],
        "deliver",
        (id) => `Order ${id} is delivered, and only an approved order can be delivered.`,
      ],
    ];
    for (const [reached, event, message] of refused) {
      test(`after ${reached.join(", ") || "placing"}, ${event} is refused with 409 and changes nothing`, async () => {
        const petId = await newPet();
        const id = idOf(await place(petId));
        for (const step of reached) await move(id, step);
        const before = [(await client.get(`/store/orders/${id}`)).text, await petStatus(petId)];
        const seen = await move(id, event);
        expect(seen.body).toEqual({
          code: "order_event_refused",
          message: message(id),
          status: 409,
        });
        expect([(await client.get(`/store/orders/${id}`)).text, await petStatus(petId)]).toEqual(
          before,
        );
      });
    }

    for (const reached of [[], ["approve"]]) {
      test(`after ${reached.join(", ") || "placing"}, cancel makes the pet available again, once`, async () => {
        const petId = await newPet();
        const id = idOf(await place(petId));
        for (const step of reached) await move(id, step);
        const cancelled = await move(id, "cancel");
        expect([cancelled.status, cancelled.body]).toMatchObject([
          200,
          { id, status: "cancelled" },
        ]);
        expect((await client.get(`/store/orders/${id}`)).text).toBe(cancelled.text);
        expect(await petStatus(petId)).toBe("available");
        expect((await client.get(`/pets/${petId}`)).body).toMatchObject({ status: "available" });
        expect((await move(id, "cancel")).body).toEqual({
          code: "order_event_refused",
          message: `Order ${id} is cancelled, and only a placed or an approved order can be cancelled.`,
          status: 409,
        });
        expect((await place(petId)).status).toBe(201);
      });
    }

    test("a lost answer to cancel is given again, although the pet was ordered since", async () => {
      const petId = await newPet();
      const id = idOf(await place(petId));
      const headers = { "idempotency-key": `cancel-${id}` };
      const first = await move(id, "cancel", headers);
      const next = idOf(await place(petId));
      const again = await move(id, "cancel", headers);
      expect([again.text, again.headers.get("idempotency-replayed")]).toEqual([first.text, "true"]);
      expect((await client.get(`/store/orders/${next}`)).body).toMatchObject({ status: "placed" });
      expect(await petStatus(petId)).toBe("pending");
    });

    test("of cancelling and delivering at once, one happens", async () => {
      const petId = await newPet();
      const id = idOf(await place(petId));
      await move(id, "approve");
      const both = await Promise.all([move(id, "cancel"), move(id, "deliver")]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      const delivered = both[1]?.status === 200;
      expect(await petStatus(petId)).toBe(delivered ? "sold" : "available");
    });

    for (const id of ["999999", "0", "-1", "abc", "01", "9223372036854775808"]) {
      test(`there is no order ${id}`, async () => {
        const missing = { code: "order_not_found", message: "No order has this id.", status: 404 };
        expect((await client.get(`/store/orders/${id}`)).body).toEqual(missing);
        expect((await move(id, "approve")).body).toEqual(missing);
        expect((await move(id, "deliver")).body).toEqual(missing);
        expect((await move(id, "cancel")).body).toEqual(missing);
      });
    }

    test("only POST moves an order", async () => {
      const seen = await client.get("/store/orders/1/approve");
      expect([seen.status, seen.headers.get("allow")]).toEqual([405, "POST"]);
    });
  });

  describe("listOrders", () => {
    test("pages through all and by status, in the order of ids", async () => {
      const fresh = await startTestService({ engine });
      try {
        const { client } = fresh;
        for (let n = 1; n <= 7; n++) {
          await client.post("/pets", { name: `Pet ${n}`, categoryId: 1 });
          await client.post("/store/orders", { petId: n });
        }
        for (const id of [2, 4, 6]) await client.send("POST", `/store/orders/${id}/approve`);
        await client.send("POST", "/store/orders/4/deliver");
        const walk = async (query: string) => {
          const pages: number[][] = [];
          for (let at: string | undefined = `/store/orders?${query}`; at !== undefined; ) {
            const seen: Seen = await client.get(at);
            pages.push((seen.body as { id: number }[]).map(({ id }) => id));
            at = nextPage(seen.headers);
            expect(pages.length).toBeLessThan(20);
          }
          return pages;
        };
        expect(await walk("limit=3")).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
        expect(await walk("limit=2&status=placed")).toEqual([
          [1, 3],
          [5, 7],
        ]);
        expect(await walk("status=approved")).toEqual([[2, 6]]);
        expect(await walk("status=delivered")).toEqual([[4]]);
        const cursor = new URL(
          nextPage((await client.get("/store/orders?limit=1")).headers) ?? "",
        ).searchParams.get("cursor");
        for (const path of [
          `/store/orders?status=placed&cursor=${cursor}`,
          `/pets?cursor=${cursor}`,
        ]) {
          expect((await client.get(path)).body).toMatchObject({ code: "cursor_invalid" });
        }
      } finally {
        await fresh.stop();
      }
    });

    test("a bad status is refused with those there are", async () => {
      expect((await client.get("/store/orders?status=available")).body).toMatchObject({
        message: "status must be one of placed, approved, delivered, cancelled.",
      });
    });
  });
});
