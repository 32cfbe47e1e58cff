/** What every catalogue does, whichever engine it runs on. */
import { describe, expect, test } from "bun:test";
import { int64Max, int64Min } from "../../src/contract/int64.ts";
import {
  type ImportedPet,
  idGivenMax,
  idsFilterMax,
  type PetQuery,
} from "../../src/petstore/catalogue/catalogue.ts";
import type { NewPet, PetStatus } from "../../src/petstore/catalogue/pet.ts";
import type { Stores } from "../../src/storage/stores.ts";
import fc from "../../testkit/fastCheck.ts";
import { rounds } from "../../testkit/rounds.ts";
import { doneOf } from "./outcomes.ts";

const statuses: readonly PetStatus[] = ["available", "pending", "sold"];
const bella: NewPet = { name: "Bella", categoryId: 3n, status: "available" };

/** Names, and how JSON spells them, written by hand. */
export const spellings: readonly (readonly [name: string, json: string])[] = [
  ["O'Brien", `"O'Brien"`],
  ['She said "sit"', String.raw`"She said \"sit\""`],
  ["back\\slash/", String.raw`"back\\slash/"`],
  ["'); DROP TABLE pets; --", `"'); DROP TABLE pets; --"`],
  ["?1 $name :x @y %_", `"?1 $name :x @y %_"`],
  ["line\nbreak\ttab\rreturn", String.raw`"line\nbreak\ttab\rreturn"`],
  ["\u0001\u001f\u007f", '"\\u0001\\u001f\u007f"'],
  ["🐕‍🦺 𐍈", `"🐕‍🦺 𐍈"`],
  // The same letter twice, composed and decomposed: nobody may turn one into the other.
  ["\u00e9 e\u0301", '"\u00e9 e\u0301"'],
  ["\u2028\u2029\ufeff\ufffd", '"\u2028\u2029\ufeff\ufffd"'],
];

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeCatalogue(engine: string, open: () => Promise<Stores>): void {
  const allOf = async ({ catalogue }: Stores, query: Partial<PetQuery> = {}) =>
    (await catalogue.list({ limit: 10_000, ...query })).pets;
  const idsOf = async (stores: Stores) =>
    (await allOf(stores)).map((text) => BigInt(/^\{"id":(-?\d+),/.exec(text)?.[1] ?? "none"));

  describe(`the catalogue on ${engine}`, () => {
    test("ids start at 1 and grow by order of adding", async () => {
      const { catalogue } = await open();
      expect(await catalogue.add(bella)).toEqual({
        kind: "done",
        id: 1n,
        text: '{"id":1,"name":"Bella","categoryId":3,"status":"available"}',
      });
      expect(await catalogue.add({ ...bella, name: "Rex" })).toEqual({
        kind: "done",
        id: 2n,
        text: '{"id":2,"name":"Rex","categoryId":3,"status":"available"}',
      });
    });

    test("a pet is the same JSON in a look-up and in a list", async () => {
      const { catalogue } = await open();
      await catalogue.add({ name: "Bella", categoryId: -7n, status: "pending" });
      const text = '{"id":1,"name":"Bella","categoryId":-7,"status":"pending"}';
      expect(await catalogue.get(1n)).toBe(text);
      expect(await catalogue.list({ limit: 1 })).toMatchObject({ pets: [text], next: undefined });
    });

    test("what is not of a pet is not stored with it", async () => {
      const { catalogue } = await open();
      const stranger = { ...bella, id: 99n, owner: "nobody" };
      const { id, text } = doneOf(await catalogue.add(stranger));
      expect(id).toBe(1n);
      expect(text).toBe('{"id":1,"name":"Bella","categoryId":3,"status":"available"}');
      expect(await catalogue.get(99n)).toBeUndefined();
    });

    test("no pet has an id that was not given out", async () => {
      const { catalogue } = await open();
      await catalogue.add(bella);
      for (const id of [2n, 0n, -1n, int64Max, int64Min]) {
        expect(await catalogue.get(id)).toBeUndefined();
      }
    });

    test("ids go on where they were after reopening", async () => {
      const before = await open();
      await before.catalogue.add(bella);
      await before.catalogue.add(bella);
      await before.close();
      expect(doneOf(await (await open()).catalogue.add(bella)).id).toBe(3n);
    });

    test("200 pets added at once get 200 ids and are all listed", async () => {
      const stores = await open();
      const added = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          stores.catalogue.add({ ...bella, name: `pet ${index}`, categoryId: BigInt(index) }),
        ),
      );
      const ids = added.map((outcome) => doneOf(outcome).id);
      const texts = ids.map(
        (id, index) =>
          `{"id":${id},"name":"pet ${index}","categoryId":${index},"status":"available"}`,
      );
      expect(added.map((outcome) => doneOf(outcome).text)).toEqual(texts);
      const listed = await allOf(stores);
      expect(listed.toSorted()).toEqual(texts.toSorted());
      expect(await idsOf(stores)).toEqual(ids.map((_, index) => BigInt(index + 1)));
    });

    test("two handles on one store never give out the same id", async () => {
      const [one, two] = [await open(), await open()];
      const added = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          (index % 2 === 0 ? one : two).catalogue.add(bella),
        ),
      );
      expect(new Set(added.map((outcome) => doneOf(outcome).id)).size).toBe(100);
      expect(await allOf(one)).toEqual(await allOf(two));
    });

    test("the extremes of int64 come back digit for digit", async () => {
      const { catalogue } = await open();
      for (const categoryId of [int64Min, int64Max, 0n, 2n ** 53n + 1n, -(2n ** 53n) - 1n]) {
        const { id } = doneOf(await catalogue.add({ ...bella, categoryId }));
        const text = `{"id":${id},"name":"Bella","categoryId":${categoryId},"status":"available"}`;
        expect(await catalogue.get(id)).toBe(text);
      }
    });

    for (const [name, json] of spellings) {
      test(`the name ${json} comes back as it was given`, async () => {
        const { catalogue } = await open();
        const { id } = doneOf(await catalogue.add({ ...bella, name }));
        const text = `{"id":${id},"name":${json},"categoryId":3,"status":"available"}`;
        expect(await catalogue.get(id)).toBe(text);
        expect((await catalogue.list({ limit: 1 })).pets).toEqual([text]);
      });
    }

    test("a name of 255 code points of four bytes each is kept whole", async () => {
      const { catalogue } = await open();
      const name = "🐕".repeat(255);
      const { id } = doneOf(await catalogue.add({ ...bella, name }));
      expect(await catalogue.get(id)).toContain(`"name":"${name}"`);
    });
  });

  describe(`listing on ${engine}`, () => {
    /** Written apart from the engines, in the plainest way there is. */
    interface Kept {
      readonly id: bigint;
      readonly status: PetStatus;
      readonly text: string;
    }
    const kept: readonly Kept[] = [1n, 2n, 3n, 5n, 8n, 13n, 100n, 101n, 102n, 103n, 2n ** 53n]
      .concat([2n ** 53n + 1n, 2n ** 53n + 2n, int64Max - 1n, int64Max])
      .map((id, index) => ({ id, status: statuses[(index * 7) % 3] as PetStatus }))
      .map(({ id, status }) => ({
        id,
        status,
        text: `{"id":${id},"name":"n${id}","categoryId":1,"status":"${status}"}`,
      }));

    function expected(query: PetQuery) {
      const matching = kept.filter(
        ({ id, status }) =>
          (query.status === undefined || status === query.status) &&
          (query.ids === undefined || query.ids.includes(id)) &&
          (query.after === undefined || id > query.after),
      );
      const page = matching.slice(0, query.limit);
      const more = matching.length > page.length;
      return {
        pets: page.map(({ text }) => text),
        next: more ? page.at(-1)?.id : undefined,
        readUpTo: more ? matching[query.limit]?.id : undefined,
      };
    }

    const someId = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...kept.map(({ id }) => id)) },
      fc.constantFrom(0n, -1n, 4n, int64Min, int64Max - 2n),
    );
    const someQuery: fc.Arbitrary<PetQuery> = fc.record({
      status: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
      ids: fc.option(fc.array(someId, { maxLength: idsFilterMax }), { nil: undefined }),
      after: fc.option(someId, { nil: undefined }),
      limit: fc.integer({ min: 1, max: kept.length + 1 }),
    });

    test("every mixture of filters finds what a plain search finds", async () => {
      const { catalogue } = await open();
      const pets = kept.map(({ id, status }) => ({ id, name: `n${id}`, categoryId: 1n, status }));
      await catalogue.import(pets);
      await fc.assert(
        fc.asyncProperty(someQuery, async (query) => {
          expect(await catalogue.list(query)).toEqual(expected(query));
        }),
        { numRuns: rounds(250, 1_000) },
      );
    });

    test("an empty catalogue has one empty page", async () => {
      const { catalogue } = await open();
      expect(await catalogue.list({ limit: 20 })).toMatchObject({ pets: [], next: undefined });
      expect(await catalogue.list({ limit: 20, ids: [] })).toMatchObject({
        pets: [],
        next: undefined,
      });
    });

    test("100 ids can be asked for at once", async () => {
      const { catalogue } = await open();
      await Promise.all(Array.from({ length: 120 }, () => catalogue.add(bella)));
      const ids = Array.from({ length: idsFilterMax }, (_, index) => BigInt(120 - index));
      const { pets } = await catalogue.list({ ids, status: "available", limit: 100 });
      expect(pets).toHaveLength(100);
      expect(pets[0]).toStartWith('{"id":21,');
    });

    test("paging with any limit visits each pet once, while others are being added", async () => {
      for (const limit of [1, 2, 7, 40, 41]) {
        const stores = await open();
        await Promise.all(Array.from({ length: 40 }, () => stores.catalogue.add(bella)));
        const before = await idsOf(stores);
        const visited: string[] = [];
        let after: bigint | undefined;
        let adding: Promise<unknown> = Promise.resolve();
        do {
          const page = await stores.catalogue.list({ after, limit });
          visited.push(...page.pets);
          after = page.next;
          // Fewer than a page, so that the end is reached.
          if (limit > 1 && visited.length < 60) adding = stores.catalogue.add(bella);
        } while (after !== undefined);
        await adding;
        const ids = visited.map((text) => BigInt(/\d+/.exec(text)?.[0] ?? "none"));
        expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => Number(a - b)));
        expect(ids.slice(0, before.length)).toEqual(before);
      }
    });
  });

  describe(`importing on ${engine}`, () => {
    const rex: ImportedPet = { id: 10n, name: "Rex", categoryId: 1n, status: "sold" };

    test("a pet keeps the id it comes with, and later ids are larger", async () => {
      const { catalogue } = await open();
      const far = { ...rex, id: 2n ** 53n + 1n };
      expect(await catalogue.import([rex, far])).toEqual({
        kind: "stored",
        added: 2,
        unchanged: 0,
      });
      expect(await catalogue.get(far.id)).toBe(
        '{"id":9007199254740993,"name":"Rex","categoryId":1,"status":"sold"}',
      );
      expect(doneOf(await catalogue.add(bella)).id).toBe(9007199254740994n);
    });

    test("a pet without an id gets one past every id of its batch", async () => {
      const stores = await open();
      await stores.catalogue.add(bella);
      const outcome = await stores.catalogue.import([bella, rex, { ...bella, id: undefined }]);
      expect(outcome).toEqual({ kind: "stored", added: 3, unchanged: 0 });
      expect(await idsOf(stores)).toEqual([1n, 10n, 11n, 12n]);
    });

    test("an id below the last one given out does not bring ids back", async () => {
      const { catalogue } = await open();
      await catalogue.import([{ ...rex, id: 1_000n }]);
      await catalogue.import([rex]);
      expect(doneOf(await catalogue.add(bella)).id).toBe(1_001n);
    });

    test("what is already there with the same content is counted and left alone", async () => {
      const stores = await open();
      await stores.catalogue.import([rex]);
      const outcome = await stores.catalogue.import([rex, { ...rex, id: 11n }, rex]);
      expect(outcome).toEqual({ kind: "stored", added: 1, unchanged: 2 });
      expect(await idsOf(stores)).toEqual([10n, 11n]);
    });

    for (const [what, other] of [
      ["name", { name: "Max" }],
      ["category", { categoryId: 2n }],
      ["status", { status: "pending" }],
    ] as const) {
      test(`another ${what} under a taken id is a conflict that stores nothing`, async () => {
        const stores = await open();
        await stores.catalogue.import([rex]);
        const before = await allOf(stores);
        const outcome = await stores.catalogue.import([
          { ...rex, id: 5n },
          bella,
          { ...rex, ...other },
          { ...rex, id: 500n },
        ]);
        expect(outcome).toEqual({ kind: "conflict", id: 10n, index: 2 });
        expect(await allOf(stores)).toEqual(before);
        expect(doneOf(await stores.catalogue.add(bella)).id).toBe(11n);
      });
    }

    test("two pets of one batch under one id are a conflict", async () => {
      const stores = await open();
      expect(await stores.catalogue.import([rex, { ...rex, name: "Max" }, rex])).toEqual({
        kind: "conflict",
        id: 10n,
        index: 1,
      });
      expect(await allOf(stores)).toEqual([]);
    });

    test("a conflict leaves what is written beside it alone", async () => {
      const stores = await open();
      await stores.catalogue.import([rex]);
      const [, conflict] = await Promise.all([
        stores.catalogue.add(bella),
        stores.catalogue.import([
          { ...rex, id: 3n },
          { ...rex, name: "Max" },
        ]),
        stores.catalogue.add(bella),
      ]);
      expect(conflict.kind).toBe("conflict");
      expect(await idsOf(stores)).toEqual([10n, 11n, 12n]);
    });

    test("the largest ids of all can be imported and leave room for pets that are added", async () => {
      const stores = await open();
      await stores.catalogue.import([
        { ...rex, id: int64Max },
        { ...rex, id: idGivenMax + 1n },
        { ...rex, id: 7n },
      ]);
      expect(await stores.catalogue.get(int64Max)).toContain('"id":9223372036854775807,');
      expect(doneOf(await stores.catalogue.add(bella)).id).toBe(8n);
      // Where both ranges meet, what is taken is passed over.
      await stores.catalogue.import([{ ...rex, id: idGivenMax - 1n }]);
      expect(doneOf(await stores.catalogue.add(bella)).id).toBe(idGivenMax);
      expect(doneOf(await stores.catalogue.add(bella)).id).toBe(idGivenMax + 2n);
    });

    test("an empty batch is stored with nothing in it", async () => {
      const { catalogue } = await open();
      expect(await catalogue.import([])).toEqual({ kind: "stored", added: 0, unchanged: 0 });
    });
  });
}
