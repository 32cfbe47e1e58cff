import type { Caller, HttpExchange } from "../caller.ts";
import { assert, type Check, checksOf, NotApplicable } from "../check.ts";
import { addPet, getPetIsGone, idsOf, linkIn, needGetPet, rebased } from "../fixtures.ts";
import { errorIn, expectHeader, expectNoHeader, expectStatus, header, petsIn } from "../shapes.ts";

const check = checksOf("lifecycle");
const record = "decisions/0019-how-an-operation-goes-away.md";

async function aPet(caller: Caller): Promise<{ id: bigint; seen: HttpExchange }> {
  needGetPet(caller);
  const { id } = await addPet(caller);
  const seen = await caller.get(`/pets/${id}`);
  expectStatus(seen, 200);
  return { id, seen };
}

export const lifecycle: readonly Check[] = [
  check(
    "get-deprecation",
    "getPet says since when it is deprecated.",
    "openapi: /components/headers/Deprecation",
    async (caller) => expectHeader((await aPet(caller)).seen, "deprecation", "@1793491200"),
  ),
  check(
    "get-sunset",
    "getPet says when it goes away: 5 December 2030.",
    "openapi: /components/headers/Sunset",
    async (caller) =>
      expectHeader((await aPet(caller)).seen, "sunset", "Thu, 05 Dec 2030 00:00:00 GMT"),
  ),
  check(
    "get-notice-linked",
    "getPet links to the notice of its end.",
    "openapi: /components/headers/DeprecationLinks",
    async (caller) => {
      const { seen } = await aPet(caller);
      for (const relation of ["deprecation", "sunset"]) {
        const target = linkIn(seen, relation);
        assert(target !== undefined, `a Link with rel="${relation}"`, header(seen, "link"));
      }
    },
  ),
  check(
    "get-successor-works",
    "getPet links to what replaces it, and that finds the same pet.",
    "openapi: /components/headers/DeprecationLinks",
    async (caller) => {
      const { id, seen } = await aPet(caller);
      const target = linkIn(seen, "successor-version");
      assert(target !== undefined, 'a Link with rel="successor-version"', header(seen, "link"));
      const found = petsIn(await caller.get(rebased(caller, target, "/pets")));
      assert(idsOf(found) === `${id}`, `${id}`, idsOf(found));
    },
  ),
  check(
    "get-404-announces",
    "A refusal of getPet announces its end as well.",
    record,
    async (caller) => {
      needGetPet(caller);
      const seen = await caller.get(`/pets/${caller.unusedId()}`);
      expectStatus(seen, 404);
      expectHeader(seen, "deprecation", "@1793491200");
      expectHeader(seen, "sunset", "Thu, 05 Dec 2030 00:00:00 GMT");
    },
  ),
  check(
    "list-not-deprecated",
    "What replaces getPet announces no end.",
    "openapi: /paths/~1pets/get",
    async (caller) => {
      const seen = await caller.get("/pets?limit=1");
      expectStatus(seen, 200);
      for (const name of ["deprecation", "sunset"]) expectNoHeader(seen, name);
    },
  ),
  check(
    "get-removed-410",
    "From its announced end on, getPet is answered 410.",
    "openapi: /components/responses/OperationRemoved",
    async (caller) => {
      if (!getPetIsGone(caller)) throw new NotApplicable("The end of getPet is still to come.");
      const { id } = await addPet(caller);
      errorIn(await caller.get(`/pets/${id}`), 410, "operation_removed");
    },
  ),
];
