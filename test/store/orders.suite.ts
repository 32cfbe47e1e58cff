/** What every store of orders does, whichever engine it runs on. */
import { describe, expect, test } from "bun:test";
import { int64Max, int64Min } from "../../src/contract/int64.ts";
import type { ImportedPet } from "../../src/petstore/catalogue/catalogue.ts";
import type { NewPet, PetStatus } from "../../src/petstore/catalogue/pet.ts";
import type { OrderEvent, OrderQuery, OrderStatus } from "../../src/petstore/orders/orders.ts";
import type { Stores } from "../../src/storage/stores.ts";
import fc from "../../testkit/fastCheck.ts";
import { rounds } from "../../testkit/rounds.ts";
import { spellings } from "./catalogue.suite.ts";
import { doneOf, kindsOf } from "./outcomes.ts";

const placedAtMs = Date.UTC(2026, 10, 15, 12);
const bella: NewPet = { name: "Bella", categoryId: 3n, status: "available" };
const statuses: readonly OrderStatus[] = ["placed", "approved", "delivered", "cancelled"];

/** Written by hand, apart from the table that the stores use. */
const cells: readonly (readonly [OrderStatus, OrderEvent, OrderStatus | "refused"])[] = [
  ["placed", "approve", "approved"],
  ["placed", "deliver", "refused"],
  ["placed", "cancel", "cancelled"],
  ["approved", "approve", "refused"],
  ["approved", "deliver", "delivered"],
  ["approved", "cancel", "cancelled"],
  ["delivered", "approve", "refused"],
  ["delivered", "deliver", "refused"],
  ["delivered", "cancel", "refused"],
  ["cancelled", "approve", "refused"],
  ["cancelled", "deliver", "refused"],
  ["cancelled", "cancel", "refused"],
];
const petStatusOf = {
  placed: "pending",
  approved: "pending",
  delivered: "sold",
  cancelled: "available",
} as const;

/** Adds a pet. */
async function petIn({ catalogue }: Stores, changes: Partial<NewPet> = {}): Promise<bigint> {
  return doneOf(await catalogue.add({ ...bella, ...changes })).id;
}

/** Orders a pet and takes the order as far as told. */
async function orderIn({ orders }: Stores, petId: bigint, status: OrderStatus): Promise<bigint> {
  const { id } = doneOf(await orders.place({ petId, quantity: 1 }, placedAtMs));
  if (status !== "placed") doneOf(await orders.move(id, "approve"));
  if (status === "delivered") doneOf(await orders.move(id, "deliver"));
  if (status === "cancelled") doneOf(await orders.move(id, "cancel"));
  return id;
}

/** Everything there is to see of pets and orders. */
async function allOf({ catalogue, orders }: Stores) {
  const limit = 10_000;
  return { ...(await catalogue.list({ limit })), ...(await orders.list({ limit })) };
}

const petText = (id: bigint, status: PetStatus, name = '"Bella"') =>
  `{"id":${id},"name":${name},"categoryId":3,"status":"${status}"}`;
