/** Placing and getting orders. */
import { assert, type Check, checksOf } from "../check.ts";

const check = checksOf("orders");
const place = "openapi: /paths/~1store~1orders/post";
const placeCheck = check(place);
const getCheck = check("openapi: /paths/~1store~1orders~1{orderId}/get");
const takenCheck = check("openapi: /components/responses/PetTaken");
const newOrderCheck = check("openapi: /components/schemas/NewOrder");

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
  placeCheck("order-placed", "An order for an available pet is placed: 201.", async (caller) => {
    const { id } = await caller.addPet();
    const seen = await caller.post("/store/orders", `{"petId":${id},"quantity":1000}`);
    const order = seen.order(201);
    const fits = order.petId === id && order.quantity === 1_000 && order.status === "placed";
    assert(fits, `an order placed for 1000 of pet ${id}`, seen.shown);
  }),
  newOrderCheck("order-quantity-defaults", "quantity is 1 when left out.", async (caller) => {
    const { id } = await caller.addPet();
    const order = (await caller.post("/store/orders", `{"petId":${id}}`)).order(201);
    assert(order.quantity === 1, "1", String(order.quantity));
  }),
  check(`${place}/responses/201/headers/Location`)(
    "order-location",
    "Location holds the address of the order, and there it is.",
    async (caller) => {
      const { id: petId } = await caller.addPet();
      const seen = await caller.post("/store/orders", `{"petId":${petId}}`);
      const { id } = seen.order(201);
      const path = caller.rebased(seen.header("location"), `/store/orders/${id}`);
      const found = await caller.get(path);
      found.order();
      assert(found.text === seen.text, seen.shown, found.shown);
    },
  ),
  placeCheck("order-makes-pending", "The ordered pet becomes pending.", async (caller) => {
    const pet = await caller.addPet();
    await caller.placeOrder(pet);
    await caller.expectPetStatus(pet.id, "pending");
  }),
  takenCheck("order-second-409", "A second order for a pet gets 409.", async (caller) => {
    const pet = await caller.addPet();
    await caller.placeOrder(pet);
    const seen = await caller.post("/store/orders", `{"petId":${pet.id}}`);
    seen.error(409, "pet_not_available");
  }),
  ...["pending", "sold"].map((status) =>
    takenCheck(
      `order-${status}-409`,
      `A pet that is ${status} cannot be ordered: 409, and it stays so.`,
      async (caller) => {
        const { id } = await caller.addPet({ status });
        const seen = await caller.post("/store/orders", `{"petId":${id}}`);
        seen.error(409, "pet_not_available");
        await caller.expectPetStatus(id, status);
      },
    ),
  ),
  placeCheck("order-race", "Of ten orders for one pet, one is placed.", async (caller) => {
    const { id } = await caller.addPet({ name: caller.newName("race") });
    const body = `{"petId":${id}}`;
    const ten = Array.from({ length: 10 }, () => caller.post("/store/orders", body));
    const all = await Promise.all(ten);
    const won = all.filter(({ status }) => status === 201);
    assert(won.length === 1, "one 201", `${won.length}`);
    for (const seen of all) {
      if (seen.status !== 201) seen.error(409, "pet_not_available");
    }
  }),
  check("openapi: /paths/~1store~1orders/post/responses/400")(
    "order-unknown-pet-400",
    "An order for a pet that is not there is refused with 400, naming petId.",
    async (caller) => {
      const seen = await caller.post("/store/orders", `{"petId":${caller.unusedId()}}`);
      seen.expectNamed("body_invalid", "petId");
    },
  ),
  ...Object.entries(refused).map(([what, [pattern, names]]) =>
    newOrderCheck(
      `order-${what}-refused`,
      `An order like ${pattern.replace("ID", "1")} is refused with 400, naming ${names}.`,
      async (caller) => {
        const pet = await caller.addPet();
        const seen = await caller.post("/store/orders", pattern.replace("ID", String(pet.id)));
        seen.expectNamed("body_invalid", names);
        await caller.expectPetStatus(pet.id, "available");
      },
    ),
  ),
  getCheck("order-get", "An order is found under its identifier.", async (caller) => {
    const order = await caller.placeOrder();
    const found = (await caller.get(`/store/orders/${order.id}`)).order();
    const same = found.id === order.id && found.placedAt === order.placedAt;
    assert(same && found.petId === order.petId, `order ${order.id}`, `order ${found.id}`);
  }),
  getCheck("order-unknown-404", "An unknown order is answered 404.", async (caller) => {
    const path = `/store/orders/${caller.unusedId()}`;
    (await caller.get(path)).error(404, "order_not_found");
    for (const event of ["approve", "deliver"]) {
      (await caller.send("POST", `${path}/${event}`)).error(404, "order_not_found");
    }
  }),
  getCheck("order-malformed-404", "What is no int64 names no order.", async (caller) => {
    const { id } = await caller.placeOrder();
    for (const spelling of ["first", `0${id}`, `${id}.0`, `+${id}`]) {
      (await caller.get(`/store/orders/${spelling}`)).error(404, "order_not_found");
    }
  }),
  check("openapi: /components/securitySchemes/apiKey")(
    "orders-need-key",
    "Every operation on orders needs a key.",
    async (caller) => {
      const sent = { authorization: null };
      (await caller.send("GET", "/store/orders", sent)).error(401);
      (await caller.post("/store/orders", "{}", sent)).error(401);
      (await caller.send("GET", "/store/orders/1", sent)).error(401);
      (await caller.send("POST", "/store/orders/1/approve", sent)).error(401);
      (await caller.send("POST", "/store/orders/1/deliver", sent)).error(401);
    },
  ),
  check("openapi: /paths/~1store~1orders/get")(
    "orders-listing-exists",
    "There is a listing of orders.",
    async (caller) => (await caller.get("/store/orders")).expectStatus(200),
  ),
];
