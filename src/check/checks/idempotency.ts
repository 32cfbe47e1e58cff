import { type Caller, type HttpExchange, shown } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";
import { addPet, expectPetStatus, petNow, petsBetween, placeOrder, postPet } from "../fixtures.ts";
import { errorIn, expectHeader, expectNoHeader, header, orderIn, petIn } from "../shapes.ts";

const check = checksOf("idempotency");
const key = "openapi: /components/parameters/idempotencyKey";
const replayed = "openapi: /components/headers/IdempotencyReplayed";
const mismatch = "openapi: /components/responses/IdempotencyMismatch";

const keyed = (value: string) => ({ headers: { "idempotency-key": value } });
const newKey = (caller: Caller) => caller.newName("key").replaceAll(" ", "-");

async function addTwice(caller: Caller): Promise<readonly [HttpExchange, HttpExchange]> {
  const body = { name: caller.newName("once"), categoryId: 1 };
  const sent = keyed(newKey(caller));
  return [await caller.post("/pets", body, sent), await caller.post("/pets", body, sent)];
}

export const idempotency: readonly Check[] = [
  check("replay-same-pet", "A repetition gets the first answer again.", key, async (caller) => {
    const [first, second] = await addTwice(caller);
    assert(petIn(first, 201).id === petIn(second, 201).id, shown(first), shown(second));
    assert(first.text === second.text, shown(first), shown(second));
    expectHeader(second, "location", header(first, "location"));
  }),
  check("replay-told", "A repetition says that it is one.", replayed, async (caller) => {
    const [first, second] = await addTwice(caller);
    expectNoHeader(first, "idempotency-replayed");
    expectHeader(second, "idempotency-replayed", "true");
  }),
  check("replay-stores-once", "A repetition stores nothing.", key, async (caller) => {
    const before = await addPet(caller);
    const [first] = await addTwice(caller);
    const { name } = petIn(first, 201);
    const after = await addPet(caller);
    const found = (await petsBetween(caller, before, after)).filter((pet) => pet.name === name);
    assert(found.length === 1, "one pet", String(found.length));
  }),
  check("keys-apart", "Two keys are two attempts.", key, async (caller) => {
    const body = { name: caller.newName("twice"), categoryId: 1 };
    const one = petIn(await caller.post("/pets", body, keyed(newKey(caller))), 201);
    const two = petIn(await caller.post("/pets", body, keyed(newKey(caller))), 201);
    assert(one.id !== two.id, "two pets", `pet ${one.id} twice`);
  }),
  check(
    "replay-at-once",
    "Of the same attempts at the same time one is done, and the others get its answer or 409.",
    "openapi: /components/responses/IdempotencyInFlight",
    async (caller) => {
      const body = { name: caller.newName("at once"), categoryId: 1 };
      const sent = keyed(newKey(caller));
      const all = await Promise.all([1, 2, 3, 4].map(() => caller.post("/pets", body, sent)));
      const done = all.filter(({ status }) => status === 201);
      const ids = new Set(done.map((seen) => petIn(seen, 201).id));
      assert(ids.size === 1, "one pet", `${ids.size} pets`);
      for (const seen of all) {
        if (seen.status !== 201) errorIn(seen, 409, "idempotency_in_flight");
      }
    },
  ),
  check(
    "mismatch-body-422",
    "The same key with another body is refused with 422, and nothing is done.",
    mismatch,
    async (caller) => {
      const sent = keyed(newKey(caller));
      const name = caller.newName("mismatch");
      const first = petIn(await caller.post("/pets", { name, categoryId: 1 }, sent), 201);
      const seen = await caller.post("/pets", { name, categoryId: 2 }, sent);
      errorIn(seen, 422, "idempotency_mismatch");
      assert(
        (await petNow(caller, first.id)).categoryId === 1n,
        "the first pet as it was",
        "changed",
      );
    },
  ),
  check(
    "mismatch-operation-422",
    "The same key with another operation is refused with 422.",
    mismatch,
    async (caller) => {
      const sent = keyed(newKey(caller));
      const pet = petIn(await postPet(caller, sent), 201);
      const seen = await caller.post("/store/orders", `{"petId":${pet.id}}`, sent);
      errorIn(seen, 422, "idempotency_mismatch");
      await expectPetStatus(caller, pet.id, "available");
    },
  ),
  check(
    "refused-not-remembered",
    "A refused request is not remembered under its key.",
    key,
    async (caller) => {
      const sent = keyed(newKey(caller));
      errorIn(await caller.post("/pets", { name: 5 }, sent), 400);
      petIn(await postPet(caller, sent), 201);
    },
  ),
  check("key-255-accepted", "A key of 255 characters is taken.", key, async (caller) => {
    const body = { name: caller.newName(), categoryId: 1 };
    const long = newKey(caller).padEnd(255, "k");
    const first = petIn(await caller.post("/pets", body, keyed(long)), 201);
    const second = petIn(await caller.post("/pets", body, keyed(long)), 201);
    assert(first.id === second.id, `pet ${first.id} again`, `pet ${second.id}`);
  }),
  ...(
    [
      ["256", "of 256 characters", (short: string) => short.padEnd(256, "k")],
      ["space", "with a space", (short: string) => `${short} ${short}`],
    ] as const
  ).map(([what, words, make]) =>
    check(`key-${what}-refused`, `A key ${words} is refused with 400.`, key, async (caller) => {
      errorIn(await postPet(caller, keyed(make(newKey(caller)))), 400);
    }),
  ),
  check("replay-order", "An order can be repeated as well.", key, async (caller) => {
    const { id } = await addPet(caller);
    const sent = keyed(newKey(caller));
    const body = `{"petId":${id},"quantity":1}`;
    const first = orderIn(await caller.post("/store/orders", body, sent), 201);
    const second = orderIn(await caller.post("/store/orders", body, sent), 201);
    assert(first.id === second.id, `order ${first.id} again`, `order ${second.id}`);
  }),
  check("replay-approve", "An approval can be repeated as well.", key, async (caller) => {
    const { id } = await placeOrder(caller);
    const sent = keyed(newKey(caller));
    for (let time = 0; time < 2; time++) {
      const seen = await caller.send("POST", `/store/orders/${id}/approve`, sent);
      assert(orderIn(seen).status === "approved", "approved", shown(seen));
    }
  }),
  check(
    "mismatch-order-422",
    "The same key for the approval of another order is refused with 422.",
    mismatch,
    async (caller) => {
      const sent = keyed(newKey(caller));
      const [one, two] = [await placeOrder(caller), await placeOrder(caller)];
      orderIn(await caller.send("POST", `/store/orders/${one.id}/approve`, sent));
      const seen = await caller.send("POST", `/store/orders/${two.id}/approve`, sent);
      errorIn(seen, 422, "idempotency_mismatch");
    },
  ),
];
