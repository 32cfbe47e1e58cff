/** Listing and getting, as far as the requirement shows them. */
import { type Check, checksOf, demand } from "../check.ts";
import { jsonAnswer, petIn, petStatuses, petsIn, refusalIn } from "../shapes.ts";
import { addPet, idsOf, needGetPet, needStock } from "../stock.ts";

const check = checksOf("core");

export const coreReading: readonly Check[] = [
  check(
    "list-bare-array",
    "A list is a JSON array of pets with nothing around it.",
    "requirement: 4.1",
    async (caller) => {
      await addPet(caller);
      petsIn(await caller.get("/pets"));
    },
  ),
  check(
    "list-limit-default",
    "Without limit, at most 20 animals are returned.",
    "requirement: 8",
    async (caller) => {
      await needStock(caller);
      expectCount(petsIn(await caller.get("/pets")).length, 20);
    },
  ),
  ...[1, 7, 100].map((limit) =>
    check(
      `list-limit-${limit}`,
      `With limit=${limit}, at most ${limit} animals are returned.`,
      "requirement: 4.1",
      async (caller) => {
        await needStock(caller);
        expectCount(petsIn(await caller.get(`/pets?limit=${limit}`)).length, limit);
      },
    ),
  ),
  ...petStatuses.map((status) =>
    check(
      `list-status-${status}`,
      `With status=${status}, only such animals are returned.`,
      "requirement: 4.1",
      async (caller) => {
        await addPet(caller, { status });
        const pets = petsIn(await caller.get(`/pets?status=${status}`));
        demand(pets.length > 0, `${status} pets, for one was just added`, "none");
        const other = pets.find((pet) => pet.status !== status);
        demand(other === undefined, `only ${status} pets`, `pet ${other?.id} ${other?.status}`);
      },
    ),
  ),
  check(
    "get-returns-pet",
    "An animal is found under its identifier, as it was created.",
    "requirement: 4.3",
    async (caller) => {
      needGetPet(caller);
      const pet = await addPet(caller, { status: "sold", categoryId: -7 });
      const found = petIn(await caller.get(`/pets/${pet.id}`));
      const same = found.id === pet.id && found.name === pet.name;
      const whole = same && found.categoryId === -7n && found.status === "sold";
      demand(whole, `pet ${pet.id}, ${pet.name}`, `pet ${found.id}, ${found.name}`);
    },
  ),
  check(
    "get-unknown-404",
    "An identifier that no animal has is answered 404 with an Error.",
    "requirement: 4.3",
    async (caller) => {
      needGetPet(caller);
      refusalIn(await caller.get(`/pets/${caller.unusedId()}`), 404);
    },
  ),
  check(
    "get-names-one-pet",
    "Neighbouring identifiers name different animals.",
    "requirement: 2",
    async (caller) => {
      needGetPet(caller);
      const pets = [await addPet(caller), await addPet(caller)];
      const found = [];
      for (const { id } of pets) found.push(petIn(await caller.get(`/pets/${id}`)));
      demand(idsOf(found) === idsOf(pets), `pets ${idsOf(pets)}`, idsOf(found));
    },
  ),
  ...(["missing", "wrong"] as const).flatMap((how) => {
    const authorization = how === "missing" ? null : "Bearer petstore_check_no_such_key";
    const refused = (operation: string, method: string, path: string, body?: string) =>
      check(
        `auth-${how}-${operation}`,
        `${operation} with a ${how} key is answered 401 with an Error.`,
        "requirement: 5",
        async (caller) => {
          const sent = body === undefined ? { authorization } : { authorization, body };
          refusalIn(await caller.send(method, path, sent), 401);
        },
      );
    return [
      refused("listPets", "GET", "/pets"),
      refused("createPet", "POST", "/pets", '{"name":"petstore check","categoryId":1}'),
      refused("getPet", "GET", "/pets/1"),
    ];
  }),
  check(
    "answers-are-json",
    "Answers are application/json, refusals too.",
    "requirement: 1",
    async (caller) => {
      jsonAnswer(await caller.get("/pets"), 200);
      jsonAnswer(await caller.post("/pets", { name: caller.newName(), categoryId: 1 }), 201);
      jsonAnswer(await caller.post("/pets", {}), 400);
      jsonAnswer(await caller.send("GET", "/pets", { authorization: null }), 401);
    },
  ),
];

function expectCount(count: number, limit: number): void {
  demand(count >= 1 && count <= limit, `1 to ${limit} pets, for more are there`, String(count));
}
