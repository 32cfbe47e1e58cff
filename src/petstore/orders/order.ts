import type { JsonOf } from "../../contract/document.ts";
import type { Schemas } from "../../contract/operations.ts";

export type OrderStatus = Schemas["OrderStatus"];
export type NewOrder = Schemas["NewOrder"];
export type Order = Schemas["Order"];
export type OrderEvent = "approve" | "deliver";

/** The life cycle of an order: state × event → state. An event without a cell is refused. */
export const transitions: Readonly<
  Record<OrderStatus, Readonly<Partial<Record<OrderEvent, OrderStatus>>>>
> = {
  placed: { approve: "approved" },
  approved: { deliver: "delivered" },
  delivered: {},
};

/** The only status in which an event is allowed. */
const takenFrom: Readonly<Record<OrderEvent, OrderStatus>> = {
  approve: "placed",
  deliver: "approved",
};

/** Why an event was refused, as a whole sentence. */
export function refusalText(id: bigint, event: OrderEvent, status: OrderStatus): string {
  const from = takenFrom[event];
  return `Order ${id} is ${status}, and only ${withArticle(from)} order can be ${transitions[from][event]}.`;
}

export function withArticle(status: OrderStatus): string {
  return `${status.startsWith("a") ? "an" : "a"} ${status}`;
}

export function orderText(order: Order): JsonOf<Order> {
  const { id, petId, quantity, status, placedAt } = order;
  return `{"id":${id},"petId":${petId},"quantity":${quantity},"status":"${status}","placedAt":"${placedAt}"}`;
}
