import { shown } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";
import { addPet, needGetPet } from "../fixtures.ts";
import { errorIn, expectStatus, header, petIn } from "../shapes.ts";

const check = checksOf("strict");
const prefer = "openapi: /components/parameters/prefer";
const strictly = { prefer: "handling=strict" };

function expectNamed(message: string): void {
  assert(message.includes("colour"), "a message that names colour", message);
}

export const strict: readonly Check[] = [
  check(
    "strict-parameter-refused",
    "Strict handling refuses an unknown parameter and names it.",
    prefer,
    async (caller) => {
      const seen = await caller.get("/pets?colour=red", strictly);
      expectNamed(errorIn(seen, 400, "parameter_invalid").message);
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
      expectNamed(errorIn(seen, 400, "parameter_invalid").message);
    },
  ),
  check(
    "strict-member-refused",
    "Strict handling refuses an unknown member and names it.",
    prefer,
    async (caller) => {
      const body = { name: caller.newName(), categoryId: 1, colour: "red" };
      const seen = await caller.post("/pets", body, { headers: strictly });
      expectNamed(errorIn(seen, 400, "body_invalid").message);
    },
  ),
  check(
    "strict-applied",
    "An answer under strict handling says Preference-Applied: handling=strict.",
    "openapi: /components/headers/PreferenceApplied",
    async (caller) => {
      const body = { name: caller.newName(), categoryId: 1 };
      const added = await caller.post("/pets", body, { headers: strictly });
      expectStatus(added, 201);
      for (const seen of [added, await caller.get("/pets?limit=1", strictly)]) {
        const applied = header(seen, "preference-applied");
        assert(applied === "handling=strict", "Preference-Applied: handling=strict", applied);
      }
    },
  ),
  check(
    "lenient-not-applied",
    "Without the preference nothing says that it was applied.",
    "openapi: /components/headers/PreferenceApplied",
    async (caller) => {
      const seen = await caller.get("/pets?limit=1");
      const applied = seen.headers.get("preference-applied");
      assert(applied === null, "no Preference-Applied", `${applied}`);
    },
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
