import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";
import type { HttpExchange } from "../exchange.ts";

const check = checksOf("idempotency");
const keyCheck = check("openapi: /components/parameters/idempotencyKey");
const replayedCheck = check("openapi: /components/headers/IdempotencyReplayed");
const mismatchCheck = check("openapi: /components/responses/IdempotencyMismatch");

const keyed = (value: string) => ({ headers: { "idempotency-key": value } });
const newKey = (caller: Caller) => caller.newName("key").replaceAll(" ", "-");

async function addTwice(caller: Caller): Promise<readonly [HttpExchange, HttpExchange]> {
  const body = { name: caller.newName("once"), categoryId: 1 };
  const sent = keyed(newKey(caller));
  return [await caller.post("/pets", body, sent), await caller.post("/pets", body, sent)];
}

export const idempotency: readonly Check[] = [
  keyCheck("replay-same-pet", "A repetition gets the first answer again.", async (caller) => {
    const [first, second] = await addTwice(caller);
    assert(first.pet(201).id === second.pet(201).id, first.shown, second.shown);
    assert(first.text === second.text, first.shown, second.shown);
    second.expectHeader("location", first.header("location"));
  }),
  replayedCheck("replay-told", "A repetition says that it is one.", async (caller) => {
    const [first, second] = await addTwice(caller);
    first.expectNoHeader("idempotency-replayed");
    second.expectHeader("idempotency-replayed", "true");
  }),
  keyCheck("replay-stores-once", "A repetition stores nothing.", async (caller) => {
    const before = await caller.addPet();
    const [first] = await addTwice(caller);
    const { name } = first.pet(201);
    const after = await caller.addPet();
    const found = (await caller.petsBetween(before, after)).filter((pet) => pet.name === name);
    assert(found.length === 1, "one pet", String(found.length));
  }),
  keyCheck("keys-apart", "Two keys are two attempts.", async (caller) => {
    const body = { name: caller.newName("twice"), categoryId: 1 };
    const one = (await caller.post("/pets", body, keyed(newKey(caller)))).pet(201);
    const two = (await caller.post("/pets", body, keyed(newKey(caller)))).pet(201);
    assert(one.id !== two.id, "two pets", `pet ${one.id} twice`);
  }),
  check("openapi: /components/responses/IdempotencyInFlight")(
    "replay-at-once",
    "Of the same attempts at the same time one is done, and the others get its answer or 409.",
    async (caller) => {
      const body = { name: caller.newName("at once"), categoryId: 1 };
      const sent = keyed(newKey(caller));
      const all = await Promise.all([1, 2, 3, 4].map(() => caller.post("/pets", body, sent)));
      const done = all.filter(({ status }) => status === 201);
      const ids = new Set(done.map((seen) => seen.pet(201).id));
      assert(ids.size === 1, "one pet", `${ids.size} pets`);
      for (const seen of all) {
        if (seen.status !== 201) seen.error(409, "idempotency_in_flight");
      }
    },
  ),
  mismatchCheck(
    "mismatch-body-422",
    "The same key with another body is refused with 422, and nothing is done.",
    async (caller) => {
      const sent = keyed(newKey(caller));
      const name = caller.newName("mismatch");
      const first = (await caller.post("/pets", { name, categoryId: 1 }, sent)).pet(201);
      const seen = await caller.post("/pets", { name, categoryId: 2 }, sent);
      seen.error(422, "idempotency_mismatch");
      assert(
        (await caller.petNow(first.id)).categoryId === 1n,
        "the first pet as it was",
        "changed",
      );
    },
  ),
  mismatchCheck(
    "mismatch-operation-422",
    "The same key with another operation is refused with 422.",
    async (caller) => {
      const sent = keyed(newKey(caller));
      const pet = (await caller.postPet(sent)).pet(201);
      const seen = await caller.post("/store/orders", `{"petId":${pet.id}}`, sent);
      seen.error(422, "idempotency_mismatch");
      await caller.expectPetStatus(pet.id, "available");
    },
  ),
  keyCheck(
    "refused-not-remembered",
    "A refused request is not remembered under its key.",
    async (caller) => {
      const sent = keyed(newKey(caller));
      (await caller.post("/pets", { name: 5 }, sent)).error(400);
      (await caller.postPet(sent)).pet(201);
    },
  ),
  keyCheck("key-255-accepted", "A key of 255 characters is taken.", async (caller) => {
    const body = { name: caller.newName(), categoryId: 1 };
    const long = newKey(caller).padEnd(255, "k");
    const first = (await caller.post("/pets", body, keyed(long))).pet(201);
    const second = (await caller.post("/pets", body, keyed(long))).pet(201);
    assert(first.id === second.id, `pet ${first.id} again`, `pet ${second.id}`);
  }),
  ...(
    [
      ["256", "of 256 characters", (short: string) => short.padEnd(256, "k")],
      ["space", "with a space", (short: string) => `${short} ${short}`],
    ] as const
  ).map(([what, words, make]) =>
    keyCheck(`key-${what}-refused`, `A key ${words} is refused with 400.`, async (caller) => {
      (await caller.postPet(keyed(make(newKey(caller))))).error(400);
    }),
  ),
  keyCheck("replay-order", "An order can be repeated as well.", async (caller) => {
    const { id } = await caller.addPet();
    const sent = keyed(newKey(caller));
    const body = `{"petId":${id},"quantity":1}`;
    const first = (await caller.post("/store/orders", body, sent)).order(201);
    const second = (await caller.post("/store/orders", body, sent)).order(201);
    assert(first.id === second.id, `order ${first.id} again`, `order ${second.id}`);
  }),
  ...(
    [
      ["approve", "An approval", "approved"],
      ["cancel", "A cancellation", "cancelled"],
    ] as const
  ).map(([event, words, status]) =>
    keyCheck(`replay-${event}`, `${words} can be repeated as well.`, async (caller) => {
      const { id } = await caller.placeOrder();
      const sent = keyed(newKey(caller));
      for (let time = 0; time < 2; time++) {
        const seen = await caller.send("POST", `/store/orders/${id}/${event}`, sent);
        assert(seen.order().status === status, status, seen.shown);
      }
    }),
  ),
  keyCheck("replay-update", "An update can be repeated as well.", async (caller) => {
    const { id } = await caller.addPet();
    const sent = { ...keyed(newKey(caller)), body: '{"status":"sold"}' };
    (await caller.send("PATCH", `/pets/${id}`, sent)).pet();
    (await caller.send("PATCH", `/pets/${id}`, { body: '{"status":"pending"}' })).pet();
    const seen = await caller.send("PATCH", `/pets/${id}`, sent);
    assert(seen.pet().status === "sold", "what the update returned, sold", seen.shown);
    await caller.expectPetStatus(id, "pending");
  }),
  keyCheck("replay-delete", "A deletion repeated with its key is 204 again.", async (caller) => {
    const { id } = await caller.addPet();
    const sent = keyed(newKey(caller));
    for (let time = 0; time < 2; time++) {
      (await caller.send("DELETE", `/pets/${id}`, sent)).expectStatus(204);
    }
  }),
  mismatchCheck(
    "mismatch-order-422",
    "The same key for the approval of another order is refused with 422.",
    async (caller) => {
      const sent = keyed(newKey(caller));
      const [one, two] = [await caller.placeOrder(), await caller.placeOrder()];
      (await caller.send("POST", `/store/orders/${one.id}/approve`, sent)).order();
      const seen = await caller.send("POST", `/store/orders/${two.id}/approve`, sent);
      seen.error(422, "idempotency_mismatch");
    },
  ),
];
