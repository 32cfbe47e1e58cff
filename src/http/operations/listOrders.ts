import { then } from "../../core/maybePromise.ts";
import { openCursor, sealCursor } from "../../petstore/catalogue/cursor.ts";
import type { Handler, HandlerDependencies } from "../handlers.ts";
import { pageResponse } from "../responses.ts";

export function listOrders({ orders, secret }: HandlerDependencies): Handler<"listOrders"> {
  return ({ query: { limit, status, cursor } }, { base }) => {
    const question = `orders ${status ?? "*"}`;
    const after = cursor === undefined ? undefined : openCursor(secret, question, cursor);
    const search = status === undefined ? "" : `&status=${status}`;
    return then(orders.list({ status, after, limit }), ({ orders: found, next }) =>
      pageResponse(
        found,
        next === undefined
          ? undefined
          : `${base}/store/orders?limit=${limit}${search}&cursor=${sealCursor(secret, question, next)}`,
      ),
    );
  };
}
