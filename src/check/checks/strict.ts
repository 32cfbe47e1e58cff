import { shown } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";
import { addPet, needGetPet, postPet } from "../fixtures.ts";
import { expectHeader, expectNamed, expectNoHeader, expectStatus, petIn } from "../shapes.ts";

const check = checksOf("strict");
const prefer = "openapi: /components/parameters/prefer";
const strictly = { prefer: "handling=strict" };

export const strict: readonly Check[] = [
  check(
    "strict-parameter-refused",
    "Strict handling refuses an unknown parameter and names it.",
    prefer,
    async (caller) => {
      const seen = await caller.get("/pets?colour=red", strictly);
      expectNamed(seen, "parameter_invalid", "colour");
    },
  ),
  check(
    "strict-get-parameter-refused",
    "Strict handling refuses an unknown parameter of getPet too.",
    "decisions/0011-a-petid-that-is-no-int64-is-404.md",
    async (caller) => {
      needGetPet(caller);
      const { id } = await addPet(caller);
      const seen = await caller.get(`/pets/${id}?colour=red`, strictly);
      expectNamed(seen, "parameter_invalid", "colour");
    },
  ),
  check(
    "strict-member-refused",
    "Strict handling refuses an unknown member and names it.",
    prefer,
    async (caller) => {
      const seen = await postPet(caller, { headers: strictly }, { colour: "red" });
      expectNamed(seen, "body_invalid", "colour");
    },
  ),
  check(
    "strict-applied",
    "An answer under strict handling says Preference-Applied: handling=strict.",
    "openapi: /components/headers/PreferenceApplied",
    async (caller) => {
      const added = await postPet(caller, { headers: strictly });
      expectStatus(added, 201);
      for (const seen of [added, await caller.get("/pets?limit=1", strictly)]) {
        expectHeader(seen, "preference-applied", "handling=strict");
      }
    },
  ),
  check(
    "lenient-not-applied",
    "Without the preference nothing says that it was applied.",
    "openapi: /components/headers/PreferenceApplied",
    async (caller) => expectNoHeader(await caller.get("/pets?limit=1"), "preference-applied"),
  ),
  ...[{}, { prefer: "handling=lenient" }].map((headers) =>
    check(
      `lenient-parameter-ignored-${"prefer" in headers ? "asked" : "default"}`,
      "An unknown parameter is ignored.",
      prefer,
      async (caller) => expectStatus(await caller.get("/pets?limit=1&colour=red", headers), 200),
    ),
  ),
  check(
    "lenient-member-ignored",
    "An unknown member is ignored, never stored and never repeated.",
    "decisions/0012-lenient-by-default-strict-on-request.md",
    async (caller) => {
      const chosen = caller.unusedId();
      const known = `"name":"${caller.newName()}","categoryId":1`;
      const seen = await caller.post("/pets", `{${known},"id":${chosen},"colour":"red"}`);
      const { id } = petIn(seen, 201);
      assert(id !== chosen, "an id that the service chose", shown(seen));
      for (const answer of [seen, await caller.get(`/pets?id=${id}`)]) {
        assert(!answer.text.includes("colour"), "no member colour", shown(answer));
      }
    },
  ),
];
