import { int64FromText } from "../../contract/int64.ts";
import { Problem } from "../../core/problems.ts";
import { type OrderEvent, refusalText } from "../../petstore/orders/order.ts";
import type { Handler, HandlerDependencies } from "../handlers.ts";
import { writeResponse } from "../responses.ts";

export function moveOrder(
  { orders }: HandlerDependencies,
  event: OrderEvent,
): Handler<"approveOrder"> & Handler<"deliverOrder"> {
  return async ({ path }, { idempotency }) => {
    const id = int64FromText(path.orderId);
    if (id === undefined) throw new Problem("order_not_found");
    const outcome = await orders.move(id, event, idempotency);
    switch (outcome.kind) {
      case "no_such_order":
        throw new Problem("order_not_found");
      case "refused":
        throw new Problem("order_event_refused", {
          detail: refusalText(id, event, outcome.status),
        });
      default:
        return writeResponse(200, outcome);
    }
  };
}
