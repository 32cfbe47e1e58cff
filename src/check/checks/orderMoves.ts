/** The life of an order: placed, approved, delivered. */
import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";
import type { HttpExchange, Order } from "../exchange.ts";

const check = checksOf("orders");
const approvalCheck = check("openapi: /paths/~1store~1orders~1{orderId}~1approve/post");
const deliveryCheck = check("openapi: /paths/~1store~1orders~1{orderId}~1deliver/post");
const eventRefusedCheck = check("openapi: /components/responses/OrderEventRefused");

type Event = "approve" | "deliver";

const move = (caller: Caller, { id }: Order, event: Event): Promise<HttpExchange> =>
  caller.send("POST", `/store/orders/${id}/${event}`);

async function moved(caller: Caller, order: Order, ...events: readonly Event[]): Promise<Order> {
  let now = order;
  for (const event of events) now = (await move(caller, order, event)).order();
  return now;
}

/** What was done before, what is refused then, and the status that stays. */
const refused: readonly (readonly [Event[], Event, string])[] = [
  [[], "deliver", "placed"],
  [["approve"], "approve", "approved"],
  [["approve", "deliver"], "approve", "delivered"],
  [["approve", "deliver"], "deliver", "delivered"],
];

export const orderMoves: readonly Check[] = [
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
  ...refused.map(([before, event, stays]) =>
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
