/** What any implementation of the contract must do. */

import { int64Max, int64Min } from "../../contract/int64.ts";
import { assert, type Check, checksOf, idsOf } from "../check.ts";
import { petStatuses } from "../exchange.ts";

const check = checksOf("core");
const listCheck = check("openapi: /paths/~1pets/get");
const getCheck = check("openapi: /paths/~1pets~1{petId}/get");

const reading: readonly Check[] = [
  listCheck(
    "list-bare-array",
    "A list is a JSON array of pets with nothing around it.",
    async (caller) => {
      await caller.addPet();
      (await caller.get("/pets")).pets();
    },
  ),
  check("openapi: /components/parameters/limit")(
    "list-limit-default",
    "Without limit, at most 20 pets are returned.",
    async (caller) => {
      await caller.ensureManyPets();
      expectCount((await caller.get("/pets")).pets().length, 20);
    },
  ),
  ...[1, 7, 100].map((limit) =>
    listCheck(
      `list-limit-${limit}`,
      `With limit=${limit}, at most ${limit} pets are returned.`,
      async (caller) => {
        await caller.ensureManyPets();
        expectCount((await caller.get(`/pets?limit=${limit}`)).pets().length, limit);
      },
    ),
  ),
  ...petStatuses.map((status) =>
    listCheck(
      `list-status-${status}`,
      `With status=${status}, only such pets are returned.`,
      async (caller) => {
        await caller.addPet({ status });
        const pets = (await caller.get(`/pets?status=${status}`)).pets();
        assert(pets.length > 0, `${status} pets, for one was just added`, "none");
        const other = pets.find((pet) => pet.status !== status);
        assert(other === undefined, `only ${status} pets`, `pet ${other?.id} ${other?.status}`);
      },
    ),
  ),
  getCheck(
    "get-returns-pet",
    "A pet is found under its identifier, as it was created.",
    async (caller) => {
      caller.needGetPet();
      const pet = await caller.addPet({ status: "sold", categoryId: -7 });
      const found = (await caller.get(`/pets/${pet.id}`)).pet();
      const same = found.id === pet.id && found.name === pet.name;
      const whole = same && found.categoryId === -7n && found.status === "sold";
      assert(whole, `pet ${pet.id}, ${pet.name}`, `pet ${found.id}, ${found.name}`);
    },
  ),
  getCheck(
    "get-unknown-404",
    "An identifier that no pet has is answered 404 with an Error.",
    async (caller) => {
      caller.needGetPet();
      (await caller.get(`/pets/${caller.unusedId()}`)).error(404);
    },
  ),
  check("openapi: /components/schemas/Pet")(
    "get-names-one-pet",
    "Neighbouring identifiers name different pets.",
    async (caller) => {
      caller.needGetPet();
      const pets = [await caller.addPet(), await caller.addPet()];
      const found = [];
      for (const { id } of pets) found.push((await caller.get(`/pets/${id}`)).pet());
      assert(idsOf(found) === idsOf(pets), `pets ${idsOf(pets)}`, idsOf(found));
    },
  ),
  ...(["missing", "wrong"] as const).flatMap((how) => {
    const authorization = how === "missing" ? null : "Bearer petstore_check_no_such_key";
    const refused = (operation: string, method: string, path: string, body?: string) =>
      check("openapi: /components/securitySchemes/apiKey")(
        `auth-${how}-${operation}`,
        `${operation} with a ${how} key is answered 401 with an Error.`,
        async (caller) => {
          const sent = body === undefined ? { authorization } : { authorization, body };
          (await caller.send(method, path, sent)).error(401);
        },
      );
    return [
      refused("listPets", "GET", "/pets"),
      refused("createPet", "POST", "/pets", '{"name":"petstore check","categoryId":1}'),
      refused("getPet", "GET", "/pets/1"),
    ];
  }),
  check("openapi: /components/responses")(
    "answers-are-json",
    "Answers are application/json, refusals too.",
    async (caller) => {
      (await caller.get("/pets")).json(200);
      (await caller.postPet()).json(201);
      (await caller.post("/pets", {})).json(400);
      (await caller.send("GET", "/pets", { authorization: null })).json(401);
    },
  ),
];

function expectCount(count: number, limit: number): void {
  assert(count >= 1 && count <= limit, `1 to ${limit} pets, for more are there`, String(count));
}

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
const refusedBodies: Readonly<Record<string, readonly [body: string, what: string]>> = {
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

const creating: readonly Check[] = [
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
  petCheck("create-without-status", "status may be left out.", async (caller) =>
    (await caller.post("/pets", { name: caller.newName(), categoryId: 3 })).pet(201),
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
  ...Object.entries(refusedBodies).map(([what, [body, words]]) =>
    createCheck(
      `create-${what}-refused`,
      `An addition is refused with 400 and an Error: ${words}.`,
      async (caller) =>
        (await caller.post("/pets", body.replace("NAME", caller.newName()))).error(400),
    ),
  ),
];

export const core: readonly Check[] = [...reading, ...creating];
