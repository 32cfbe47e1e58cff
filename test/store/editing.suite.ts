/** How pets are updated and deleted, whichever engine they are on. */
import { describe, expect, test } from "bun:test";
import { int64Max, int64Min } from "../../src/contract/int64.ts";
import { idGivenMax } from "../../src/petstore/catalogue/catalogue.ts";
import {
  entityTag,
  type NewPet,
  type PetPatch,
  type PetStatus,
} from "../../src/petstore/catalogue/pet.ts";
import type { OrderEvent } from "../../src/petstore/orders/orders.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { spellings } from "./catalogue.suite.ts";
import { doneOf, kindsOf } from "./outcomes.ts";

const bella: NewPet = { name: "Bella", categoryId: 3n, status: "available" };
const nowMs = Date.UTC(2026, 10, 15, 12);
const limit = 10_000;
const text = (id: bigint, { name = '"Bella"', categoryId = 3n, status = "available" } = {}) =>
  `{"id":${id},"name":${name},"categoryId":${categoryId},"status":"${status}"}`;

async function petIn({ catalogue }: Stores, changes: Partial<NewPet> = {}): Promise<bigint> {
  return doneOf(await catalogue.add({ ...bella, ...changes })).id;
}

async function orderIn({ orders }: Stores, petId: bigint, ...events: OrderEvent[]) {
  const { id } = doneOf(await orders.place({ petId, quantity: 1 }, nowMs));
  for (const event of events) doneOf(await orders.move(id, event));
  return id;
}

