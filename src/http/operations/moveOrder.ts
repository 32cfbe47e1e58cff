import { int64FromText } from "../../contract/int64.ts";
import { type OrderEvent, refusalText } from "../../orders/order.ts";
import { Problem } from "../../problems.ts";
import { effectAnswer } from "../effect.ts";
import type { Handler, Shop } from "../handlers.ts";

export function moveOrder(
  { orders }: Shop,
  event: OrderEvent,
): Handler<"approveOrder"> & Handler<"deliverOrder"> {
  return async ({ path }, { once }) => {
    const id = int64FromText(path.orderId);
    if (id === undefined) throw new Problem("order_not_found");
    const outcome = await orders.move(id, event, once);
    switch (outcome.kind) {
      case "no_such_order":
        throw new Problem("order_not_found");
      case "refused":
        throw new Problem("order_event_refused", {
          detail: refusalText(id, event, outcome.status),
        });
      default:
        return effectAnswer(200, outcome);
    }
  };
}
