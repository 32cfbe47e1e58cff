import { openCursor, sealCursor } from "../../catalogue/cursor.ts";
import { then } from "../../maybePromise.ts";
import type { Handler, Shop } from "../handlers.ts";
import { pageAnswer } from "../page.ts";

export function listOrders({ orders, secret }: Shop): Handler<"listOrders"> {
  return ({ query: { limit, status, cursor } }, { base }) => {
    const question = `orders ${status ?? "*"}`;
    const after = cursor === undefined ? undefined : openCursor(secret, question, cursor);
    const search = status === undefined ? "" : `&status=${status}`;
    return then(orders.list({ status, after, limit }), ({ orders: found, next }) =>
      pageAnswer(
        found,
        next === undefined
          ? undefined
          : `${base}/store/orders?limit=${limit}${search}&cursor=${sealCursor(secret, question, next)}`,
      ),
    );
  };
}
