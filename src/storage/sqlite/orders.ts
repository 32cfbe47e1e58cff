import type { DatabaseSync } from "node:sqlite";
import type { JsonOf } from "../../contract/document.ts";
import { orderWrites } from "../../petstore/orders/orderCommands.ts";
import type { Order, OrderStore } from "../../petstore/orders/orders.ts";
import { pageOf } from "../repositories/storage.ts";
import { prepareRows } from "./connection.ts";
import { mapErrors } from "./failures.ts";
import type { Writer } from "./writer.ts";

type OrderRow = [id: bigint, json: JsonOf<Order>];

export function sqliteOrders(db: DatabaseSync, writer: Writer): OrderStore {
  const find = prepareRows<[json: JsonOf<Order>]>(db, "SELECT json FROM orders WHERE id = ?");
  const listAll = prepareRows<OrderRow>(db, listAllOrders);
  const listStatus = prepareRows<OrderRow>(db, listOrdersByStatus);
  return {
    ...orderWrites(writer),
    get: (id) => mapErrors(() => find.get(id)?.[0]),
    list({ status, after = 0n, limit }) {
      const found = mapErrors(() =>
        status === undefined
          ? listAll.all(after, limit + 1)
          : listStatus.all(status, after, limit + 1),
      );
      const { rows, next } = pageOf(found, limit);
      return { orders: rows.map(([, text]) => text), next };
    },
  };
}

export const listAllOrders = "SELECT id, json FROM orders WHERE id > ? ORDER BY id LIMIT ?";
export const listOrdersByStatus =
  "SELECT id, json FROM orders WHERE status = ? AND id > ? ORDER BY id LIMIT ?";
