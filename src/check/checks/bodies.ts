import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";

const check = checksOf("bodies");
const refusalCheck = check("openapi: /components/responses/BodyRefused");
const namesCheck = check("decisions/0014-names.md");
const integersCheck = check("guide/integers.md");
const locationCheck = check("openapi: /paths/~1pets/post/responses/201/headers/Location");
const unreadableCheck = check("decisions/0015-body-limits.md");

/** JSON text of a name. */
const namesRefused: Readonly<Record<string, readonly [name: string, what: string]>> = {
  empty: ['""', "no character"],
  blank: ['" \\t\\n\\u00a0"', "white space alone"],
  "256": [`"${"n".repeat(256)}"`, "256 characters"],
  "256-emoji": [`"${"🐈".repeat(256)}"`, "256 emoji"],
  nul: ['"a\\u0000b"', "U+0000"],
  "lone-high-surrogate": ['"a\\ud83db"', "half a surrogate pair"],
  "lone-low-surrogate": ['"a\\udc08b"', "the other half of a surrogate pair"],
};

const namesKept: Readonly<Record<string, readonly [name: string, what: string]>> = {
  "255": ["n".repeat(255), "255 characters"],
  "255-emoji": ["🐈".repeat(255), "255 emoji, of two code units each"],
  spaces: ["  petstore check  ", "spaces around it"],
  decomposed: ["petstore check e\u0301", "a letter and its accent apart"],
  lines: ["petstore check\nsecond line\t", "a line break and a tab"],
  one: ["n", "one character"],
};

const integersTaken: Readonly<Record<string, readonly [written: string, value: bigint]>> = {
  point: ["1.0", 1n],
  exponent: ["1e2", 100n],
  "point-exponent": ["-2.50e1", -25n],
  "int64-max-point": ["9223372036854775807.0", 9223372036854775807n],
};

const members: Readonly<Record<string, string>> = {
  name: '{"name":5,"categoryId":1}',
  categoryId: '{"name":"petstore check","categoryId":"1"}',
  status: '{"name":"petstore check","categoryId":1,"status":"lost"}',
};

export const bodies: readonly Check[] = [
  check("decisions/0007-status-defaults-to-available.md")(
    "create-status-defaults",
    "A pet without a status is available.",
    async (caller) => {
      const seen = await caller.postPet();
      const pet = seen.pet(201);
      assert(pet.status === "available", "status available", seen.shown);
      await caller.expectPetStatus(pet.id, "available");
    },
  ),
  check("openapi: /components/schemas/Pet")(
    "pets-have-status",
    "A pet in a list has a status, even if it was added without one.",
    async (caller) => {
      const { id } = (await caller.postPet()).pet(201);
      const seen = await caller.get(`/pets?id=${id}`);
      const [pet] = seen.pets();
      assert(pet?.status === "available", "a pet that is available", seen.shown);
    },
  ),
  locationCheck(
    "create-location",
    "Location holds the absolute address of the new pet.",
    async (caller) => {
      const seen = await caller.postPet();
      const { id } = seen.pet(201);
      const address = seen.header("location");
      assert(/^https?:\/\//.test(address), "an absolute address", address);
      // Once getPet is gone, the pet is found by what replaces it.
      const gone = caller.getPetIsGone();
      const found = await caller.get(caller.rebased(address, gone ? "/pets" : `/pets/${id}`));
      const pet = gone ? found.pets()[0] : found.pet();
      assert(pet?.id === id, `pet ${id} at its Location`, found.shown);
    },
  ),
  ...Object.entries(integersTaken).map(([what, [written, value]]) =>
    integersCheck(
      `create-category-${what}-accepted`,
      `${written} is the integer ${value}, for JSON Schema and here.`,
      async (caller) => {
        const body = `{"name":"${caller.newName()}","categoryId":${written}}`;
        const pet = (await caller.post("/pets", body)).pet(201);
        assert(pet.categoryId === value, `${value}`, `${pet.categoryId}`);
      },
    ),
  ),
  integersCheck(
    "create-category-almost-integer-refused",
    "A number that only a double takes for an integer is refused.",
    async (caller) => {
      const body = `{"name":"${caller.newName()}","categoryId":0.99999999999999999999}`;
      (await caller.post("/pets", body)).error(400, "body_invalid");
    },
  ),
  ...Object.entries(namesRefused).map(([what, [name, words]]) =>
    namesCheck(`create-name-${what}-refused`, `A name of ${words} is refused.`, async (caller) => {
      const seen = await caller.post("/pets", `{"name":${name},"categoryId":1}`);
      seen.error(400, "body_invalid");
    }),
  ),
  ...Object.entries(namesKept).map(([what, [name, words]]) =>
    namesCheck(`create-name-${what}-kept`, `A name of ${words} is kept as it is.`, (caller) =>
      expectKept(caller, name),
    ),
  ),
  unreadableCheck(
    "body-invalid-utf8-refused",
    "A body that is not UTF-8 is refused as unreadable.",
    async (caller) => {
      const before = new TextEncoder().encode('{"name":"petstore check ');
      const after = new TextEncoder().encode('","categoryId":1}');
      const body = new Uint8Array([...before, 0xff, 0xc3, ...after]);
      (await caller.post("/pets", body)).error(400, "body_unreadable");
    },
  ),
  unreadableCheck(
    "body-not-json-unreadable",
    "A body that is no JSON is refused as unreadable.",
    async (caller) => (await caller.post("/pets", "name=Rex")).error(400, "body_unreadable"),
  ),
  ...Object.entries(members).map(([member, body]) =>
    refusalCheck(
      `refusal-names-${member}`,
      `A refusal for ${member} has the code body_invalid and names it.`,
      async (caller) => {
        const seen = await caller.post("/pets", body);
        seen.expectNamed("body_invalid", member);
      },
    ),
  ),
  check("decisions/0018-error-body-and-codes.md")(
    "refusal-names-all",
    "A refusal names every member that is wrong.",
    async (caller) => {
      const { message } = (await caller.post("/pets", '{"status":1}')).error(400);
      for (const member of Object.keys(members)) {
        assert(message.includes(member), `a message that names ${member}`, message);
      }
    },
  ),
  refusalCheck("refusal-stores-nothing", "After a refusal nothing is stored.", async (caller) => {
    const name = caller.newName("never to be stored");
    const first = await caller.addPet();
    for (const rest of ["", ',"categoryId":"1"', ',"categoryId":1,"status":"lost"']) {
      (await caller.post("/pets", `{"name":"${name}"${rest}}`)).error(400);
    }
    const last = await caller.addPet();
    const stored = (await caller.petsBetween(first, last)).find((pet) => pet.name === name);
    assert(stored === undefined, "no pet of a refused body", `pet ${stored?.id}`);
  }),
];

async function expectKept(caller: Caller, name: string): Promise<void> {
  const pet = await caller.addPet({ name });
  const found = await caller.petNow(pet.id);
  const quoted = JSON.stringify(name);
  assert(pet.name === name, quoted, JSON.stringify(pet.name));
  assert(found.name === name, `${quoted} when read`, JSON.stringify(found.name));
}
