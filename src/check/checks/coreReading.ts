/** Listing and getting pets: what any implementation of the contract must do. */
import { assert, type Check, checksOf, idsOf } from "../check.ts";
import { petStatuses } from "../exchange.ts";

const check = checksOf("core");
const listCheck = check("openapi: /paths/~1pets/get");
const getCheck = check("openapi: /paths/~1pets~1{petId}/get");

export const coreReading: readonly Check[] = [
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
