/** That a thing under an idempotency key is done once, whichever engine it is done on. */
import { describe, expect, test } from "bun:test";
import { idGivenMax } from "../../src/petstore/catalogue/catalogue.ts";
import { entityTag, type NewPet, petText } from "../../src/petstore/catalogue/pet.ts";
import { type IdempotentRequest, retentionMs } from "../../src/petstore/idempotency/idempotency.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { keyNamed } from "./keys.suite.ts";
import { doneOf, kindsOf } from "./outcomes.ts";
import { rejectionOf } from "./rejection.ts";

const nowMs = Date.UTC(2026, 10, 15, 12);
const bella: NewPet = { name: "Bella", categoryId: 3n, status: "available" };
const first: IdempotentRequest = {
  keyId: "key_a",
  idempotencyKey: "attempt 1",
  fingerprint: "print",
  nowMs,
};

const bellaTag = entityTag(petText({ id: 1n, ...bella }));

interface Write {
  readonly what: string;
  /** Makes all that the write needs. */
  prepare(stores: Stores): Promise<void>;
  attempt(stores: Stores, idempotency: IdempotentRequest): Promise<Outcome>;
  /** Changes what the write left behind. */
  moveOn(stores: Stores): Promise<unknown>;
  /** The kind of outcome when it is attempted a second time in earnest. */
  readonly again: string;
}

type Outcome = { readonly kind: string; readonly id?: bigint; readonly text?: string };

/** Each on pet 1 and order 1 of an empty store. */
const writes: readonly Write[] = [
  {
    what: "adding a pet",
    prepare: async () => {},
    attempt: ({ catalogue }, idempotency) => catalogue.add(bella, { idempotency }),
    moveOn: ({ orders }) => orders.place({ petId: 1n, quantity: 1 }, nowMs),
    again: "done",
  },
  {
    what: "adding a pet of a known category",
    prepare: async ({ categories }) => void (await categories.add("Dogs", 3n)),
    attempt: ({ catalogue }, idempotency) =>
      catalogue.add(bella, { idempotency, knownCategoryOnly: true }),
    moveOn: ({ categories }) => categories.remove(3n),
    again: "no_such_category",
  },
  {
    what: "placing an order",
    prepare: async ({ catalogue }) => void (await catalogue.add(bella)),
    attempt: ({ orders }, idempotency) =>
      orders.place({ petId: 1n, quantity: 2 }, nowMs, idempotency),
    moveOn: ({ orders }) => orders.move(1n, "approve"),
    again: "pet_not_available",
  },
  {
    what: "approving an order",
    async prepare({ catalogue, orders }) {
      await catalogue.add(bella);
      await orders.place({ petId: 1n, quantity: 2 }, nowMs);
    },
    attempt: ({ orders }, idempotency) => orders.move(1n, "approve", idempotency),
    moveOn: ({ orders }) => orders.move(1n, "deliver"),
    again: "refused",
  },
  {
    what: "delivering an order",
    async prepare({ catalogue, orders }) {
      await catalogue.add(bella);
      await orders.place({ petId: 1n, quantity: 2 }, nowMs);
      await orders.move(1n, "approve");
    },
    attempt: ({ orders }, idempotency) => orders.move(1n, "deliver", idempotency),
    moveOn: async () => {},
    again: "refused",
  },
  {
    what: "cancelling an order",
    async prepare({ catalogue, orders }) {
      await catalogue.add(bella);
      await orders.place({ petId: 1n, quantity: 2 }, nowMs);
    },
    attempt: ({ orders }, idempotency) => orders.move(1n, "cancel", idempotency),
    moveOn: ({ orders }) => orders.place({ petId: 1n, quantity: 2 }, nowMs),
    again: "refused",
  },
  {
    what: "updating a pet",
    prepare: async ({ catalogue }) => void (await catalogue.add(bella)),
    attempt: ({ catalogue }, idempotency) =>
      catalogue.update(1n, { name: "Rex" }, { idempotency, ifMatch: [bellaTag] }),
    moveOn: ({ catalogue }) => catalogue.update(1n, { name: "Max" }),
    again: "precondition_failed",
  },
  {
    what: "deleting a pet",
    prepare: async ({ catalogue }) => void (await catalogue.add(bella)),
    attempt: ({ catalogue }, idempotency) => catalogue.delete(1n, { idempotency }),
    moveOn: async () => {},
    again: "no_such_pet",
  },
];