const petsIn = async ({ catalogue }: Stores) => (await catalogue.list({ limit })).pets;

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeEditing(engine: string, open: () => Promise<Stores>): void {
  describe(`updating a pet on ${engine}`, () => {
    const patches: [patch: PetPatch, left: Parameters<typeof text>[1]][] = [
      [{ name: "Rex" }, { name: '"Rex"', status: "sold" }],
      [{ categoryId: int64Min }, { categoryId: int64Min, status: "sold" }],
      [{ status: "pending" }, { status: "pending" }],
      [{ status: null }, { status: "available" }],
      [{}, { status: "sold" }],
      [
        { name: "Rex", categoryId: int64Max, status: "available" },
        { name: '"Rex"', categoryId: int64Max },
      ],
    ];
    for (const [patch, left] of patches) {
      const named = JSON.stringify(patch, (_, value) =>
        typeof value === "bigint" ? String(value) : value,
      );
      test(`with ${named} changes that and nothing else`, async () => {
        const stores = await open();
        const [other, id] = [await petIn(stores), await petIn(stores, { status: "sold" })];
        expect(await stores.catalogue.update(id, patch)).toEqual({
          kind: "done",
          id,
          text: text(id, left),
        });
        expect(await stores.catalogue.get(id)).toBe(text(id, left));
        expect(await petsIn(stores)).toEqual([text(other), text(id, left)]);
        for (const status of ["available", "pending", "sold"] as const) {
          const { pets } = await stores.catalogue.list({ status, limit, ids: [id] });
          const { pets: all } = await stores.catalogue.list({ status, limit });
          const expected = (left?.status ?? "available") === status ? [text(id, left)] : [];
          expect([pets, all.filter((each) => each !== text(other))]).toEqual([expected, expected]);
        }
      });
    }

    test("keeps every spelling of a name, and only what is of a pet", async () => {
      const stores = await open();
      const id = await petIn(stores);
      for (const [name, json] of spellings) {
        const patch = { name, id: 99n, colour: "red" };
        doneOf(await stores.catalogue.update(id, patch));
        expect(await stores.catalogue.get(id)).toBe(text(id, { name: json }));
      }
    });

    test("that is not there does nothing", async () => {
      const stores = await open();
      const id = await petIn(stores);
      for (const unknown of [id + 1n, 0n, -1n, int64Max, int64Min]) {
        const terms = { ifMatch: "*" } as const;
        const refused = { kind: "no_such_pet" } as const;
        expect(await stores.catalogue.update(unknown, { name: "Rex" }, terms)).toEqual(refused);
        expect(await stores.catalogue.delete(unknown, terms)).toEqual(refused);
      }
      expect(await petsIn(stores)).toEqual([text(id)]);
    });

    test("under an entity tag happens only where the pet still has it", async () => {
      const stores = await open();
      const id = await petIn(stores);
      const tag = entityTag(text(id));
      const rename = (name: string, ...ifMatch: string[]) =>
        stores.catalogue.update(id, { name }, { ifMatch });
      expect((await rename("Rex")).kind).toBe("precondition_failed");
      expect((await rename("Rex", '"other"', `W/${tag}`)).kind).toBe("precondition_failed");
      expect(await petsIn(stores)).toEqual([text(id)]);
      doneOf(await rename("Rex", '"other"', tag));
      expect((await rename("Max", tag)).kind).toBe("precondition_failed");
      // That of the list with the pet alone, as getPet's successor has it.
      doneOf(await rename("Max", entityTag(`[${text(id, { name: '"Rex"' })}]`)));
      doneOf(await stores.catalogue.update(id, { name: "Luna" }, { ifMatch: "*" }));
      expect((await stores.catalogue.delete(id, { ifMatch: [tag] })).kind).toBe(
        "precondition_failed",
      );
      doneOf(
        await stores.catalogue.delete(id, {
          ifMatch: [entityTag(text(id, { name: '"Luna"' }))],
        }),
      );
    });

    test("50 times at once under one entity tag through two handles succeeds exactly once", async () => {
      const handles = [await open(), await open()] as const;
      const id = await petIn(handles[0]);
      const ifMatch = [entityTag(text(id))];
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          handles[index % 2 === 0 ? 0 : 1].catalogue.update(id, { name: `${index}` }, { ifMatch }),
        ),
      );
      expect(kindsOf(outcomes)).toEqual({ done: 1, precondition_failed: 49 });
      const done = outcomes.find(({ kind }) => kind === "done") as { text: string };
      expect(await handles[0].catalogue.get(id)).toBe(done.text);
    });

    for (const events of [[], ["approve"]] as OrderEvent[][]) {
      test(`of an order that is ${events[0] ?? "place"}d keeps its status, and the rest may change`, async () => {
        const stores = await open();
        const id = await petIn(stores);
        const orderId = await orderIn(stores, id, ...events);
        for (const status of ["available", "sold", null] as const) {
          expect(await stores.catalogue.update(id, { name: "Rex", status })).toEqual({
            kind: "reserved",
            orderId,
          });
        }
        expect(await stores.catalogue.delete(id)).toEqual({ kind: "reserved", orderId });
        expect(await petsIn(stores)).toEqual([text(id, { status: "pending" })]);
        const patch = { name: "Rex", status: "pending" } as const;
        doneOf(await stores.catalogue.update(id, patch));
        const rest =
          events.length === 0 ? (["approve", "deliver"] as const) : (["deliver"] as const);
        for (const event of rest) doneOf(await stores.orders.move(orderId, event));
        expect(await petsIn(stores)).toEqual([text(id, { name: '"Rex"', status: "sold" })]);
      });
    }

    for (const events of [["cancel"], ["approve", "deliver"]] as OrderEvent[][]) {
      test(`after its order ended with ${events.at(-1)} is free, and it can be ordered again`, async () => {
        const stores = await open();
        const id = await petIn(stores);
        const first = await orderIn(stores, id, ...events);
        for (const status of ["sold", "pending", "available"] as const) {
          doneOf(await stores.catalogue.update(id, { status }));
        }
        const second = await orderIn(stores, id);
        expect(await stores.catalogue.delete(id)).toEqual({ kind: "reserved", orderId: second });
        expect(second).toBeGreaterThan(first);
      });
    }

    test("follows its orders within a batch", async () => {
      const stores = await open();
      const { catalogue, orders } = stores;
      const id = await petIn(stores);
      const orderId = await orderIn(stores, id);
      const outcomes = await Promise.all([
        catalogue.update(id, { status: "sold" }),
        orders.move(orderId, "cancel"),
        catalogue.update(id, { status: "sold" }),
        catalogue.update(id, { status: "available" }),
        orders.place({ petId: id, quantity: 1 }, nowMs),
        catalogue.update(id, { status: "sold" }),
        catalogue.delete(id),
        orders.move(orderId + 1n, "cancel"),
        catalogue.delete(id),
      ]);
      expect(outcomes.map(({ kind }) => kind).join(" ")).toBe(
        "reserved done done done done reserved reserved done done",
      );
      expect(await petsIn(stores)).toEqual([]);
    });

    test("to a category that is not there is refused where categories are enforced", async () => {
      const stores = await open();
      const id = await petIn(stores);
      await stores.categories.add("Dogs", 7n);
      const terms = { knownCategoryOnly: true };
      const update = (patch: PetPatch) => stores.catalogue.update(id, patch, terms);
      expect(await update({ categoryId: 8n })).toEqual({ kind: "no_such_category" });
      // It is in none itself, which does not keep it from getting another name.
      doneOf(await update({ name: "Rex", categoryId: 3n }));
      doneOf(await update({ categoryId: 7n }));
      expect(await petsIn(stores)).toEqual([text(id, { name: '"Rex"', categoryId: 7n })]);
    });
  });

  describe(`deleting a pet on ${engine}`, () => {
    test("leaves nothing of it but its orders, and others stay", async () => {
      const stores = await open();
      const { catalogue, orders } = stores;
      const ids = [await petIn(stores), await petIn(stores), await petIn(stores)] as const;
      const [one, id, three] = ids;
      const orderId = await orderIn(stores, id, "cancel");
      const order = await orders.get(orderId);
      expect(await catalogue.delete(id)).toEqual({ kind: "done", id, text: "" });
      expect(await catalogue.get(id)).toBeUndefined();
      expect(await petsIn(stores)).toEqual([text(one), text(three)]);
      expect((await catalogue.list({ ids, limit })).pets).toEqual([text(one), text(three)]);
      expect((await catalogue.list({ status: "available", limit })).pets).toHaveLength(2);
      expect(await orders.get(orderId)).toBe(order);
      expect((await orders.list({ limit })).orders).toEqual([order as string]);
      const gone = { kind: "no_such_pet" } as const;
      expect(await catalogue.delete(id)).toEqual(gone);
      expect(await catalogue.update(id, { name: "Rex" })).toEqual(gone);
      expect(await orders.place({ petId: id, quantity: 1 }, nowMs)).toEqual(gone);
      expect(await orders.move(orderId, "approve")).toEqual({
        kind: "refused",
        status: "cancelled",
      });
    });

    test("never frees its id, even if it is the largest", async () => {
      const stores = await open();
      const ids: bigint[] = [];
      for (let round = 0; round < 4; round++) {
        const handle = round % 2 === 0 ? stores : await open();
        const id = await petIn(handle);
        doneOf(await handle.catalogue.delete(id));
        ids.push(id);
      }
      expect(ids).toEqual([1n, 2n, 3n, 4n]);
    });

    test("never frees an id beyond those that are assigned in turn", async () => {
      const stores = await open();
      const { catalogue } = stores;
      const far = [1n, 2n, 4n].map((step) => idGivenMax + step);
      await catalogue.import([idGivenMax, ...far].map((id) => ({ ...bella, id })));
      const [, second, third] = far as [bigint, bigint, bigint];
      doneOf(await catalogue.delete(second));
      const [, added] = await Promise.all([catalogue.delete(third), catalogue.add(bella)]);
      expect(doneOf(added).id).toBe(idGivenMax + 3n);
      expect(await petIn(await open())).toBe(idGivenMax + 5n);
      // The one above is deleted too: it comes back only where an import names it.
      expect(await catalogue.import([{ ...bella, id: third }])).toMatchObject({ added: 1 });
    });

    test("nor one that is imported and deleted in one batch", async () => {
      const { catalogue } = await open();
      await catalogue.import([{ ...bella, id: idGivenMax }]);
      const far = idGivenMax + 1n;
      const [, deleted] = await Promise.all([
        catalogue.import([{ ...bella, id: far }]),
        catalogue.delete(far),
      ]);
      doneOf(deleted);
      expect(await petIn(await open())).toBe(idGivenMax + 2n);
    });

    test("and importing it again brings it back, as the import has it", async () => {
      const stores = await open();
      const id = await petIn(stores);
      doneOf(await stores.catalogue.delete(id));
      const back = { ...bella, id, name: "Back" };
      expect(await stores.catalogue.import([back])).toMatchObject({ kind: "stored", added: 1 });
      expect(await petsIn(stores)).toEqual([text(id, { name: '"Back"' })]);
    });

    test("and bringing it back, changing and deleting it in one batch leaves the last of all", async () => {
      const stores = await open();
      const { catalogue } = stores;
      const [other, id] = [await petIn(stores), await petIn(stores)];
      const back = (name: string) => catalogue.import([{ ...bella, id, name }]);
      const outcomes = await Promise.all([
        catalogue.update(id, { name: "One" }),
        catalogue.delete(id),
        back("Two"),
        catalogue.update(id, { name: "Three" }),
        catalogue.delete(id),
        catalogue.update(id, { name: "Four" }),
        back("Five"),
        catalogue.update(id, { status: "sold" }),
        catalogue.add(bella),
        catalogue.delete(id + 1n),
        catalogue.update(other, { name: "Six" }),
        catalogue.delete(other),
      ]);
      expect(kindsOf(outcomes)).toEqual({ done: 9, stored: 2, no_such_pet: 1 });
      expect(await petsIn(stores)).toEqual([text(id, { name: '"Five"', status: "sold" })]);
    });

    test("while it is ordered: one of the two happens, through two handles", async () => {
      const [one, two] = [await open(), await open()];
      const ids = await Promise.all(Array.from({ length: 40 }, () => petIn(one)));
      const outcomes = await Promise.all(
        ids.map((id, index) =>
          Promise.all([
            (index % 2 === 0 ? one : two).catalogue.delete(id),
            (index % 2 === 0 ? two : one).orders.place({ petId: id, quantity: 1 }, nowMs),
          ]),
        ),
      );
      for (const [index, [deleted, placed]] of outcomes.entries()) {
        const kinds = `${deleted.kind} ${placed.kind}`;
        expect(["done no_such_pet", "reserved done"]).toContain(kinds);
        const left = await two.catalogue.get(ids[index] as bigint);
        expect(left === undefined).toBe(deleted.kind === "done");
      }
    });

    test("20 times at once through two handles succeeds exactly once", async () => {
      const handles = [await open(), await open()] as const;
      const id = await petIn(handles[0]);
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          handles[index % 2 === 0 ? 0 : 1].catalogue.delete(id),
        ),
      );
      expect(kindsOf(outcomes)).toEqual({ done: 1, no_such_pet: 19 });
    });

    for (const status of [undefined, "available"] as (PetStatus | undefined)[]) {
      test(`while others page${status === undefined ? "" : " by status"} hides no other pet`, async () => {
        const stores = await open();
        const ids = await Promise.all(Array.from({ length: 30 }, () => petIn(stores)));
        for (const size of [1, 4, 7]) {
          const stay: string[] = [...(await petsIn(stores))];
          const visited: string[] = [];
          let after: bigint | undefined;
          do {
            const page = await stores.catalogue.list({ after, limit: size, status });
            visited.push(...page.pets);
            after = page.next;
            // That which the page ended with, and the one it would go on with.
            for (const id of after === undefined ? [] : [after, after + 1n]) {
              const gone = text(id);
              if (ids.indexOf(id) % 5 !== size % 5 || !stay.includes(gone)) continue;
              doneOf(await stores.catalogue.delete(id));
              stay.splice(stay.indexOf(gone), 1);
            }
          } while (after !== undefined);
          expect(new Set(visited).size).toBe(visited.length);
          expect(visited.filter((each) => stay.includes(each))).toEqual(stay);
        }
      });
    }
  });
}
