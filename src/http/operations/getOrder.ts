import { int64FromText } from "../../contract/int64.ts";
import { then } from "../../core/maybePromise.ts";
import { Problem } from "../../core/problems.ts";
import type { Handler, HandlerDependencies } from "../handlers.ts";
import { readHeaders } from "../responses.ts";

export function getOrder({ orders }: HandlerDependencies): Handler<"getOrder"> {
  return ({ path }) => {
    const id = int64FromText(path.orderId);
    if (id === undefined) throw new Problem("order_not_found");
    return then(orders.get(id), (body) => {
      if (body === undefined) throw new Problem("order_not_found");
      return { status: 200, body, headers: readHeaders };
    });
  };
}