async function allOf({ catalogue, orders }: Stores) {
  const limit = 10_000;
  return { ...(await catalogue.list({ limit })), ...(await orders.list({ limit })) };
}

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeIdempotency(engine: string, open: () => Promise<Stores>): void {
  for (const { what, prepare, attempt, moveOn, again } of writes) {
    describe(`${what} under an idempotency key on ${engine}`, () => {
      async function prepared(): Promise<Stores> {
        const stores = await open();
        await prepare(stores);
        return stores;
      }

      test("gives the first answer again, however things have moved on", async () => {
        const stores = await prepared();
        const { id, text } = doneOf(await attempt(stores, first));
        const replayed = { kind: "replayed", id, text };
        expect(await attempt(stores, first)).toEqual(replayed);
        await moveOn(stores);
        const before = await allOf(stores);
        expect(await attempt(stores, { ...first, nowMs: nowMs + 1 })).toEqual(replayed);
        expect(await attempt(await open(), first)).toEqual(replayed);
        expect(await allOf(stores)).toEqual(before);
      });

      test("with another fingerprint is a mismatch that changes nothing", async () => {
        const stores = await prepared();
        const { id, text } = doneOf(await attempt(stores, first));
        const before = await allOf(stores);
        const other = { ...first, fingerprint: "other" };
        expect(await attempt(stores, other)).toEqual({ kind: "mismatch" });
        expect(await allOf(stores)).toEqual(before);
        // Nor what is kept.
        expect(await attempt(stores, first)).toEqual({ kind: "replayed", id, text });
      });

      test("is remembered for less than 24 hours, counted from the first time", async () => {
        const stores = await prepared();
        await attempt(stores, first);
        await moveOn(stores);
        const late = { ...first, nowMs: nowMs + retentionMs - 1 };
        expect((await attempt(stores, late)).kind).toBe("replayed");
        const tooLate = { ...first, nowMs: nowMs + retentionMs };
        expect((await attempt(stores, tooLate)).kind).toBe(again);
      });

      test("with another fingerprint is no mismatch once 24 hours are over", async () => {
        const stores = await prepared();
        await attempt(stores, first);
        await moveOn(stores);
        const other = { ...first, fingerprint: "other", nowMs: nowMs + retentionMs };
        expect((await attempt(stores, other)).kind).toBe(again);
      });

      test("is remembered for each API key apart", async () => {
        const stores = await prepared();
        await attempt(stores, first);
        await moveOn(stores);
        expect((await attempt(stores, { ...first, keyId: "key_b" })).kind).toBe(again);
        expect((await attempt(stores, first)).kind).toBe("replayed");
      });

      test("is remembered after reopening", async () => {
        const before = await prepared();
        const { id, text } = doneOf(await attempt(before, first));
        await before.close();
        expect(await attempt(await open(), first)).toEqual({ kind: "replayed", id, text });
      });

      for (const handles of [1, 2]) {
        test(`20 times at once through ${handles} of its handles is done once`, async () => {
          const opened = [await prepared()];
          while (opened.length < handles) opened.push(await open());
          const outcomes = await Promise.all(
            Array.from({ length: 20 }, (_, index) =>
              attempt(opened[index % handles] as Stores, first),
            ),
          );
          expect(kindsOf(outcomes)).toEqual({ done: 1, replayed: 19 });
          expect(new Set(outcomes.map(({ id, text }) => `${id} ${text}`)).size).toBe(1);
          const after = await allOf(opened[0] as Stores);
          expect(after.pets.length).toBeLessThanOrEqual(1);
          expect(after.orders.length).toBeLessThanOrEqual(1);
        });
      }

      test("is done once though what shares its commit fails", async () => {
        const stores = await prepared();
        await stores.keys.add(keyNamed("a"));
        const failing = rejectionOf(stores.keys.add(keyNamed("a")));
        const outcomes = await Promise.all([attempt(stores, first), attempt(stores, first)]);
        await failing;
        expect(kindsOf(outcomes)).toEqual({ done: 1, replayed: 1 });
      });
    });
  }

  describe(`idempotency keys on ${engine}`, () => {
    const add = ({ catalogue }: Stores, idempotency: IdempotentRequest) =>
      catalogue.add(bella, { idempotency });
    const place = ({ orders }: Stores, idempotency: IdempotentRequest, petId = 1n) =>
      orders.place({ petId, quantity: 1 }, nowMs, idempotency);

    test("what is done anew after 24 hours is remembered in place of the first", async () => {
      const stores = await open();
      doneOf(await add(stores, first));
      const anew = { ...first, fingerprint: "other", nowMs: nowMs + retentionMs };
      const { id, text } = doneOf(await add(stores, anew));
      expect(id).toBe(2n);
      const late = { ...anew, nowMs: anew.nowMs + retentionMs - 1 };
      expect(await add(stores, late)).toEqual({ kind: "replayed", id, text });
      expect(await add(stores, { ...late, fingerprint: "print" })).toEqual({ kind: "mismatch" });
      expect((await add(stores, { ...late, nowMs: late.nowMs + 1 })).kind).toBe("done");
    });

    test("it is remembered even where many older ones are not yet forgotten", async () => {
      const stores = await open();
      const keys = Array.from({ length: 30 }, (_, index) => `attempt ${index}`);
      for (const [index, idempotencyKey] of keys.entries()) {
        doneOf(await add(stores, { ...first, idempotencyKey, nowMs: nowMs + index }));
      }
      const anew = { ...first, idempotencyKey: "attempt 29", nowMs: nowMs + 29 + retentionMs };
      const { id, text } = doneOf(await add(stores, anew));
      expect(await add(stores, anew)).toEqual({ kind: "replayed", id, text });
    });

    test("one idempotency key stands for one request, whatever the request is for", async () => {
      const stores = await open();
      doneOf(await add(stores, first));
      expect(await place(stores, { ...first, fingerprint: "order" })).toEqual({ kind: "mismatch" });
      expect((await stores.orders.list({ limit: 1 })).orders).toEqual([]);
    });

    test("idempotency keys that look alike are not the same", async () => {
      const stores = await open();
      const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
      const keys = [
        "a",
        "A",
        "a ",
        " a",
        "%",
        "_",
        "a%",
        "x".repeat(255),
        `${"x".repeat(254)}y`,
      ].concat(visible.join(""), visible.toReversed().join(""));
      for (const idempotencyKey of keys) doneOf(await add(stores, { ...first, idempotencyKey }));
      for (const [index, idempotencyKey] of keys.entries()) {
        expect(await add(stores, { ...first, idempotencyKey })).toMatchObject({
          kind: "replayed",
          id: BigInt(index + 1),
        });
      }
    });

    test("the kept answer is exact to the largest id", async () => {
      const stores = await open();
      await stores.catalogue.import([{ ...bella, id: idGivenMax }]);
      doneOf(await add(stores, first));
      expect(await add(stores, first)).toEqual({
        kind: "replayed",
        id: 4611686018427387905n,
        text: '{"id":4611686018427387905,"name":"Bella","categoryId":3,"status":"available"}',
      });
    });

    test("an order for no pet stores no response", async () => {
      const stores = await open();
      expect(await place(stores, first, 5n)).toEqual({ kind: "no_such_pet" });
      await stores.catalogue.import([{ ...bella, id: 5n }]);
      doneOf(await place(stores, { ...first, fingerprint: "other" }, 5n));
    });

    test("an order for a taken pet stores no response", async () => {
      const stores = await open();
      await stores.catalogue.import([{ ...bella, id: 5n, status: "pending" }, bella]);
      expect((await place(stores, first, 5n)).kind).toBe("pet_not_available");
      doneOf(await place(stores, { ...first, fingerprint: "other" }, 6n));
    });

    test("a refused move and a move of no order store no response", async () => {
      const stores = await open();
      const { orders } = stores;
      expect((await orders.move(1n, "approve", first)).kind).toBe("no_such_order");
      await stores.catalogue.add(bella);
      doneOf(await orders.place({ petId: 1n, quantity: 1 }, nowMs));
      expect((await orders.move(1n, "deliver", first)).kind).toBe("refused");
      doneOf(await orders.move(1n, "approve", { ...first, fingerprint: "other" }));
    });

    test("a pet of an unknown category stores no response", async () => {
      const stores = await open();
      const terms = { idempotency: first, knownCategoryOnly: true };
      expect((await stores.catalogue.add(bella, terms)).kind).toBe("no_such_category");
      doneOf(await add(stores, { ...first, fingerprint: "other" }));
    });

    test("a clock that was set back forgets nothing", async () => {
      const stores = await open();
      doneOf(await add(stores, first));
      const earlier = { ...first, nowMs: nowMs - 3_600_000 };
      expect((await add(stores, earlier)).kind).toBe("replayed");
    });

    test("a write without an idempotency key is done every time", async () => {
      const { catalogue } = await open();
      for (const terms of [undefined, {}, { idempotency: undefined }]) {
        doneOf(await catalogue.add(bella, terms));
      }
      expect((await catalogue.list({ limit: 10 })).pets).toHaveLength(3);
    });
  });
}
