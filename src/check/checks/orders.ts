/** Placing, getting, listing, approving, delivering and cancelling orders. */

import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf, expectAscending, expectIds, idsOf } from "../check.ts";
import { type HttpExchange, type Order, orderStatuses } from "../exchange.ts";

const check = checksOf("orders");
const place = "openapi: /paths/~1store~1orders/post";
const placeCheck = check(place);
const getCheck = check("openapi: /paths/~1store~1orders~1{orderId}/get");
const takenCheck = check("openapi: /components/responses/PetTaken");
const newOrderCheck = check("openapi: /components/schemas/NewOrder");

/** Bodies that are refused, and the member that the message has to name. */
const refusedBodies: Readonly<Record<string, readonly [body: string, names: string]>> = {
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

const placing: readonly Check[] = [
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
  ...Object.entries(refusedBodies).map(([what, [pattern, names]]) =>
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
    for (const event of ["approve", "deliver", "cancel"]) {
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
      for (const event of ["approve", "deliver", "cancel"]) {
        (await caller.send("POST", `/store/orders/1/${event}`, sent)).error(401);
      }
    },
  ),
  check("openapi: /paths/~1store~1orders/get")(
    "orders-listing-exists",
    "There is a listing of orders.",
    async (caller) => (await caller.get("/store/orders")).expectStatus(200),
  ),
];

const approvalCheck = check("openapi: /paths/~1store~1orders~1{orderId}~1approve/post");
const deliveryCheck = check("openapi: /paths/~1store~1orders~1{orderId}~1deliver/post");
const cancellationCheck = check("openapi: /paths/~1store~1orders~1{orderId}~1cancel/post");
const eventRefusedCheck = check("openapi: /components/responses/OrderEventRefused");

type Event = "approve" | "deliver" | "cancel";

const move = (caller: Caller, { id }: Order, event: Event): Promise<HttpExchange> =>
  caller.send("POST", `/store/orders/${id}/${event}`);

async function moved(caller: Caller, order: Order, ...events: readonly Event[]): Promise<Order> {
  let now = order;
  for (const event of events) now = (await move(caller, order, event)).order();
  return now;
}

/** How an order gets each status. */
const eventsTo: Readonly<Record<Order["status"], readonly Event[]>> = {
  placed: [],
  approved: ["approve"],
  delivered: ["approve", "deliver"],
  cancelled: ["cancel"],
};

/** What was done before, what is refused then, and the status that stays. */
const refusedMoves: readonly (readonly [Event[], Event, string])[] = [
  [[], "deliver", "placed"],
  [["approve"], "approve", "approved"],
  [["approve", "deliver"], "approve", "delivered"],
  [["approve", "deliver"], "deliver", "delivered"],
  [["approve", "deliver"], "cancel", "delivered"],
  [["cancel"], "approve", "cancelled"],
  [["approve", "cancel"], "deliver", "cancelled"],
  [["cancel"], "cancel", "cancelled"],
];

const moving: readonly Check[] = [
  approvalCheck("order-approve", "Approving moves an order to approved.", async (caller) => {
    const pet = await caller.addPet();
    const order = await caller.placeOrder(pet);
    const now = await moved(caller, order, "approve");
    assert(now.status === "approved" && now.id === order.id, "approved", now.status);
    const found = (await caller.get(`/store/orders/${order.id}`)).order();
    assert(found.status === "approved", "approved when read", found.status);
    await caller.expectPetStatus(pet.id, "pending");
  }),
  deliveryCheck(
    "order-deliver",
    "Delivering moves an order to delivered and its pet to sold.",
    async (caller) => {
      const pet = await caller.addPet();
      const order = await caller.placeOrder(pet);
      const now = await moved(caller, order, "approve", "deliver");
      assert(now.status === "delivered", "delivered", now.status);
      const found = (await caller.get(`/store/orders/${order.id}`)).order();
      assert(found.status === "delivered", "delivered when read", found.status);
      await caller.expectPetStatus(pet.id, "sold");
    },
  ),
  ...([[], ["approve"]] as const).map((before) => {
    const from = before.length === 0 ? "placed" : "approved";
    return cancellationCheck(
      `order-cancel-when-${from}`,
      `Cancelling an order that is ${from} makes its pet available, and it can be ordered again.`,
      async (caller) => {
        const pet = await caller.addPet();
        const order = await caller.placeOrder(pet);
        const now = await moved(caller, order, ...before, "cancel");
        assert(now.status === "cancelled" && now.id === order.id, "cancelled", now.status);
        const found = (await caller.get(`/store/orders/${order.id}`)).order();
        assert(found.status === "cancelled", "cancelled when read", found.status);
        await caller.expectPetStatus(pet.id, "available");
        const again = await caller.placeOrder(pet);
        assert(again.id !== order.id, "another order", `order ${again.id}`);
      },
    );
  }),
  cancellationCheck(
    "order-cancel-leaves-next",
    "To cancel an order again is refused with 409, and does not free the pet from its next one.",
    async (caller) => {
      const pet = await caller.addPet();
      const order = await caller.placeOrder(pet);
      await moved(caller, order, "cancel");
      await caller.placeOrder(pet);
      (await move(caller, order, "cancel")).error(409, "order_event_refused");
      await caller.expectPetStatus(pet.id, "pending");
    },
  ),
  ...refusedMoves.map(([before, event, stays]) =>
    eventRefusedCheck(
      `order-${event}-when-${stays}-409`,
      `To ${event} an order that is ${stays} is refused with 409, and it stays ${stays}.`,
      async (caller) => {
        const order = await caller.placeOrder();
        await moved(caller, order, ...before);
        (await move(caller, order, event)).error(409, "order_event_refused");
        const found = (await caller.get(`/store/orders/${order.id}`)).order();
        assert(found.status === stays, stays, found.status);
      },
    ),
  ),
];

const listCheck = check("openapi: /paths/~1store~1orders/get");
const cursorCheck = check("openapi: /components/parameters/cursor");
const ordersPath = "/store/orders";

/** Enough for three thousand orders; where there are more, only the beginning is walked. */
const pagesMax = 30;

const refusedQueries: Readonly<Record<string, readonly [query: string, names: string]>> = {
  "limit-0": ["limit=0", "limit"],
  "limit-101": ["limit=101", "limit"],
  "limit-word": ["limit=ten", "limit"],
  "status-unknown": ["status=lost", "status"],
  "status-of-pets": ["status=sold", "status"],
};

const listing: readonly Check[] = [
  check("openapi: /components/schemas/Orders")(
    "orders-bare-array",
    "A list of orders is an array in the order of identifiers.",
    async (caller) => {
      await caller.placeOrder();
      const found = (await caller.get(ordersPath)).orders();
      assert(found.length >= 1 && found.length <= 20, "1 to 20 orders", String(found.length));
      expectAscending(found, "orders");
    },
  ),
  ...orderStatuses.map((status) =>
    check("openapi: /components/parameters/orderStatus")(
      `orders-status-${status}`,
      `With status=${status}, only such orders are returned.`,
      async (caller) => {
        await moved(caller, await caller.placeOrder(), ...eventsTo[status]);
        const found = (await caller.get(`${ordersPath}?status=${status}&limit=100`)).orders();
        assert(found.length > 0, `${status} orders, for there is one`, "none");
        const other = found.find((order) => order.status !== status);
        assert(other === undefined, `only ${status}`, `order ${other?.id} ${other?.status}`);
      },
    ),
  ),
  ...Object.entries(refusedQueries).map(([what, [query, names]]) =>
    listCheck(
      `orders-${what}-refused`,
      `A list of orders with ${query} is refused with 400, naming ${names}.`,
      async (caller) =>
        (await caller.get(`${ordersPath}?${query}`)).expectNamed("parameter_invalid", names),
    ),
  ),
  listCheck(
    "orders-walk",
    "Following Link meets every order once, in the order of identifiers.",
    async (caller) => {
      const pets = await caller.addPets(3);
      const placed = await Promise.all(pets.map((pet) => caller.placeOrder(pet)));
      // Small pages first, where the seams are.
      for (const [limit, most] of [
        [2, 3],
        [100, pagesMax],
      ] as const) {
        const pages: Order[][] = [];
        for await (const seen of caller.walk(ordersPath, `limit=${limit}`, most)) {
          pages.push(seen.orders());
        }
        expectAscending(pages.flat(), "orders of all pages");
        const short = pages.slice(0, -1).find((page) => page.length !== limit);
        assert(short === undefined, `${limit} on every page but the last`, `${short?.length}`);
        if (pages.length === most) continue;
        const met = pages.flat().filter(({ id }) => placed.some((order) => order.id === id));
        assert(met.length === 3, `${idsOf(placed)} once each`, idsOf(met));
      }
      const [first, second] = [`${ordersPath}?limit=1`, `${ordersPath}?limit=2`];
      const two = (await caller.get(second)).orders();
      const next = caller.cursorOf(await caller.get(first), ordersPath);
      const then = (await caller.get(`${first}&cursor=${encodeURIComponent(next)}`)).orders();
      expectIds(then, two.slice(1));
    },
  ),
  cursorCheck(
    "orders-cursor-bound",
    "A cursor of one list of orders is refused by another.",
    async (caller) => {
      const [one, two] = await caller.addPets(2);
      await caller.placeOrder(one);
      await caller.placeOrder(two);
      const next = caller.cursorOf(await caller.get(`${ordersPath}?limit=1`), ordersPath);
      const path = `${ordersPath}?status=placed&cursor=${encodeURIComponent(next)}`;
      (await caller.get(path)).error(400, "cursor_invalid");
    },
  ),
  cursorCheck(
    "orders-cursor-of-pets-refused",
    "A cursor of the pets is refused by the orders.",
    async (caller) => {
      await caller.addPets(2);
      const next = caller.cursorOf(await caller.get("/pets?limit=1"), "/pets");
      const path = `${ordersPath}?cursor=${encodeURIComponent(next)}`;
      (await caller.get(path)).error(400, "cursor_invalid");
    },
  ),
];

export const orders: readonly Check[] = [...placing, ...moving, ...listing];