const orderText = (id: bigint, petId: bigint, status: OrderStatus, quantity = 1) =>
  `{"id":${id},"petId":${petId},"quantity":${quantity},"status":"${status}","placedAt":"2026-11-15T12:00:00.000Z"}`;

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeOrders(engine: string, open: () => Promise<Stores>): void {
  describe(`placing an order on ${engine}`, () => {
    test("takes the pet from available to pending with it", async () => {
      const stores = await open();
      const { catalogue, orders } = stores;
      const [other, petId] = [await petIn(stores), await petIn(stores)];
      const outcome = doneOf(await orders.place({ petId, quantity: 7 }, placedAtMs));
      const text = orderText(outcome.id, petId, "placed", 7);
      expect(outcome).toEqual({ kind: "done", id: outcome.id, text });
      expect(await orders.get(outcome.id)).toBe(text);
      expect((await orders.list({ limit: 10 })).orders).toEqual([text]);

      const pending = petText(petId, "pending");
      expect(await catalogue.get(petId)).toBe(pending);
      const listed = async (status?: PetStatus) =>
        (await catalogue.list({ status, limit: 10 })).pets;
      expect(await listed()).toEqual([petText(other, "available"), pending]);
      expect(await listed("pending")).toEqual([pending]);
      expect(await listed("available")).toEqual([petText(other, "available")]);
      expect((await catalogue.list({ ids: [petId], status: "pending", limit: 1 })).pets).toEqual([
        pending,
      ]);
    });

    test("keeps only what is of an order", async () => {
      const stores = await open();
      const petId = await petIn(stores);
      const stranger = { petId, quantity: 1, id: 99n, status: "delivered", note: "quick" };
      const { id, text } = doneOf(await stores.orders.place(stranger, placedAtMs));
      expect(text).toBe(orderText(id, petId, "placed"));
    });

    test("of a pet that is not there does nothing", async () => {
      const stores = await open();
      const petId = await petIn(stores);
      const before = await allOf(stores);
      for (const unknown of [petId + 1n, 0n, -1n, int64Max, int64Min]) {
        expect(await stores.orders.place({ petId: unknown, quantity: 1 }, placedAtMs)).toEqual({
          kind: "no_such_pet",
        });
      }
      expect(await allOf(stores)).toEqual(before);
    });

    for (const status of ["pending", "sold"] as const) {
      test(`of a pet that is ${status} without an order does nothing and says so`, async () => {
        const stores = await open();
        const petId = await petIn(stores, { status });
        const outcome = await stores.orders.place({ petId, quantity: 1 }, placedAtMs);
        expect(outcome).toEqual({ kind: "pet_not_available", status });
        expect(await allOf(stores)).toMatchObject({ pets: [petText(petId, status)], orders: [] });
      });
    }

    for (const status of ["placed", "approved", "delivered"] as const) {
      test(`of a pet whose order is ${status} does nothing`, async () => {
        const stores = await open();
        const petId = await petIn(stores);
        await orderIn(stores, petId, status);
        const before = await allOf(stores);
        const outcome = await stores.orders.place({ petId, quantity: 1 }, placedAtMs);
        expect(outcome).toEqual({ kind: "pet_not_available", status: petStatusOf[status] });
        expect(await allOf(stores)).toEqual(before);
      });
    }

    test("of a pet whose order was cancelled succeeds, and both orders stay", async () => {
      const stores = await open();
      const petId = await petIn(stores);
      const first = await orderIn(stores, petId, "cancelled");
      const second = await orderIn(stores, petId, "approved");
      expect(await allOf(stores)).toMatchObject({
        pets: [petText(petId, "pending")],
        orders: [orderText(first, petId, "cancelled"), orderText(second, petId, "approved")],
      });
    });

    test("and cancelling it in one batch, again and again, leaves the last order open", async () => {
      const stores = await open();
      const petId = await petIn(stores);
      const first = await orderIn(stores, petId, "placed");
      const outcomes = await Promise.all([
        stores.orders.move(first, "cancel"),
        stores.orders.place({ petId, quantity: 1 }, placedAtMs),
        stores.orders.move(first + 1n, "cancel"),
        stores.orders.place({ petId, quantity: 1 }, placedAtMs),
        stores.orders.place({ petId, quantity: 1 }, placedAtMs),
      ]);
      expect(kindsOf(outcomes)).toEqual({ done: 4, pet_not_available: 1 });
      expect(await allOf(stores)).toMatchObject({
        pets: [petText(petId, "pending")],
        orders: [
          orderText(first, petId, "cancelled"),
          orderText(first + 1n, petId, "cancelled"),
          orderText(first + 2n, petId, "placed"),
        ],
      });
    });

    for (const [handles, what] of [
      [1, "one handle"],
      [2, "two handles on one database"],
    ] as const) {
      test(`50 times for one pet at once through ${what} succeeds exactly once`, async () => {
        const opened = await Promise.all(Array.from({ length: handles }, () => open()));
        const first = opened[0] as Stores;
        const petId = await petIn(first);
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            (opened[index % handles] as Stores).orders.place({ petId, quantity: 1 }, placedAtMs),
          ),
        );
        expect(kindsOf(outcomes)).toEqual({ done: 1, pet_not_available: 49 });
        for (const outcome of outcomes) {
          if (outcome.kind === "pet_not_available") expect(outcome.status).toBe("pending");
        }
        const { orders, pets } = await allOf(first);
        expect(orders).toHaveLength(1);
        expect(pets).toEqual([petText(petId, "pending")]);
      });
    }

    test("gives ids that grow, by every handle and after reopening", async () => {
      const stores = await open();
      const ids: bigint[] = [];
      for (let round = 0; round < 3; round++) {
        ids.push(await orderIn(stores, await petIn(stores), "placed"));
        const other = await open();
        ids.push(await orderIn(other, await petIn(other), "placed"));
        await other.close();
      }
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => Number(a - b)));
      expect(ids[0]).toBeGreaterThanOrEqual(1n);
    });

    test("is exact for the largest pet id and for any quantity and instant", async () => {
      const { catalogue, orders } = await open();
      const petIds = [int64Max, int64Max - 1n, 2n ** 53n + 1n];
      await catalogue.import(petIds.map((id) => ({ ...bella, id })));
      for (const [petId, quantity, atMs, placedAt] of [
        [int64Max, 1_000, 0, "1970-01-01T00:00:00.000Z"],
        [int64Max - 1n, 1, placedAtMs + 1, "2026-11-15T12:00:00.001Z"],
        [2n ** 53n + 1n, 999, 253_402_300_799_999, "9999-12-31T23:59:59.999Z"],
      ] as const) {
        const { id, text } = doneOf(await orders.place({ petId, quantity }, atMs));
        const order = (status: OrderStatus) =>
          `{"id":${id},"petId":${petId},"quantity":${quantity},"status":"${status}","placedAt":"${placedAt}"}`;
        expect(text).toBe(order("placed"));
        // Moving it writes it anew.
        doneOf(await orders.move(id, "approve"));
        doneOf(await orders.move(id, "deliver"));
        expect(await orders.get(id)).toBe(order("delivered"));
        expect(await catalogue.get(petId)).toBe(petText(petId, "sold"));
      }
    });

    test("leaves every name and category of a pet as it was", async () => {
      const stores = await open();
      for (const [name, json] of spellings) {
        for (const categoryId of [3n, int64Min, int64Max, 2n ** 53n + 1n]) {
          const petId = await petIn(stores, { name, categoryId });
          const id = await orderIn(stores, petId, "placed");
          const text = (status: PetStatus) =>
            `{"id":${petId},"name":${json},"categoryId":${categoryId},"status":"${status}"}`;
          expect(await stores.catalogue.get(petId)).toBe(text("pending"));
          doneOf(await stores.orders.move(id, "approve"));
          doneOf(await stores.orders.move(id, "deliver"));
          expect(await stores.catalogue.get(petId)).toBe(text("sold"));
        }
      }
    });
  });

  describe(`moving an order on ${engine}`, () => {
    for (const [from, event, to] of cells) {
      const what = to === "refused" ? "is refused and changes nothing" : `makes it ${to}`;
      test(`${event} of what is ${from} ${what}`, async () => {
        const stores = await open();
        const [petId, otherPet] = [await petIn(stores), await petIn(stores)];
        const id = await orderIn(stores, petId, from);
        const other = await orderIn(stores, otherPet, "approved");
        const outcome = await stores.orders.move(id, event);

        const status = to === "refused" ? from : to;
        const text = orderText(id, petId, status);
        expect(outcome).toEqual(
          to === "refused" ? { kind: "refused", status: from } : { kind: "done", id, text },
        );
        expect(await allOf(stores)).toMatchObject({
          pets: [petText(petId, petStatusOf[status]), petText(otherPet, "pending")],
          orders: [text, orderText(other, otherPet, "approved")],
          next: undefined,
        });
        for (const filter of ["available", "pending", "sold"] as const) {
          const { pets } = await stores.catalogue.list({ status: filter, limit: 10 });
          expect(pets.includes(petText(petId, filter))).toBe(petStatusOf[status] === filter);
        }
      });
    }

    test("does nothing where no order has the id", async () => {
      const stores = await open();
      const id = await orderIn(stores, await petIn(stores), "placed");
      for (const unknown of [id + 1n, 0n, -1n, int64Max, int64Min]) {
        expect(await stores.orders.move(unknown, "approve")).toEqual({ kind: "no_such_order" });
        expect(await stores.orders.get(unknown)).toBeUndefined();
      }
    });

    for (const event of ["approve", "deliver", "cancel"] as const) {
      test(`to ${event} it 50 times at once through two handles succeeds exactly once`, async () => {
        const handles = [await open(), await open()] as const;
        const petId = await petIn(handles[0]);
        const from = event === "deliver" ? "approved" : "placed";
        const id = await orderIn(handles[0], petId, from);
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            handles[index % 2 === 0 ? 0 : 1].orders.move(id, event),
          ),
        );
        expect(kindsOf(outcomes)).toEqual({ done: 1, refused: 49 });
      });
    }
  });

  describe(`an ordered pet and imports on ${engine}`, () => {
    test("a pet that moved on since conflicts with how it was, and equals how it is", async () => {
      const stores = await open();
      const rex: ImportedPet = { id: 10n, name: "Rex", categoryId: 1n, status: "available" };
      await stores.catalogue.import([rex]);
      await orderIn(stores, 10n, "delivered");
      const before = await allOf(stores);
      expect(await stores.catalogue.import([rex])).toEqual({ kind: "conflict", id: 10n, index: 0 });
      expect(await stores.catalogue.import([{ ...rex, status: "sold" }])).toEqual({
        kind: "stored",
        added: 0,
        unchanged: 1,
      });
      expect(await allOf(stores)).toEqual(before);
    });
  });

  describe(`listing orders on ${engine}`, () => {
    test("every mixture of filters finds what a plain search finds", async () => {
      const stores = await open();
      const kept: { id: bigint; status: OrderStatus; text: string }[] = [];
      for (let index = 0; index < 15; index++) {
        const status = statuses[(index * 7) % 4] as OrderStatus;
        const petId = await petIn(stores);
        const id = await orderIn(stores, petId, status);
        kept.push({ id, status, text: orderText(id, petId, status) });
      }
      function expected({ status, after, limit }: OrderQuery) {
        const matching = kept.filter(
          (order) =>
            (status === undefined || order.status === status) &&
            (after === undefined || order.id > after),
        );
        const page = matching.slice(0, limit);
        const more = matching.length > page.length;
        return { orders: page.map(({ text }) => text), next: more ? page.at(-1)?.id : undefined };
      }

      const someId = fc.constantFrom(...kept.map(({ id }) => id), 0n, -1n, int64Min, int64Max);
      const someQuery: fc.Arbitrary<OrderQuery> = fc.record({
        status: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
        after: fc.option(someId, { nil: undefined }),
        limit: fc.integer({ min: 1, max: kept.length + 1 }),
      });
      await fc.assert(
        fc.asyncProperty(someQuery, async (query) => {
          expect(await stores.orders.list(query)).toEqual(expected(query));
        }),
        { numRuns: rounds(150, 500) },
      );
    });

    test("no orders are one empty page", async () => {
      const { orders } = await open();
      expect(await orders.list({ limit: 20 })).toEqual({ orders: [], next: undefined });
      expect(await orders.list({ limit: 20, status: "placed" })).toEqual({
        orders: [],
        next: undefined,
      });
    });

    test("paging with any limit visits each order once, while others are being placed", async () => {
      const stores = await open();
      const placed: Promise<bigint>[] = [];
      const place = async () => orderIn(stores, await petIn(stores), "placed");
      for (let index = 0; index < 20; index++) placed.push(place());
      const before = (await Promise.all(placed)).toSorted((a, b) => Number(a - b));
      for (const limit of [1, 3, 20, 21]) {
        const visited: string[] = [];
        const adding = place();
        let after: bigint | undefined;
        do {
          const page = await stores.orders.list({ after, limit });
          visited.push(...page.orders);
          after = page.next;
        } while (after !== undefined);
        await adding;
        const ids = visited.map((text) => BigInt(/\d+/.exec(text)?.[0] ?? "none"));
        expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => Number(a - b)));
        expect(ids.slice(0, before.length)).toEqual(before);
      }
    });
  });
}
