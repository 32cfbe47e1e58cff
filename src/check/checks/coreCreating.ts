/** Creating pets: what any implementation of the contract must do. */
import { int64Max, int64Min } from "../../contract/int64.ts";
import { assert, type Check, checksOf, idsOf } from "../check.ts";
import { petStatuses } from "../exchange.ts";

const check = checksOf("core");
const createCheck = check("openapi: /paths/~1pets/post");
const petCheck = check("openapi: /components/schemas/Pet");

const categories: Readonly<Record<string, bigint>> = {
  zero: 0n,
  negative: -1n,
  "beyond-double": 2n ** 53n + 1n,
  "int64-max": int64Max,
  "int64-min": int64Min,
};

/** The JSON text of a body and what is wrong with it. `NAME` stands for a good name. */
const refused: Readonly<Record<string, readonly [body: string, what: string]>> = {
  "name-missing": ['{"categoryId":1}', "a body without name"],
  "name-number": ['{"name":5,"categoryId":1}', "a name that is a number"],
  "name-null": ['{"name":null,"categoryId":1}', "a name that is null"],
  "name-boolean": ['{"name":true,"categoryId":1}', "a name that is true"],
  "name-array": ['{"name":["NAME"],"categoryId":1}', "a name that is an array"],
  "name-object": ['{"name":{},"categoryId":1}', "a name that is an object"],
  "category-missing": ['{"name":"NAME"}', "a body without categoryId"],
  "category-string": ['{"name":"NAME","categoryId":"1"}', "a categoryId that is a string"],
  "category-null": ['{"name":"NAME","categoryId":null}', "a categoryId that is null"],
  "category-boolean": ['{"name":"NAME","categoryId":true}', "a categoryId that is true"],
  "category-fraction": ['{"name":"NAME","categoryId":1.5}', "a categoryId of 1.5"],
  "category-above-int64": ['{"name":"NAME","categoryId":9223372036854775808}', "2^63"],
  "category-below-int64": ['{"name":"NAME","categoryId":-9223372036854775809}', "-2^63 - 1"],
  "status-unknown": ['{"name":"NAME","categoryId":1,"status":"lost"}', "an unknown status"],
  "status-case": ['{"name":"NAME","categoryId":1,"status":"Sold"}', "a status in capitals"],
  "status-empty": ['{"name":"NAME","categoryId":1,"status":""}', "an empty status"],
  "status-null": ['{"name":"NAME","categoryId":1,"status":null}', "a status that is null"],
  "status-number": ['{"name":"NAME","categoryId":1,"status":1}', "a status that is a number"],
  "body-empty-object": ["{}", "an object without members"],
  "body-array": ['[{"name":"NAME","categoryId":1}]', "an array"],
  "body-string": ['"NAME"', "a string"],
  "body-null": ["null", "null"],
  "body-nothing": ["", "a body of no bytes"],
  "body-not-json": ['{"name":"NAME","categoryId":1', "half a JSON object"],
};

export const coreCreating: readonly Check[] = [
  createCheck(
    "create-returns-pet",
    "A new pet is answered 201 with what was sent and an identifier.",
    async (caller) => {
      const name = caller.newName();
      const seen = await caller.post("/pets", { name, categoryId: 3, status: "pending" });
      const pet = seen.pet(201);
      const same = pet.name === name && pet.categoryId === 3n && pet.status === "pending";
      assert(same, `${name}, category 3, pending`, seen.shown);
    },
  ),
  petCheck(
    "create-without-status",
    "status may be left out.",
    async (caller) =>
      void (await caller.post("/pets", { name: caller.newName(), categoryId: 3 })).pet(201),
  ),
  petCheck("create-ids-differ", "Every pet gets an identifier of its own.", async (caller) => {
    const pets = await caller.addPets(8);
    const ids = new Set(pets.map(({ id }) => id));
    assert(ids.size === pets.length, "8 different ids", idsOf(pets));
  }),
  petCheck(
    "create-name-kept",
    "A name comes back as it was sent, in any script.",
    async (caller) => {
      const name = `${caller.newName()} "Žofka"\\ ねこ 🐈 שׁ`;
      const pet = await caller.addPet({ name });
      assert(pet.name === name, name, pet.name);
      const found = await caller.petNow(pet.id);
      assert(found.name === name, name, found.name);
    },
  ),
  ...petStatuses.map((status) =>
    petCheck(
      `create-status-${status}`,
      `A pet can be added as ${status}, and is stored so.`,
      async (caller) => {
        const pet = await caller.addPet({ status });
        const found = await caller.petNow(pet.id);
        assert(pet.status === status && found.status === status, status, `${found.status}`);
      },
    ),
  ),
  ...Object.entries(categories).map(([what, categoryId]) =>
    petCheck(`create-category-${what}`, `categoryId is exact at ${categoryId}.`, async (caller) => {
      const body = `{"name":"${caller.newName()}","categoryId":${categoryId}}`;
      const pet = (await caller.post("/pets", body)).pet(201);
      assert(pet.categoryId === categoryId, `${categoryId}`, `${pet.categoryId}`);
      const found = await caller.petNow(pet.id);
      assert(found.categoryId === categoryId, `${categoryId}`, `${found.categoryId}`);
    }),
  ),
  ...Object.entries(refused).map(([what, [body, words]]) =>
    createCheck(
      `create-${what}-refused`,
      `An addition is refused with 400 and an Error: ${words}.`,
      async (caller) => {
        (await caller.post("/pets", body.replace("NAME", caller.newName()))).error(400);
      },
    ),
  ),
];
