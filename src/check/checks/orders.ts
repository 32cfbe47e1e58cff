/** Placing and getting orders. */

import { shown } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";
import { addPet, expectPetStatus, placeOrder, rebased } from "../fixtures.ts";
import { errorIn, expectNamed, expectStatus, header, orderIn } from "../shapes.ts";

const check = checksOf("orders");
const place = "openapi: /paths/~1store~1orders/post";
const get = "openapi: /paths/~1store~1orders~1{orderId}/get";
const taken = "openapi: /components/responses/PetTaken";
const newOrder = "openapi: /components/schemas/NewOrder";

/** Bodies that are refused, and the member that the message has to name. */
const refused: Readonly<Record<string, readonly [body: string, names: string]>> = {
  "pet-missing": ['{"quantity":1}', "petId"],
  "pet-string": ['{"petId":"ID","quantity":1}', "petId"],
  "pet-fraction": ['{"petId":ID.5,"quantity":1}', "petId"],
  "pet-null": ['{"petId":null}', "petId"],
  "quantity-0": ['{"petId":ID,"quantity":0}', "quantity"],
  "quantity-negative": ['{"petId":ID,"quantity":-1}', "quantity"],
  "quantity-1001": ['{"petId":ID,"quantity":1001}', "quantity"],
  "quantity-fraction": ['{"petId":ID,"quantity":1.5}', "quantity"],
  "quantity-string": ['{"petId":ID,"quantity":"1"}', "quantity"],
  "quantity-null": ['{"petId":ID,"quantity":null}', "quantity"],
};

export const orders: readonly Check[] = [
  check("order-placed", "An order for an available pet is placed: 201.", place, async (caller) => {
    const { id } = await addPet(caller);
    const seen = await caller.post("/store/orders", `{"petId":${id},"quantity":1000}`);
    const order = orderIn(seen, 201);
    const fits = order.petId === id && order.quantity === 1_000 && order.status === "placed";
    assert(fits, `an order placed for 1000 of pet ${id}`, shown(seen));
  }),
  check("order-quantity-defaults", "quantity is 1 when left out.", newOrder, async (caller) => {
    const { id } = await addPet(caller);
    const order = orderIn(await caller.post("/store/orders", `{"petId":${id}}`), 201);
    assert(order.quantity === 1, "1", String(order.quantity));
  }),
  check(
    "order-location",
    "Location holds the address of the order, and there it is.",
    `${place}/responses/201/headers/Location`,
    async (caller) => {
      const { id: petId } = await addPet(caller);
      const seen = await caller.post("/store/orders", `{"petId":${petId}}`);
      const { id } = orderIn(seen, 201);
      const path = rebased(caller, header(seen, "location"), `/store/orders/${id}`);
      const found = await caller.get(path);
      orderIn(found);
      assert(found.text === seen.text, shown(seen), shown(found));
    },
  ),
  check("order-makes-pending", "The ordered pet becomes pending.", place, async (caller) => {
    const pet = await addPet(caller);
    await placeOrder(caller, pet);
    await expectPetStatus(caller, pet.id, "pending");
  }),
  check("order-second-409", "A second order for a pet gets 409.", taken, async (caller) => {
    const pet = await addPet(caller);
    await placeOrder(caller, pet);
    const seen = await caller.post("/store/orders", `{"petId":${pet.id}}`);
    errorIn(seen, 409, "pet_not_available");
  }),
  ...["pending", "sold"].map((status) =>
    check(
      `order-${status}-409`,
      `A pet that is ${status} cannot be ordered: 409, and it stays so.`,
      taken,
      async (caller) => {
        const { id } = await addPet(caller, { status });
        const seen = await caller.post("/store/orders", `{"petId":${id}}`);
        errorIn(seen, 409, "pet_not_available");
        await expectPetStatus(caller, id, status);
      },
    ),
  ),
  check("order-race", "Of ten orders for one pet, one is placed.", place, async (caller) => {
    const { id } = await addPet(caller, { name: caller.newName("race") });
    const body = `{"petId":${id}}`;
    const ten = Array.from({ length: 10 }, () => caller.post("/store/orders", body));
    const all = await Promise.all(ten);
    const won = all.filter(({ status }) => status === 201);
    assert(won.length === 1, "one 201", `${won.length}`);
    for (const seen of all) {
      if (seen.status !== 201) errorIn(seen, 409, "pet_not_available");
    }
  }),
  check(
    "order-unknown-pet-400",
    "An order for a pet that is not there is refused with 400, naming petId.",
    "openapi: /paths/~1store~1orders/post/responses/400",
    async (caller) => {
      const seen = await caller.post("/store/orders", `{"petId":${caller.unusedId()}}`);
      expectNamed(seen, "body_invalid", "petId");
    },
  ),
  ...Object.entries(refused).map(([what, [pattern, names]]) =>
    check(
      `order-${what}-refused`,
      `An order like ${pattern.replace("ID", "1")} is refused with 400, naming ${names}.`,
      newOrder,
      async (caller) => {
        const pet = await addPet(caller);
        const seen = await caller.post("/store/orders", pattern.replace("ID", String(pet.id)));
        expectNamed(seen, "body_invalid", names);
        await expectPetStatus(caller, pet.id, "available");
      },
    ),
  ),
  check("order-get", "An order is found under its identifier.", get, async (caller) => {
    const order = await placeOrder(caller);
    const found = orderIn(await caller.get(`/store/orders/${order.id}`));
    const same = found.id === order.id && found.placedAt === order.placedAt;
    assert(same && found.petId === order.petId, `order ${order.id}`, `order ${found.id}`);
  }),
  check("order-unknown-404", "An unknown order is answered 404.", get, async (caller) => {
    const path = `/store/orders/${caller.unusedId()}`;
    errorIn(await caller.get(path), 404, "order_not_found");
    for (const event of ["approve", "deliver"]) {
      errorIn(await caller.send("POST", `${path}/${event}`), 404, "order_not_found");
    }
  }),
  check("order-malformed-404", "What is no int64 names no order.", get, async (caller) => {
    const { id } = await placeOrder(caller);
    for (const spelling of ["first", `0${id}`, `${id}.0`, `+${id}`]) {
      errorIn(await caller.get(`/store/orders/${spelling}`), 404, "order_not_found");
    }
  }),
  check(
    "orders-need-key",
    "Every operation on orders needs a key.",
    "openapi: /components/securitySchemes/apiKey",
    async (caller) => {
      const sent = { authorization: null };
      errorIn(await caller.send("GET", "/store/orders", sent), 401);
      errorIn(await caller.post("/store/orders", "{}", sent), 401);
      errorIn(await caller.send("GET", "/store/orders/1", sent), 401);
      errorIn(await caller.send("POST", "/store/orders/1/approve", sent), 401);
      errorIn(await caller.send("POST", "/store/orders/1/deliver", sent), 401);
    },
  ),
  check(
    "orders-listing-exists",
    "There is a listing of orders.",
    "openapi: /paths/~1store~1orders/get",
    async (caller) => expectStatus(await caller.get("/store/orders"), 200),
  ),
];
