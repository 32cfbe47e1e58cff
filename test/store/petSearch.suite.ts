/** How pets are searched and counted, whichever engine they are stored on. */
import { describe, expect, test } from "bun:test";
import { int64Max, int64Min } from "../../src/contract/int64.ts";
import type { PetFilter, PetQuery } from "../../src/petstore/catalogue/catalogue.ts";
import type { NewPet, PetStatus } from "../../src/petstore/catalogue/pet.ts";
import { categoriesFilterMax, searchWordsOf } from "../../src/petstore/catalogue/petSearch.ts";
import type { Stores } from "../../src/storage/stores.ts";
import fc from "../../testkit/fastCheck.ts";
import { rounds } from "../../testkit/rounds.ts";
import { doneOf } from "./outcomes.ts";

const bella: NewPet = { name: "Bella", categoryId: 3n, status: "available" };

interface Kept extends NewPet {
  readonly id: bigint;
}

/** Written apart from the program, for names in which words are separated by one space. */
function plainly({ status, ids, categoryIds, words }: PetFilter, pet: Kept): boolean {
  const own = pet.name.toLowerCase().replaceAll("é", "e").split(" ");
  return (
    (status === undefined || pet.status === status) &&
    (ids === undefined || ids.includes(pet.id)) &&
    (categoryIds === undefined || categoryIds.includes(pet.categoryId)) &&
    (words === undefined || words.every((word) => own.some((each) => each.startsWith(word))))
  );
}

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describePetSearch(engine: string, open: () => Promise<Stores>): void {
  const idsOf = (texts: readonly string[]) =>
    texts.map((text) => BigInt(/^\{"id":(\d+),/.exec(text)?.[1] ?? "none"));
  const found = async ({ catalogue }: Stores, filter: PetFilter) =>
    idsOf((await catalogue.list({ ...filter, limit: 10_000 })).pets);
  const named = (stores: Stores, name: string) => found(stores, { words: searchWordsOf(name) });

  describe(`searching pets on ${engine}`, () => {
    const someWord = fc.constantFrom("bella", "Bellamy", "bell", "Rex", "rexine", "Léa", "x", "7");
    const somePets = fc.array(
      fc.record({
        name: fc.array(someWord, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
        categoryId: fc.constantFrom(3n, -3n, 33n, 0n, int64Max, int64Min),
        status: fc.constantFrom<PetStatus>("available", "pending", "sold"),
      }),
      { minLength: 30, maxLength: 40 },
    );
    const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined });
    const someStart = fc.constantFrom("b", "bel", "bella", "bellamy", "r", "rexi", "lea", "x", "7");
    const someFilter = fc.record({
      status: maybe(fc.constantFrom<PetStatus>("available", "pending", "sold")),
      ids: maybe(fc.array(fc.bigInt({ min: 0n, max: 45n }), { minLength: 1, maxLength: 30 })),
      categoryIds: maybe(
        fc.array(fc.constantFrom(3n, -3n, 33n, 1n, int64Max, int64Min), {
          minLength: 1,
          maxLength: 5,
        }),
      ),
      words: maybe(
        fc
          .uniqueArray(someStart, { minLength: 1, maxLength: 3 })
          .map((words) => searchWordsOf(words.join(" "))),
      ),
    });

    test("every mixture of filters finds and counts what a plain search does, page by page", async () => {
      const stores = await open();
      const [pets = []] = fc.sample(somePets, 1);
      const kept: Kept[] = [];
      for (const pet of pets) kept.push({ ...pet, id: doneOf(await stores.catalogue.add(pet)).id });
      await fc.assert(
        fc.asyncProperty(someFilter, fc.integer({ min: 1, max: 12 }), async (filter, limit) => {
          const expected = kept.filter((pet) => plainly(filter, pet)).map(({ id }) => id);
          const pages: bigint[][] = [];
          let after: bigint | undefined;
          do {
            const query: PetQuery = { ...filter, after, limit };
            const page = await stores.catalogue.list(query);
            pages.push(idsOf(page.pets));
            after = page.next;
          } while (after !== undefined);
          expect(pages.flat()).toEqual(expected);
          expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
          expect(await stores.catalogue.count(filter)).toBe(expected.length);
        }),
        { numRuns: rounds(150, 600) },
      );
    });

    test("a name is found by the beginning of any word, whatever its case and accents", async () => {
      const stores = await open();
      const names = [
        "Sir Purr-a-lot",
        "ÉLODIE",
        "e\u0301lodie",
        "Straße",
        "STRASSE",
        "STRAẞE",
        "ΟΔΟΣ",
        "İzmir",
        "ﬁdo",
        "日本 太郎",
        "हिन्दी",
        "🐕 Rex3",
        "O'Brien",
        "כֶּלֶב",
        "كَلْب",
        "أحمد",
      ];
      for (const name of names) await stores.catalogue.add({ ...bella, name });
      const finds = async (name: string) =>
        (await named(stores, name)).map((id) => names[Number(id) - 1] as string);
      expect(await finds("purr")).toEqual(["Sir Purr-a-lot"]);
      expect(await finds("LOT sir")).toEqual(["Sir Purr-a-lot"]);
      expect(await finds("urr")).toEqual([]);
      expect(await finds("elo")).toEqual(["ÉLODIE", "e\u0301lodie"]);
      expect(await finds("Élodie")).toEqual(["ÉLODIE", "e\u0301lodie"]);
      expect(await finds("strass")).toEqual(["Straße", "STRASSE", "STRAẞE"]);
      expect(await finds("straß")).toEqual(["Straße", "STRASSE", "STRAẞE"]);
      expect(await finds("οδοσ")).toEqual(["ΟΔΟΣ"]);
      expect(await finds("οδος")).toEqual(["ΟΔΟΣ"]);
      expect(await finds("izm")).toEqual(["İzmir"]);
      expect(await finds("fid")).toEqual(["ﬁdo"]);
      expect(await finds("日")).toEqual(["日本 太郎"]);
      expect(await finds("हिन्")).toEqual(["हिन्दी"]);
      expect(await finds("rex3")).toEqual(["🐕 Rex3"]);
      expect(await finds("brien o")).toEqual(["O'Brien"]);
      // Points are written or left out at will.
      expect(await finds("כלב")).toEqual(["כֶּלֶב"]);
      expect(await finds("كلب")).toEqual(["كَلْب"]);
      expect(await finds("كِلُب")).toEqual(["كَلْب"]);
      expect(await finds("احم")).toEqual(["أحمد"]);
    });

    test("nothing in a search or a name is an operator", async () => {
      const stores = await open();
      const names = [
        "Bella OR Rex",
        "Rex",
        "NOT",
        "AND",
        'near("a b", 2)',
        "terms: x",
        "bel*",
        "a'b",
      ];
      for (const name of names) await stores.catalogue.add({ ...bella, name });
      const finds = async (name: string) =>
        (await named(stores, name)).map((id) => names[Number(id) - 1] as string);
      expect(await finds("bella OR rex")).toEqual(["Bella OR Rex"]);
      expect(await finds("NOT rex")).toEqual([]);
      expect(await finds("not")).toEqual(["NOT"]);
      expect(await finds('"rex"')).toEqual(["Bella OR Rex", "Rex"]);
      expect(await finds("rex' | 'bella")).toEqual(["Bella OR Rex"]);
      expect(await finds("near(a b)")).toEqual(['near("a b", 2)']);
      expect(await finds("terms:x")).toEqual(["terms: x"]);
      expect(await finds("^x -y")).toEqual([]);
      expect(await finds("bel*")).toEqual(["Bella OR Rex", "bel*"]);
      expect(await finds("b:*")).toEqual(["Bella OR Rex", 'near("a b", 2)', "bel*", "a'b"]);
    });

    test("names of the greatest length are found by their words", async () => {
      const stores = await open();
      for (const name of ["x".repeat(255), "🐕".repeat(255), "ﷺ".repeat(255), "é ".repeat(127)]) {
        await stores.catalogue.add({ ...bella, name });
      }
      expect(await named(stores, "x".repeat(255))).toEqual([1n]);
      expect(await named(stores, "x")).toEqual([1n]);
      expect(await named(stores, `${"x".repeat(60)}y`)).toEqual([]);
      expect(await named(stores, "صلى الله")).toEqual([3n]);
      expect(await named(stores, "é e")).toEqual([4n]);
    });

    test("a negative category is another than its positive, and one is not a beginning", async () => {
      const stores = await open();
      for (const categoryId of [3n, -3n, 33n, int64Min, int64Max, 0n]) {
        await stores.catalogue.add({ ...bella, categoryId });
      }
      expect(await found(stores, { categoryIds: [3n] })).toEqual([1n]);
      expect(await found(stores, { categoryIds: [-3n] })).toEqual([2n]);
      expect(await found(stores, { categoryIds: [int64Min, int64Max, 0n, 0n] })).toEqual([
        4n,
        5n,
        6n,
      ]);
      expect(await found(stores, { categoryIds: [7n] })).toEqual([]);
      expect(await found(stores, { categoryIds: [] })).toEqual([]);
      const many = Array.from({ length: categoriesFilterMax }, (_, index) => BigInt(index));
      expect(await found(stores, { categoryIds: many })).toEqual([1n, 6n]);
    });

    test("a pet that is imported is found, and one that is added while others are listed", async () => {
      const stores = await open();
      await stores.catalogue.import([
        { ...bella, id: int64Max },
        { ...bella, id: 7n },
      ]);
      const [first] = await Promise.all([
        stores.catalogue.list({ words: ["bell"], limit: 1 }),
        stores.catalogue.add(bella),
      ]);
      expect(first).toMatchObject({ next: 7n });
      expect(await named(stores, "bella")).toEqual([7n, 8n, int64Max]);
      const idempotency = { keyId: "k", idempotencyKey: "i", fingerprint: "f", nowMs: 1 };
      await stores.catalogue.add({ ...bella, name: "Rex" }, { idempotency });
      expect(await named(stores, "rex")).toEqual([9n]);
    });

    test("a pet is found by what it was changed to, and no longer once it is deleted", async () => {
      const stores = await open();
      const { catalogue } = stores;
      await catalogue.add(bella);
      await catalogue.add(bella);
      // Sent together, so that they share a transaction.
      await Promise.all([
        catalogue.update(1n, { name: "Rex" }),
        catalogue.update(2n, { categoryId: -4n }),
        catalogue.update(2n, { status: "sold" }),
      ]);
      expect(await named(stores, "rex")).toEqual([1n]);
      expect(await named(stores, "bella")).toEqual([2n]);
      expect(await found(stores, { categoryIds: [3n] })).toEqual([1n]);
      expect(await found(stores, { categoryIds: [-4n], status: "sold" })).toEqual([2n]);
      await Promise.all([
        catalogue.update(1n, { name: "Max" }),
        catalogue.delete(1n),
        catalogue.update(2n, { name: "!" }),
      ]);
      expect(await named(stores, "max")).toEqual([]);
      expect(await named(stores, "rex")).toEqual([]);
      expect(await named(stores, "bella")).toEqual([]);
      expect(await catalogue.count({ categoryIds: [3n] })).toBe(0);
      await catalogue.import([{ ...bella, id: 1n, name: "Max again" }]);
      expect(await named(stores, "again")).toEqual([1n]);
      await Promise.all([catalogue.delete(1n), catalogue.import([{ ...bella, id: 1n }])]);
      expect(await named(stores, "bella")).toEqual([1n]);
      expect(await catalogue.count({ words: ["max"] })).toBe(0);
    });

    test("the status that a search asks for is that after an order", async () => {
      const stores = await open();
      await stores.catalogue.add(bella);
      await stores.catalogue.add(bella);
      doneOf(await stores.orders.place({ petId: 1n, quantity: 1 }, 1));
      const filter = { words: ["bel"], categoryIds: [3n] };
      expect(await found(stores, { ...filter, status: "pending" })).toEqual([1n]);
      expect(await found(stores, { ...filter, status: "available" })).toEqual([2n]);
      expect(await stores.catalogue.count({ ...filter, status: "available" })).toBe(1);
    });

    test("the one match behind thousands that lack only the status is found", async () => {
      const stores = await open();
      const sold = Array.from({ length: 2_500 }, () => ({ ...bella, name: "Bellatrix" }));
      await stores.catalogue.import(sold.map((pet) => ({ ...pet, status: "sold" as const })));
      await stores.catalogue.add({ ...bella, name: "Bellatrix" });
      await stores.catalogue.add({ ...bella, name: "Bellatrice" });
      const filter = { words: ["bellatri"], status: "available" as const };
      expect(await found(stores, filter)).toEqual([2_501n, 2_502n]);
      expect(await named(stores, "bellatrice")).toEqual([2_502n]);
      expect(await stores.catalogue.count(filter)).toBe(2);
      expect(await stores.catalogue.count({ words: ["bellatri"] })).toBe(2_502);
    });

    test("counts are those of the filter, and of everything without one", async () => {
      const stores = await open();
      expect(await stores.catalogue.count({})).toBe(0);
      for (const status of ["sold", "sold", "available"] as const) {
        await stores.catalogue.add({ ...bella, status });
      }
      expect(await stores.catalogue.count({})).toBe(3);
      expect(await stores.catalogue.count({ status: "sold" })).toBe(2);
      expect(await stores.catalogue.count({ ids: [1n, 3n, 99n] })).toBe(2);
      expect(await stores.catalogue.count({ categoryIds: [] })).toBe(0);
    });
  });

  describe(`orders of a pet on ${engine}`, () => {
    test("are listed and counted, with their status too", async () => {
      const { catalogue, orders } = await open();
      for (let petId = 1n; petId <= 3n; petId++) {
        await catalogue.add(bella);
        doneOf(await orders.place({ petId, quantity: 1 }, 1));
      }
      doneOf(await orders.move(2n, "approve"));
      const ofTwo = await orders.list({ petId: 2n, limit: 1 });
      expect(idsOf(ofTwo.orders)).toEqual([2n]);
      expect(ofTwo.next).toBeUndefined();
      expect((await orders.list({ petId: 2n, status: "placed", limit: 9 })).orders).toEqual([]);
      expect((await orders.list({ petId: 2n, status: "approved", limit: 9 })).orders).toHaveLength(
        1,
      );
      expect((await orders.list({ petId: 2n, after: 2n, limit: 9 })).orders).toEqual([]);
      expect((await orders.list({ petId: 99n, limit: 9 })).orders).toEqual([]);
      expect(await orders.count({})).toBe(3);
      expect(await orders.count({ status: "placed" })).toBe(2);
      expect(await orders.count({ petId: 2n })).toBe(1);
      expect(await orders.count({ petId: 2n, status: "placed" })).toBe(0);
    });
  });
}
