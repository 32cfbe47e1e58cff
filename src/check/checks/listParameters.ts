/** What a list takes as parameters and what it refuses. */
import { assert, type Check, checksOf, expectAscending, expectIds, idsOf } from "../check.ts";

const check = checksOf("paging");
const limit = "openapi: /components/parameters/limit";
const status = "openapi: /components/parameters/status";
const id = "openapi: /components/parameters/id";
const idCheck = check(id);

/** Queries that are refused, by the parameter that the message has to name. */
const refused: readonly (readonly [id: string, query: string, names: string, source: string])[] = [
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

export const listParameters: readonly Check[] = [
  ...refused.map(([what, query, names, source]) =>
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
