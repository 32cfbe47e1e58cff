/** Pages and cursors. */

import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf, expectAscending, expectIds, idsOf } from "../check.ts";
import type { Pet } from "../exchange.ts";

const check = checksOf("paging");
const guideCheck = check("guide/paging.md");
const linkCheck = check("openapi: /components/headers/NextPage");
const cursorCheck = check("openapi: /components/parameters/cursor");

/** Enough for a service of three thousand pets; on a larger one only its beginning is walked. */
const pagesMax = 30;

const byId = (pets: readonly Pet[]): Pet[] => [...pets].sort((a, b) => (a.id < b.id ? -1 : 1));
const idQuery = (pets: readonly Pet[]): string => pets.map(({ id }) => `id=${id}`).join("&");

async function walked(caller: Caller, query: string): Promise<Pet[][]> {
  const pages: Pet[][] = [];
  for await (const seen of caller.walk("/pets", query, pagesMax)) pages.push(seen.pets());
  return pages;
}

/** The cursor of the second page of a list of three pets, and the pets. */
async function aCursor(caller: Caller, more = ""): Promise<{ pets: Pet[]; cursor: string }> {
  const pets = await caller.addPets(3);
  const first = await caller.get(`/pets?limit=1&${idQuery(pets)}${more}`);
  return { pets, cursor: caller.cursorOf(first, "/pets") };
}

export const paging: readonly Check[] = [
  guideCheck(
    "page-walk-meets-each-once",
    "Following Link meets every pet exactly once, in pages of the asked size.",
    async (caller) => {
      const pets = byId(await caller.addPets(5));
      const pages = await walked(caller, `limit=2&${idQuery(pets)}`);
      expectIds(pages.flat(), pets);
      const sizes = pages.map((page) => page.length).join(", ");
      assert(sizes === "2, 2, 1", "pages of 2, 2, 1", sizes);
    },
  ),
  guideCheck(
    "page-walk-keeps-status",
    "Following Link keeps to the status that was asked for.",
    async (caller) => {
      const sold = byId(await caller.addPets(3, { status: "sold" }));
      const others = await caller.addPets(2, { status: "pending" });
      const query = `limit=1&status=sold&${idQuery([...others, ...sold])}`;
      const met = (await walked(caller, query)).flat();
      expectIds(met, sold);
    },
  ),
  guideCheck(
    "page-walk-everything",
    "A walk through everything meets growing ids, and each pet that was there before it.",
    async (caller) => {
      await caller.ensureManyPets();
      const pet = await caller.addPet();
      const pages = await walked(caller, "limit=100");
      expectAscending(pages.flat(), "pets of all pages");
      const short = pages.slice(0, -1).find((page) => page.length !== 100);
      assert(short === undefined, "100 pets on every page but the last", `${short?.length}`);
      assert(pages.length > 1, "more than one page", "one");
      if (pages.length === pagesMax) return;
      const met = pages.flat().filter(({ id }) => id === pet.id);
      assert(met.length === 1, `pet ${pet.id} once`, `${met.length} times`);
    },
  ),
  ...(
    [
      ["page-last-no-link", "The last page has no Link.", 3],
      ["page-exact-no-link", "A page that is just full and the last has no Link.", 2],
    ] as const
  ).map(([id, promise, limit]) =>
    linkCheck(id, promise, async (caller) => {
      const pets = await caller.addPets(2);
      const seen = await caller.get(`/pets?limit=${limit}&${idQuery(pets)}`);
      assert(seen.pets().length === 2, "2 pets", idsOf(seen.pets()));
      assert(seen.link("next") === undefined, 'no Link with rel="next"', seen.header("link"));
    }),
  ),
  check("decisions/0021-absolute-addresses.md")(
    "page-link-absolute",
    "The address of the next page is absolute and keeps limit.",
    async (caller) => {
      const pets = await caller.addPets(3);
      const seen = await caller.get(`/pets?limit=2&${idQuery(pets)}`);
      const address = seen.link("next") ?? "";
      assert(/^https?:\/\//.test(address), "an absolute address", seen.header("link"));
      const path = caller.nextOf(seen, "/pets");
      assert(/[?&]limit=2(?:&|$)/.test(path), "limit=2 in the next address", path);
    },
  ),
  guideCheck("page-limit-may-change", "limit may change on the way.", async (caller) => {
    const pets = byId(await caller.addPets(4));
    const query = idQuery(pets);
    const first = await caller.get(`/pets?limit=1&${query}`);
    const from = encodeURIComponent(caller.cursorOf(first, "/pets"));
    const rest = (await caller.get(`/pets?limit=3&${query}&cursor=${from}`)).pets();
    expectIds(rest, pets.slice(1));
  }),
  cursorCheck(
    "cursor-made-up-refused",
    "A cursor that the service did not make is refused.",
    async (caller) => {
      for (const made of ["1", "abc", "AAAAAAAAAAEAAAAAAAAAAAAAAAA", "eyJpZCI6MX0", "%00"]) {
        (await caller.get(`/pets?cursor=${made}`)).error(400, "cursor_invalid");
      }
    },
  ),
  cursorCheck(
    "cursor-damaged-refused",
    "A cursor with one changed character is refused.",
    async (caller) => {
      const { pets, cursor } = await aCursor(caller);
      const at = Math.floor(cursor.length / 2);
      const damaged = `${cursor.slice(0, at)}${cursor[at] === "A" ? "B" : "A"}${cursor.slice(at + 1)}`;
      const path = `/pets?${idQuery(pets)}&cursor=${encodeURIComponent(damaged)}`;
      (await caller.get(path)).error(400, "cursor_invalid");
    },
  ),
  cursorCheck(
    "cursor-moved-to-status-refused",
    "A cursor is refused with another status.",
    async (caller) => {
      const { pets, cursor } = await aCursor(caller, "&status=available");
      const from = `cursor=${encodeURIComponent(cursor)}`;
      for (const status of ["", "&status=sold"]) {
        const path = `/pets?${idQuery(pets)}${status}&${from}`;
        (await caller.get(path)).error(400, "cursor_invalid");
      }
    },
  ),
  cursorCheck(
    "cursor-moved-to-ids-refused",
    "A cursor is refused with other ids.",
    async (caller) => {
      const { pets, cursor } = await aCursor(caller);
      const from = `cursor=${encodeURIComponent(cursor)}`;
      for (const ids of ["", `${idQuery(pets.slice(1))}&`]) {
        (await caller.get(`/pets?${ids}${from}`)).error(400, "cursor_invalid");
      }
    },
  ),
  check("decisions/0009-listing-by-id.md")(
    "cursor-same-ids-otherwise-written",
    "The same ids in another order are the same question for a cursor.",
    async (caller) => {
      const { pets, cursor } = await aCursor(caller);
      const ids = idQuery([...pets, ...pets].reverse());
      const rest = (await caller.get(`/pets?${ids}&cursor=${encodeURIComponent(cursor)}`)).pets();
      const wanted = byId(pets).slice(1);
      expectIds(rest, wanted);
    },
  ),
];
