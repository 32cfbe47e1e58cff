import { int64FromText } from "../../contract/int64.ts";
import { then } from "../../maybePromise.ts";
import { Problem } from "../../problems.ts";
import { readHeaders } from "../answer.ts";
import type { Handler, Shop } from "../handlers.ts";

export function getOrder({ orders }: Shop): Handler<"getOrder"> {
  return ({ path }) => {
    const id = int64FromText(path.orderId);
    if (id === undefined) throw new Problem("order_not_found");
    return then(orders.get(id), (body) => {
      if (body === undefined) throw new Problem("order_not_found");
      return { status: 200, body, headers: readHeaders };
    });
  };
}
