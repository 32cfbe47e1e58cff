import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf, idsOf, NotApplicable } from "../check.ts";
import type { HttpExchange } from "../exchange.ts";

const check = checksOf("lifecycle");
const record = "decisions/0019-how-an-operation-goes-away.md";

async function aPet(caller: Caller): Promise<{ id: bigint; seen: HttpExchange }> {
  caller.needGetPet();
  const { id } = await caller.addPet();
  const seen = await caller.get(`/pets/${id}`);
  seen.expectStatus(200);
  return { id, seen };
}

export const lifecycle: readonly Check[] = [
  check(
    "get-deprecation",
    "getPet says since when it is deprecated.",
    "openapi: /components/headers/Deprecation",
    async (caller) => (await aPet(caller)).seen.expectHeader("deprecation", "@1793491200"),
  ),
  check(
    "get-sunset",
    "getPet says when it goes away: 5 December 2030.",
    "openapi: /components/headers/Sunset",
    async (caller) =>
      (await aPet(caller)).seen.expectHeader("sunset", "Thu, 05 Dec 2030 00:00:00 GMT"),
  ),
  check(
    "get-notice-linked",
    "getPet links to the notice of its end.",
    "openapi: /components/headers/DeprecationLinks",
    async (caller) => {
      const { seen } = await aPet(caller);
      for (const relation of ["deprecation", "sunset"]) {
        const target = seen.link(relation);
        assert(target !== undefined, `a Link with rel="${relation}"`, seen.header("link"));
      }
    },
  ),
  check(
    "get-successor-works",
    "getPet links to what replaces it, and that finds the same pet.",
    "openapi: /components/headers/DeprecationLinks",
    async (caller) => {
      const { id, seen } = await aPet(caller);
      const target = seen.link("successor-version");
      assert(target !== undefined, 'a Link with rel="successor-version"', seen.header("link"));
      const found = (await caller.get(caller.rebased(target, "/pets"))).pets();
      assert(idsOf(found) === `${id}`, `${id}`, idsOf(found));
    },
  ),
  check(
    "get-404-announces",
    "A refusal of getPet announces its end as well.",
    record,
    async (caller) => {
      caller.needGetPet();
      const seen = await caller.get(`/pets/${caller.unusedId()}`);
      seen.expectStatus(404);
      seen.expectHeader("deprecation", "@1793491200");
      seen.expectHeader("sunset", "Thu, 05 Dec 2030 00:00:00 GMT");
    },
  ),
  check(
    "list-not-deprecated",
    "What replaces getPet announces no end.",
    "openapi: /paths/~1pets/get",
    async (caller) => {
      const seen = await caller.get("/pets?limit=1");
      seen.expectStatus(200);
      for (const name of ["deprecation", "sunset"]) seen.expectNoHeader(name);
    },
  ),
  check(
    "get-removed-410",
    "From its announced end on, getPet is answered 410.",
    "openapi: /components/responses/OperationRemoved",
    async (caller) => {
      if (!caller.getPetIsGone()) throw new NotApplicable("The end of getPet is still to come.");
      const { id } = await caller.addPet();
      (await caller.get(`/pets/${id}`)).error(410, "operation_removed");
    },
  ),
];
