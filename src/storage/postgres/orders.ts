import type { JsonOf } from "../../contract/document.ts";
import { orderWrites } from "../../petstore/orders/orderCommands.ts";
import type { Order, OrderStore } from "../../petstore/orders/orders.ts";
import { int8s } from "./connection.ts";
import type { Database } from "./database.ts";
import { mapErrors } from "./failures.ts";
import { BatchedPages, batcherByKey, pageStatements } from "./readBatcher.ts";
import type { Writer } from "./writer.ts";

type OrderRow = [id: bigint, json: JsonOf<Order>];

export function postgresOrders(database: Database, writer: Writer): OrderStore {
  const byId = batcherByKey(
    database.clock,
    async (ids: readonly bigint[]) =>
      new Map(await mapErrors(database.read<OrderRow>(findOrders, [int8s(ids)]))),
  );
  const pages = new BatchedPages<Order>(database, orderPages);
  return {
    ...orderWrites(writer),
    get: (id) => byId.read(id),
    async list({ status, after = 0n, limit }) {
      const { items, next } = await pages.get({ status, after }, limit);
      return { orders: items, next };
    },
  };
}

const findOrders = "SELECT id, json FROM orders WHERE id = ANY($1::int8[])";

export const orderPages = pageStatements("orders");
