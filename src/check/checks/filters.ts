/** The filters of lists by category, name and pet, and counts on request. */

import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf, expectIds } from "../check.ts";
import type { HttpExchange, Pet } from "../exchange.ts";

const check = checksOf("filters");
const guideCheck = check("guide/paging.md");
const nameCheck = check("openapi: /components/parameters/name");
const categoryCheck = check("openapi: /components/parameters/categoryId");
const orderedCheck = check("openapi: /components/parameters/orderedPetId");
const countCheck = check("openapi: /components/headers/TotalCount");

/** A word that no other name has, nor begins a word with. */
const newWord = ({ context }: Caller): string => `w${context.mark}n${context.nextNumber()}x`;

/** A category that no other pet has. */
const newCategory = (caller: Caller): number => Number(caller.unusedId() / 1_024n);

const addNamed = (caller: Caller, words: string): Promise<Pet> =>
  caller.addPet({ name: `${caller.newName("named")} ${words}` });

const byName = async (caller: Caller, name: string): Promise<Pet[]> =>
  (await caller.get(`/pets?name=${encodeURIComponent(name)}`)).pets();

/** Searches and the name that they find, or not. `WORD` stands for a word of its own. */
const searches: readonly (readonly [
  id: string,
  promise: string,
  name: string,
  search: string,
  finds: boolean,
])[] = [
  ["prefix", "begins with the word", "WORDella", "WORD", true],
  ["case", "has the word in another case", "Bella-WORD", "BELLA WORD", true],
  ["accents", "has the word with accents", "Élodie WORD", "elo WORD", true],
  ["without-accents", "has the word without accents", "Elodie WORD", "Élo WORD", true],
  ["order", "has the words in another order", "Sir Purr-a-lot WORD", "WORD purr sir", true],
  ["punctuation", "has the word without the punctuation", "WORD", '"WORD*%', true],
  ["within", "has the word only within another", "otherWORD", "WORD", false],
  ["missing", "lacks one of the words", "Sir Purr WORD", "WORD purr bella", false],
];

const refusedFilters: readonly (readonly [id: string, query: string, names: string])[] = [
  ["category-word", "categoryId=dogs", "categoryId"],
  ["category-empty", "categoryId=", "categoryId"],
  ["category-beyond-int64", "categoryId=9223372036854775808", "categoryId"],
  ["category-one-bad", "categoryId=1&categoryId=1.5", "categoryId"],
  [
    "category-21",
    Array.from({ length: 21 }, (_, id) => `categoryId=${id}`).join("&"),
    "categoryId",
  ],
  ["name-empty", "name=", "name"],
  ["name-no-word", "name=%2A-%21", "name"],
  ["name-11-words", `name=${Array.from({ length: 11 }, (_, at) => `a${at}b`).join("+")}`, "name"],
  ["name-256", `name=${"a".repeat(256)}`, "name"],
  ["name-twice", "name=a&name=b", "name"],
];

