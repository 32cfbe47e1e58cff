/** Orders and categories: what the methods send, and what becomes of it in the real service. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isPetStoreError, PetStoreClient } from "../../src/client/client.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { fakePlatform } from "./platform.ts";
import { clientOf, rejection, type ScriptedServer, startScriptedServer } from "./scriptedServer.ts";

let server: ScriptedServer;
let running: TestService;
beforeAll(async () => {
  server = await startScriptedServer();
  running = await startTestService();
});
afterAll(async () => {
  server.stop();
  await running.stop();
});

const large = 9007199254740993n;
const text = `{"id":${large},"petId":${large},"quantity":1,"status":"placed","placedAt":"2026-11-15T00:00:00Z"}`;
const order = {
  id: large,
  petId: large,
  quantity: 1,
  status: "placed",
  placedAt: "2026-11-15T00:00:00Z",
};

describe("the methods of orders and categories", () => {
  const calls: [sent: string, body: string, call: (client: PetStoreClient) => Promise<unknown>][] =
    [
      [
        "POST /v1/store/orders",
        `{"petId":${large}}`,
        (client) => client.placeOrder({ petId: large }),
      ],
      [
        "POST /v1/store/orders",
        '{"petId":1,"quantity":1}',
        (client) => client.placeOrder({ petId: 1, quantity: 1 }),
      ],
      [`GET /v1/store/orders/${large}`, "", (client) => client.getOrder(large)],
      ["POST /v1/store/orders/1/approve", "", (client) => client.approveOrder(1)],
      ["POST /v1/store/orders/1/deliver", "", (client) => client.deliverOrder(1n)],
    ];
  for (const [sent, body, call] of calls) {
    test(`${sent} ${body}`, async () => {
      server.play({ status: sent.startsWith("POST") ? 201 : 200, body: text });
      expect(await call(clientOf(server).client)).toEqual(order);
      const [request] = server.requests;
      expect([`${request?.method} ${request?.url}`, request?.body]).toEqual([sent, body]);
      expect(request?.headers["idempotency-key"]).toBe(
        sent.startsWith("POST") ? "unique-1" : undefined,
      );
    });
  }

  test("orders() walks over all pages", async () => {
    server.play(
      { status: 200, headers: { link: "<?cursor=b>; rel=next" }, body: `[${text}]` },
      { status: 200, body: `[${text}]` },
    );
    const found: unknown[] = [];
    for await (const one of clientOf(server).client.orders({ status: "placed" })) found.push(one);
    expect(found).toEqual([order, order]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/v1/store/orders?limit=100&status=placed",
      "/v1/store/orders?cursor=b",
    ]);
  });

  test("categories() walks over all pages, and listCategories and listOrders give one", async () => {
    const page = { status: 200, body: '[{"id":-9223372036854775808,"name":"Cats"}]' };
    server.play(page, page, { status: 200, body: "[]" });
    const { client } = clientOf(server);
    const cats = { id: -(2n ** 63n), name: "Cats" };
    expect((await client.categories().next()).value).toEqual(cats);
    expect((await client.listCategories({ limit: 5 })).items).toEqual([cats]);
    expect((await client.listOrders()).items).toEqual([]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/v1/categories?limit=100",
      "/v1/categories?limit=5",
      "/v1/store/orders",
    ]);
  });
});

describe("in the real service", () => {
  const clientWith = (options: object = {}) =>
    new PetStoreClient({ baseUrl: running.base, apiKey: running.token, ...options });
  const newPet = { name: "Bella", categoryId: 3 };

  test("an order goes from placed to delivered, and its pet with it", async () => {
    const client = clientWith();
    const { id: petId } = await client.createPet(newPet);
    const placed = await client.placeOrder({ petId });
    expect(placed).toMatchObject({ petId, quantity: 1, status: "placed" });
    expect(await client.getOrder(placed.id)).toEqual(placed);
    expect((await client.approveOrder(placed.id)).status).toBe("approved");
    expect((await client.deliverOrder(placed.id)).status).toBe("delivered");
    expect((await client.listPets({ id: [petId] })).items).toMatchObject([{ status: "sold" }]);
    const { items: delivered } = await client.listOrders({ status: "delivered" });
    expect(delivered).toMatchObject([{ id: placed.id }]);
    expect((await client.listCategories()).items).toEqual([]);
    const other = await client.placeOrder({ petId: (await client.createPet(newPet)).id });
    expect((await client.cancelOrder(other.id)).status).toBe("cancelled");
    const late = await rejection(client.placeOrder({ petId }));
    expect(isPetStoreError(late, "pet_not_available")).toBe(true);
  });

  test("a creation whose answer is lost is tried again, and happens once", async () => {
    let lost = 0;
    const client = clientWith({
      platform: fakePlatform(),
      async fetch(address: string, init: RequestInit) {
        const response = await fetch(address, init);
        if (lost++ < 2) throw new TypeError("the connection broke");
        return response;
      },
    });
    const name = "Told three times";
    const pet = await client.createPet({ name, categoryId: 1 });
    expect(lost).toBe(3);
    const found: unknown[] = [];
    for await (const one of client.pets()) if (one.name === name) found.push(one);
    expect(found).toEqual([pet]);
  });

  test("an Idempotency-Key that was used for something else is refused", async () => {
    const client = clientWith();
    const first = await client.createPet(newPet, { idempotencyKey: "one" });
    expect(await client.createPet(newPet, { idempotencyKey: "one" })).toEqual(first);
    const other = await rejection(
      client.createPet({ ...newPet, name: "Rex" }, { idempotencyKey: "one" }),
    );
    expect(isPetStoreError(other, "idempotency_mismatch")).toBe(true);
  });
});
