import { assert, type Check, checksOf } from "../check.ts";
import { steadyEvents } from "./events.ts";

const check = checksOf("strict");
const appliedCheck = check("openapi: /components/headers/PreferenceApplied");
const preferCheck = check("openapi: /components/parameters/prefer");
const strictly = { prefer: "handling=strict" };

export const strict: readonly Check[] = [
  preferCheck(
    "strict-parameter-refused",
    "Strict handling refuses an unknown parameter and names it.",
    async (caller) => {
      const seen = await caller.get("/pets?colour=red", strictly);
      seen.expectNamed("parameter_invalid", "colour");
    },
  ),
  preferCheck(
    "strict-events-parameter-refused",
    "Strict handling refuses an unknown parameter of listEvents too.",
    async (caller) => {
      const seen = await caller.get(`${await steadyEvents(caller)}&colour=red`, strictly);
      seen.expectNamed("parameter_invalid", "colour");
    },
  ),
  check("decisions/0011-a-petid-that-is-no-int64-is-404.md")(
    "strict-get-parameter-refused",
    "Strict handling refuses an unknown parameter of getPet too.",
    async (caller) => {
      caller.needGetPet();
      const { id } = await caller.addPet();
      const seen = await caller.get(`/pets/${id}?colour=red`, strictly);
      seen.expectNamed("parameter_invalid", "colour");
    },
  ),
  preferCheck(
    "strict-member-refused",
    "Strict handling refuses an unknown member and names it.",
    async (caller) => {
      const seen = await caller.postPet({ headers: strictly }, { colour: "red" });
      seen.expectNamed("body_invalid", "colour");
    },
  ),
  appliedCheck(
    "strict-applied",
    "An answer under strict handling says Preference-Applied: handling=strict.",
    async (caller) => {
      const added = await caller.postPet({ headers: strictly });
      added.expectStatus(201);
      for (const seen of [added, await caller.get("/pets?limit=1", strictly)]) {
        seen.expectHeader("preference-applied", "handling=strict");
      }
    },
  ),
  appliedCheck(
    "lenient-not-applied",
    "Without the preference nothing says that it was applied.",
    async (caller) => (await caller.get("/pets?limit=1")).expectNoHeader("preference-applied"),
  ),
  ...[{}, { prefer: "handling=lenient" }].map((headers) =>
    preferCheck(
      `lenient-parameter-ignored-${"prefer" in headers ? "asked" : "default"}`,
      "An unknown parameter is ignored.",
      async (caller) => (await caller.get("/pets?limit=1&colour=red", headers)).expectStatus(200),
    ),
  ),
  check("decisions/0012-lenient-by-default-strict-on-request.md")(
    "lenient-member-ignored",
    "An unknown member is ignored, never stored and never repeated.",
    async (caller) => {
      const chosen = caller.unusedId();
      const known = `"name":"${caller.newName()}","categoryId":1`;
      const seen = await caller.post("/pets", `{${known},"id":${chosen},"colour":"red"}`);
      const { id } = seen.pet(201);
      assert(id !== chosen, "an id that the service chose", seen.shown);
      for (const answer of [seen, await caller.get(`/pets?id=${id}`)]) {
        assert(!answer.text.includes("colour"), "no member colour", answer.shown);
      }
    },
  ),
];