const filtering: readonly Check[] = [
  ...searches.map(([what, promise, name, search, finds]) =>
    nameCheck(
      `filter-name-${what}`,
      `A search ${finds ? "finds" : "does not find"} a pet whose name ${promise}.`,
      async (caller) => {
        const word = newWord(caller);
        const pet = await addNamed(caller, name.replace("WORD", word));
        const found = await byName(caller, search.replace("WORD", word));
        expectIds(found, finds ? [pet] : []);
      },
    ),
  ),
  ...refusedFilters.map(([what, query, names]) =>
    check(`openapi: /components/parameters/${names}`)(
      `filter-${what}-refused`,
      `A list with ${query.length > 40 ? `${query.slice(0, 40)}…` : query} is refused with 400, naming ${names}.`,
      async (caller) => {
        (await caller.get(`/pets?${query}`)).expectNamed("parameter_invalid", names);
      },
    ),
  ),
  categoryCheck("filter-category", "categoryId returns just its pets.", async (caller) => {
    const categoryId = newCategory(caller);
    expectIds((await caller.get(`/pets?categoryId=${categoryId}`)).pets(), []);
    const pet = await caller.addPet({ categoryId });
    expectIds((await caller.get(`/pets?categoryId=${categoryId}`)).pets(), [pet]);
  }),
  categoryCheck(
    "filter-category-repeated",
    "categoryId can be repeated, up to 20 times, and means any of them.",
    async (caller) => {
      const categories = Array.from({ length: 20 }, () => newCategory(caller));
      const pets = [];
      for (const categoryId of [categories[0], categories[19]]) {
        pets.push(await caller.addPet(categoryId === undefined ? {} : { categoryId }));
      }
      const query = categories.map((id) => `categoryId=${id}`).join("&");
      expectIds((await caller.get(`/pets?${query}`)).pets(), pets);
    },
  ),
  guideCheck("filters-combined", "All filters have to match.", async (caller) => {
    const [word, categoryId] = [newWord(caller), newCategory(caller)];
    const fields = { name: `${caller.newName("named")} ${word}`, categoryId, status: "sold" };
    const pet = await caller.addPet(fields);
    const other = await caller.addPet(fields);
    await caller.addPet({ ...fields, status: "pending" });
    await caller.addPet({ ...fields, categoryId: categoryId + 1 });
    await caller.addPet({ ...fields, name: caller.newName("named") });
    const query = `/pets?name=${word}&categoryId=${categoryId}&status=sold`;
    expectIds((await caller.get(query)).pets(), [pet, other]);
    expectIds((await caller.get(`${query}&id=${pet.id}`)).pets(), [pet]);
  }),
  guideCheck("filters-walk", "Link keeps the filters on every page.", async (caller) => {
    const [word, categoryId] = [newWord(caller), newCategory(caller)];
    const wanted: Pet[] = [];
    for (const category of [categoryId, categoryId, categoryId + 1, categoryId, categoryId]) {
      const name = `${caller.newName("named")} ${word}`;
      const pet = await caller.addPet({ name, categoryId: category });
      if (category === categoryId) wanted.push(pet);
      await caller.addPet({ categoryId });
    }
    const met: Pet[] = [];
    const query = `limit=1&name=${word}&categoryId=${categoryId}`;
    for await (const seen of caller.walk("/pets", query, 6)) met.push(...seen.pets());
    expectIds(met, wanted);
  }),
  check("openapi: /components/parameters/cursor")(
    "filters-cursor-bound",
    "A cursor of a list by name or category is refused by another.",
    async (caller) => {
      const word = newWord(caller);
      const categoryId = newCategory(caller);
      for (let count = 0; count < 2; count++) {
        await caller.addPet({ name: `${caller.newName("named")} ${word}`, categoryId });
      }
      for (const [own, other] of [
        [`name=${word}`, `name=${word}y`],
        [`categoryId=${categoryId}`, `categoryId=${categoryId + 1}`],
      ]) {
        const cursor = caller.cursorOf(await caller.get(`/pets?limit=1&${own}`), "/pets");
        const moved = await caller.get(`/pets?${other}&cursor=${encodeURIComponent(cursor)}`);
        moved.error(400, "cursor_invalid");
      }
    },
  ),
  nameCheck("filter-follows-update", "A renamed pet is found by its new name.", async (caller) => {
    const [before, after] = [newWord(caller), newWord(caller)];
    const pet = await addNamed(caller, before);
    expectIds(await byName(caller, before), [pet]);
    const body = { name: `${caller.newName("renamed")} ${after}` };
    (await caller.send("PATCH", `/pets/${pet.id}`, { body })).pet();
    expectIds(await byName(caller, before), []);
    expectIds(await byName(caller, after), [pet]);
  }),
  orderedCheck("orders-of-pet", "petId returns just the orders for it.", async (caller) => {
    const [pet, other] = [await caller.addPet(), await caller.addPet()];
    const first = await caller.placeOrder(pet);
    await caller.placeOrder(other);
    (await caller.send("POST", `/store/orders/${first.id}/cancel`)).order();
    const second = await caller.placeOrder(pet);
    const path = `/store/orders?petId=${pet.id}`;
    expectIds((await caller.get(path)).orders(), [first, second]);
    expectIds((await caller.get(`${path}&status=placed`)).orders(), [second]);
    expectIds((await caller.get(`/store/orders?petId=${caller.unusedId()}`)).orders(), []);
  }),
  ...["petId=rex", "petId=", "petId=1&petId=2"].map((query, at) =>
    orderedCheck(
      `orders-of-pet-${["word", "empty", "twice"][at]}-refused`,
      `A list of orders with ${query} is refused with 400, naming petId.`,
      async (caller) => {
        (await caller.get(`/store/orders?${query}`)).expectNamed("parameter_invalid", "petId");
      },
    ),
  ),
];

const counted = (caller: Caller, path: string, prefer = "count=exact"): Promise<HttpExchange> =>
  caller.get(path, { prefer });

function expectCounted(seen: HttpExchange, total: number): void {
  seen.expectStatus(200);
  seen.expectHeader("preference-applied", "count=exact");
  seen.expectHeader("x-total-count", String(total));
}

/** Three pets, and a list of them with one on a page. */
async function threePets(caller: Caller): Promise<string> {
  const categoryId = newCategory(caller);
  await caller.addPets(3, { categoryId });
  return `/pets?limit=1&categoryId=${categoryId}`;
}

const counting: readonly Check[] = [
  countCheck(
    "count-pets",
    "With count=exact, every page has the number of all pets that match.",
    async (caller) => {
      const first = await counted(caller, await threePets(caller));
      expectCounted(first, 3);
      expectCounted(await counted(caller, caller.nextOf(first, "/pets")), 3);
      expectCounted(await counted(caller, `/pets?id=${caller.unusedId()}`), 0);
    },
  ),
  countCheck("count-orders", "With count=exact, orders are counted too.", async (caller) => {
    const pet = await caller.addPet();
    const order = await caller.placeOrder(pet);
    (await caller.send("POST", `/store/orders/${order.id}/cancel`)).order();
    await caller.placeOrder(pet);
    expectCounted(await counted(caller, `/store/orders?limit=1&petId=${pet.id}`), 2);
  }),
  countCheck("count-categories", "With count=exact, categories are counted.", async (caller) => {
    const seen = await counted(caller, "/categories?limit=1");
    seen.expectHeader("preference-applied", "count=exact");
    const total = seen.header("x-total-count");
    const least = seen.categories().length;
    assert(/^\d+$/.test(total) && Number(total) >= least, `a number from ${least} on`, total);
  }),
  countCheck("count-on-request", "Without count=exact, nothing is counted.", async (caller) => {
    const seen = await caller.get(await threePets(caller));
    seen.expectStatus(200);
    for (const name of ["x-total-count", "preference-applied"]) seen.expectNoHeader(name);
  }),
  check("openapi: /components/parameters/listPrefer")(
    "count-and-strict",
    "count=exact and handling=strict can be combined.",
    async (caller) => {
      const path = await threePets(caller);
      const prefer = "handling=strict, count=exact";
      const seen = await counted(caller, path, prefer);
      seen.expectHeader("x-total-count", "3");
      seen.expectHeader("preference-applied", prefer);
      (await counted(caller, `${path}&colour=red`, prefer)).error(400, "parameter_invalid");
    },
  ),
];

export const filters: readonly Check[] = [...filtering, ...counting];
