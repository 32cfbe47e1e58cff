/** What every store of categories does, whichever engine it runs on. */
import { describe, expect, test } from "bun:test";
import { int64Max, int64Min } from "../../src/contract/int64.ts";
import type { Category } from "../../src/petstore/catalogue/categories.ts";
import type { Stores } from "../../src/storage/stores.ts";
import fc from "../../testkit/fastCheck.ts";
import { rounds } from "../../testkit/rounds.ts";
import { spellings } from "./catalogue.suite.ts";
import { doneOf, kindsOf } from "./outcomes.ts";

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeCategories(engine: string, open: () => Promise<Stores>): void {
  const allOf = async ({ categories }: Stores) =>
    (await categories.list({ limit: 10_000 })).categories;

  describe(`the categories on ${engine}`, () => {
    test("the first one is 1, and each later one follows the largest", async () => {
      const stores = await open();
      const { categories } = stores;
      const added = async (name: string, id?: bigint) => {
        const outcome = await categories.add(name, id);
        return outcome.kind === "done" ? outcome.id : outcome.kind;
      };
      expect(await added("Dogs")).toBe(1n);
      expect(await added("Cats")).toBe(2n);
      expect(await added("Birds", 40n)).toBe(40n);
      expect(await added("Fish", 7n)).toBe(7n);
      expect(await added("Mice")).toBe(41n);
      expect(await allOf(stores)).toEqual([
        { id: 1n, name: "Dogs" },
        { id: 2n, name: "Cats" },
        { id: 7n, name: "Fish" },
        { id: 40n, name: "Birds" },
        { id: 41n, name: "Mice" },
      ]);
    });

    test("where all ids are negative the next one still follows the largest", async () => {
      const { categories } = await open();
      await categories.add("Ghosts", -5n);
      expect(await categories.add("Shades")).toEqual({
        kind: "done",
        id: -4n,
        text: '{"id":-4,"name":"Shades"}',
      });
    });

    test("past the largest int64 there is no next one, and nothing is added", async () => {
      const stores = await open();
      await stores.categories.add("Last", int64Max);
      expect(await stores.categories.add("Later")).toEqual({ kind: "no_id_left" });
      expect(await allOf(stores)).toEqual([{ id: int64Max, name: "Last" }]);
    });

    test("a taken id or name is refused with who has it", async () => {
      const stores = await open();
      const dogs: Category = { id: 3n, name: "Dogs" };
      const cats: Category = { id: 4n, name: "Cats" };
      await stores.categories.add(dogs.name, dogs.id);
      await stores.categories.add(cats.name, cats.id);
      const { categories } = stores;
      expect(await categories.add("Wolves", 3n)).toEqual({ kind: "taken", by: dogs });
      expect(await categories.add("Dogs")).toEqual({ kind: "taken", by: dogs });
      expect(await categories.add("Dogs", 3n)).toEqual({ kind: "taken", by: dogs });
      expect(await categories.add("Dogs", 9n)).toEqual({ kind: "taken", by: dogs });
      expect(await categories.add("Dogs", 4n)).toEqual({ kind: "taken", by: cats });
      expect(await allOf(stores)).toEqual([dogs, cats]);
    });

    test("names differ by every letter, and come back as they were given", async () => {
      const stores = await open();
      const names = [
        ...spellings.map(([name]) => name),
        "dogs",
        "Dogs",
        "Dogs ",
        "\u00e9",
        "e\u0301",
      ];
      for (const name of names) expect((await stores.categories.add(name)).kind).toBe("done");
      expect((await allOf(stores)).map(({ name }) => name)).toEqual(names);
    });

    test("of 20 that add one name at once through two handles, one succeeds", async () => {
      const handles = [await open(), await open()] as const;
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          handles[index % 2 === 0 ? 0 : 1].categories.add("Dogs"),
        ),
      );
      expect(kindsOf(outcomes)).toEqual({ done: 1, taken: 19 });
      expect(await allOf(handles[0])).toEqual([{ id: 1n, name: "Dogs" }]);
    });

    test("one that is removed is gone, and its name is free again", async () => {
      const stores = await open();
      await stores.categories.add("Dogs", int64Min);
      expect(await stores.categories.remove(int64Min)).toMatchObject({ kind: "done" });
      expect(await stores.categories.remove(int64Min)).toEqual({ kind: "no_such_category" });
      expect(await allOf(stores)).toEqual([]);
      expect((await stores.categories.add("Dogs", 2n)).kind).toBe("done");
    });

    test("pets keep the id of a category that is gone", async () => {
      const { catalogue, categories } = await open();
      await categories.add("Dogs", 3n);
      await catalogue.add({ name: "Bella", categoryId: 3n, status: "available" });
      await categories.remove(3n);
      expect(await catalogue.get(1n)).toContain('"categoryId":3,');
    });

    test("one that a pet has is not removed where that is asked, until no pet has it", async () => {
      const stores = await open();
      const { catalogue, categories } = stores;
      for (const id of [3n, -3n, int64Min]) {
        await categories.add(`category ${id}`, id);
        const pet = { name: "Bella", categoryId: id, status: "sold" } as const;
        const { id: petId } = doneOf(await catalogue.add(pet));
        const unused = { unusedOnly: true };
        expect(await categories.remove(id, unused)).toEqual({ kind: "in_use", petId });
        await catalogue.update(petId, { categoryId: 33n });
        expect((await categories.remove(id, unused)).kind).toBe("done");
        await catalogue.delete(petId);
      }
      await categories.add("Dogs", 33n);
      expect((await categories.remove(33n, { unusedOnly: true })).kind).toBe("done");
      expect(await allOf(stores)).toEqual([]);
    });

    test("of a removal and pets that are added at once, either the category or the pets go", async () => {
      const stores = await open();
      for (let id = 1n; id <= 10n; id++) {
        await stores.categories.add(`category ${id}`, id);
        const pet = { name: "Bella", categoryId: id, status: "available" } as const;
        const [removed, added] = await Promise.all([
          stores.categories.remove(id, { unusedOnly: true }),
          stores.catalogue.add(pet, { knownCategoryOnly: true }),
        ]);
        const both = [removed.kind, added.kind];
        expect([
          ["done", "no_such_category"],
          ["in_use", "done"],
        ]).toContainEqual(both);
      }
    });

    test("one gets another name, which must be free, and may keep its own", async () => {
      const stores = await open();
      const { categories } = stores;
      await categories.add("Dogs", int64Max);
      await categories.add("Cats", 4n);
      const renamed = { kind: "done", id: int64Max, text: `{"id":${int64Max},"name":"Hounds"}` };
      expect(await categories.rename(int64Max, "Hounds")).toEqual(renamed as never);
      expect(await categories.rename(int64Max, "Hounds")).toEqual(renamed as never);
      const cats = { id: 4n, name: "Cats" };
      expect(await categories.rename(int64Max, "Cats")).toEqual({ kind: "taken", by: cats });
      expect(await categories.rename(5n, "Birds")).toEqual({ kind: "no_such_category" });
      expect(await categories.rename(5n, "Cats")).toEqual({ kind: "no_such_category" });
      expect(await allOf(stores)).toEqual([cats, { id: int64Max, name: "Hounds" }]);
    });

    test("a repetition under an idempotency key changes nothing and gets the first response", async () => {
      const stores = await open();
      const { categories } = stores;
      const under = (idempotencyKey: string, fingerprint = "f", nowMs = 1) => ({
        keyId: "k",
        idempotencyKey,
        fingerprint,
        nowMs,
      });
      const first = doneOf(await categories.add("Dogs", int64Min, under("a")));
      await categories.rename(int64Min, "Hounds", under("b"));
      expect(await categories.add("Dogs", int64Min, under("a"))).toEqual({
        ...first,
        kind: "replayed",
      });
      expect(await categories.add("Dogs", 1n, under("a", "g"))).toEqual({ kind: "mismatch" });
      expect((await categories.rename(int64Min, "Hounds", under("b"))).kind).toBe("replayed");
      expect((await categories.remove(9n, { idempotency: under("c") })).kind).toBe(
        "no_such_category",
      );
      const terms = { idempotency: under("c"), unusedOnly: true };
      expect((await categories.remove(int64Min, terms)).kind).toBe("done");
      expect((await categories.remove(int64Min, terms)).kind).toBe("replayed");
      const dayLater = under("a", "g", 1 + 24 * 3_600_000);
      expect((await categories.add("Dogs", 2n, dayLater)).kind).toBe("done");
      expect(await allOf(stores)).toEqual([{ id: 2n, name: "Dogs" }]);
    });

    test("they are there after reopening", async () => {
      const before = await open();
      await before.categories.add("Dogs", 3n);
      await before.close();
      expect(await allOf(await open())).toEqual([{ id: 3n, name: "Dogs" }]);
    });

    test("every page is what a plain search finds, whatever the ids", async () => {
      const { categories } = await open();
      const ids = [
        int64Min,
        int64Min + 1n,
        -(2n ** 53n) - 1n,
        -2n,
        -1n,
        0n,
        1n,
        2n ** 53n + 1n,
      ].concat([int64Max - 1n, int64Max]);
      for (const id of ids.toReversed()) await categories.add(`category ${id}`, id);
      const query = fc.record({
        after: fc.option(fc.constantFrom(...ids, -3n, 5n), { nil: undefined }),
        limit: fc.integer({ min: 1, max: ids.length + 1 }),
      });
      await fc.assert(
        fc.asyncProperty(query, async ({ after, limit }) => {
          const following = ids.filter((id) => after === undefined || id > after);
          const page = following.slice(0, limit);
          expect(await categories.list({ after, limit })).toEqual({
            categories: page.map((id) => ({ id, name: `category ${id}` })),
            next: following.length > page.length ? page.at(-1) : undefined,
          });
        }),
        { numRuns: rounds(100, 300) },
      );
    });
  });

  describe(`adding a pet where only known categories are taken, on ${engine}`, () => {
    const terms = { knownCategoryOnly: true };
    const bella = { name: "Bella", categoryId: -3n, status: "available" } as const;

    test("one of an unknown category is refused and leaves nothing", async () => {
      const { catalogue, categories } = await open();
      await categories.add("Dogs", 3n);
      expect(await catalogue.add(bella, terms)).toEqual({ kind: "no_such_category" });
      expect((await catalogue.list({ limit: 1 })).pets).toEqual([]);
    });

    test("one of a known category is added", async () => {
      const { catalogue, categories } = await open();
      await categories.add("Dogs", -3n);
      expect(await catalogue.add(bella, terms)).toEqual({
        kind: "done",
        id: 1n,
        text: '{"id":1,"name":"Bella","categoryId":-3,"status":"available"}',
      });
    });

    test("a category is known from the moment it is added until it is removed", async () => {
      const { catalogue, categories } = await open();
      expect((await catalogue.add(bella, terms)).kind).toBe("no_such_category");
      await categories.add("Dogs", -3n);
      expect((await catalogue.add(bella, terms)).kind).toBe("done");
      await categories.remove(-3n);
      expect((await catalogue.add(bella, terms)).kind).toBe("no_such_category");
    });

    test("without that term any category is taken", async () => {
      const { catalogue } = await open();
      for (const free of [undefined, {}, { knownCategoryOnly: false }]) {
        expect((await catalogue.add(bella, free)).kind).toBe("done");
      }
    });
  });
}
