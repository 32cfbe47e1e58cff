/** The parameters of a list, its pages and its cursors. */

import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf, expectAscending, expectIds, idsOf } from "../check.ts";
import type { Pet } from "../exchange.ts";

const check = checksOf("paging");
const limit = "openapi: /components/parameters/limit";
const status = "openapi: /components/parameters/status";
const id = "openapi: /components/parameters/id";
const idCheck = check(id);

/** Queries that are refused, by the parameter that the message has to name. */
const refusedQueries: readonly (readonly [
  id: string,
  query: string,
  names: string,
  source: string,
])[] = [
  ["limit-0", "limit=0", "limit", limit],
  ["limit-101", "limit=101", "limit", limit],
  ["limit-negative", "limit=-1", "limit", limit],
  ["limit-word", "limit=ten", "limit", limit],
  ["limit-empty", "limit=", "limit", limit],
  ["limit-fraction", "limit=1.5", "limit", limit],
  ["limit-exponent", "limit=1e1", "limit", limit],
  ["limit-plus", "limit=%2B5", "limit", limit],
  ["limit-space", "limit=%205", "limit", limit],
  ["limit-huge", "limit=18446744073709551617", "limit", limit],
  ["limit-twice", "limit=5&limit=6", "limit", "decisions/0010-bad-parameters-are-400.md"],
  ["status-unknown", "status=lost", "status", status],
  ["status-case", "status=Sold", "status", status],
  ["status-empty", "status=", "status", status],
  [
    "status-twice",
    "status=sold&status=pending",
    "status",
    "decisions/0010-bad-parameters-are-400.md",
  ],
  ["id-word", "id=rex", "id", id],
  ["id-empty", "id=", "id", id],
  ["id-leading-zero", "id=01", "id", id],
  ["id-point", "id=1.0", "id", id],
  ["id-beyond-int64", "id=9223372036854775808", "id", id],
  ["id-one-bad", "id=1&id=x", "id", id],
  ["id-101", Array.from({ length: 101 }, (_, at) => `id=${at + 1}`).join("&"), "id", id],
];

const parameters: readonly Check[] = [
  ...refusedQueries.map(([what, query, names, source]) =>
    check(source)(
      `list-${what}-refused`,
      `A list with ${query.length > 40 ? "101 ids" : query} is refused with 400, naming ${names}.`,
      async (caller) => {
        const seen = await caller.get(`/pets?${query}`);
        seen.expectNamed("parameter_invalid", names);
      },
    ),
  ),
  check("openapi: /components/schemas/Pets")(
    "list-ids-ascending",
    "Pets come in the order of their identifiers.",
    async (caller) => {
      await caller.ensureManyPets();
      expectAscending((await caller.get("/pets?limit=100")).pets(), "pets");
    },
  ),
  ...[
    ["default", "", 20],
    ["100", "?limit=100", 100],
  ].map(([what, query, full]) =>
    check("guide/paging.md")(
      `list-limit-${what}-full`,
      `A page holds ${full} pets where more are there.`,
      async (caller) => {
        await caller.ensureManyPets();
        const pets = (await caller.get(`/pets${query}`)).pets();
        assert(pets.length === full, `${full} pets`, String(pets.length));
      },
    ),
  ),
  idCheck(
    "list-id-filter",
    "The id filter returns just these pets, once each, in the order of identifiers.",
    async (caller) => {
      const pets = await caller.addPets(3);
      const wanted = [...pets].sort((a, b) => (a.id < b.id ? -1 : 1));
      const asked = [...wanted, ...wanted].reverse().map((pet) => `id=${pet.id}`);
      const found = (await caller.get(`/pets?${asked.join("&")}`)).pets();
      expectIds(found, wanted);
      assert(found[0]?.name === wanted[0]?.name, `${wanted[0]?.name}`, `${found[0]?.name}`);
    },
  ),
  idCheck(
    "list-id-unknown-left-out",
    "An identifier that no pet has is left out of the answer.",
    async (caller) => {
      const pet = await caller.addPet();
      const found = (await caller.get(`/pets?id=${pet.id}&id=${caller.unusedId()}`)).pets();
      expectIds(found, [pet]);
      const none = (await caller.get(`/pets?id=${caller.unusedId()}`)).pets();
      assert(none.length === 0, "an empty array", idsOf(none));
    },
  ),
  idCheck("list-id-100-accepted", "The id filter takes a hundred identifiers.", async (caller) => {
    const pet = await caller.addPet();
    const ids = Array.from({ length: 99 }, () => `id=${caller.unusedId()}`);
    const found = (await caller.get(`/pets?id=${pet.id}&${ids.join("&")}`)).pets();
    expectIds(found, [pet]);
  }),
  check("decisions/0009-listing-by-id.md")(
    "list-id-and-status",
    "The filters id and status together mean both.",
    async (caller) => {
      const sold = await caller.addPet({ status: "sold" });
      const other = await caller.addPet({ status: "pending" });
      const found = (await caller.get(`/pets?id=${sold.id}&id=${other.id}&status=sold`)).pets();
      expectIds(found, [sold]);
    },
  ),
];

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

const pages: readonly Check[] = [
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

export const paging: readonly Check[] = [...parameters, ...pages];
