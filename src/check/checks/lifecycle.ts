import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf, idsOf, NotApplicable } from "../check.ts";
import type { HttpExchange } from "../exchange.ts";

const check = checksOf("lifecycle");
const linkCheck = check("openapi: /components/headers/DeprecationLinks");
const recordCheck = check("decisions/0019-how-an-operation-goes-away.md");

async function aPet(caller: Caller): Promise<{ id: bigint; seen: HttpExchange }> {
  caller.needGetPet();
  const { id } = await caller.addPet();
  const seen = await caller.get(`/pets/${id}`);
  seen.expectStatus(200);
  return { id, seen };
}

export const lifecycle: readonly Check[] = [
  check("openapi: /components/headers/Deprecation")(
    "get-deprecation",
    "getPet says since when it is deprecated.",
    async (caller) => (await aPet(caller)).seen.expectHeader("deprecation", "@1793491200"),
  ),
  check("openapi: /components/headers/Sunset")(
    "get-sunset",
    "getPet says when it goes away: 5 December 2030.",
    async (caller) =>
      (await aPet(caller)).seen.expectHeader("sunset", "Thu, 05 Dec 2030 00:00:00 GMT"),
  ),
  linkCheck("get-notice-linked", "getPet links to the notice of its end.", async (caller) => {
    const { seen } = await aPet(caller);
    for (const relation of ["deprecation", "sunset"]) {
      const target = seen.link(relation);
      assert(target !== undefined, `a Link with rel="${relation}"`, seen.header("link"));
    }
  }),
  linkCheck(
    "get-successor-works",
    "getPet links to what replaces it, and that finds the same pet.",
    async (caller) => {
      const { id, seen } = await aPet(caller);
      const target = seen.link("successor-version");
      assert(target !== undefined, 'a Link with rel="successor-version"', seen.header("link"));
      const found = (await caller.get(caller.rebased(target, "/pets"))).pets();
      assert(idsOf(found) === `${id}`, `${id}`, idsOf(found));
    },
  ),
  recordCheck(
    "get-404-announces",
    "A refusal of getPet announces its end as well.",
    async (caller) => {
      caller.needGetPet();
      const seen = await caller.get(`/pets/${caller.unusedId()}`);
      seen.expectStatus(404);
      seen.expectHeader("deprecation", "@1793491200");
      seen.expectHeader("sunset", "Thu, 05 Dec 2030 00:00:00 GMT");
    },
  ),
  check("openapi: /paths/~1pets/get")(
    "list-not-deprecated",
    "What replaces getPet announces no end.",
    async (caller) => {
      const seen = await caller.get("/pets?limit=1");
      seen.expectStatus(200);
      for (const name of ["deprecation", "sunset"]) seen.expectNoHeader(name);
    },
  ),
  check("openapi: /components/responses/OperationRemoved")(
    "get-removed-410",
    "From its announced end on, getPet is answered 410.",
    async (caller) => {
      if (!caller.getPetIsGone()) throw new NotApplicable("The end of getPet is still to come.");
      const { id } = await caller.addPet();
      (await caller.get(`/pets/${id}`)).error(410, "operation_removed");
    },
  ),
];
