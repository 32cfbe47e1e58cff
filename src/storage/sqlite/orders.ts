import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { JsonOf } from "../../contract/document.ts";
import type { IdempotentRequest } from "../../petstore/idempotency/idempotency.ts";
import type { NewOrder, Order, OrderEvent } from "../../petstore/orders/order.ts";
import type {
  MoveOutcome,
  OrderPage,
  OrderQuery,
  OrderStore,
  PlaceOutcome,
} from "../../petstore/orders/orders.ts";
import { pageOf } from "../repositories/storage.ts";
import { prepareList } from "./connection.ts";
import { reading } from "./failures.ts";
import type { Writer } from "./writer.ts";

export class SqliteOrders implements OrderStore {
  readonly #writer: Writer;
  readonly #find: StatementSync;
  readonly #listAll: StatementSync;
  readonly #listStatus: StatementSync;

  constructor(db: DatabaseSync, writer: Writer) {
    this.#writer = writer;
    this.#find = db.prepare("SELECT json FROM orders WHERE id = ?");
    this.#find.setReturnArrays(true);
    this.#listAll = prepareList(db, listAllOrders);
    this.#listStatus = prepareList(db, listOrdersByStatus);
  }

  place(
    { petId, quantity }: NewOrder,
    placedAtMs: number,
    idempotency?: IdempotentRequest,
  ): Promise<PlaceOutcome> {
    return this.#writer.submit("placeOrder", {
      order: { petId, quantity },
      placedAtMs,
      idempotency,
    });
  }

  move(id: bigint, event: OrderEvent, idempotency?: IdempotentRequest): Promise<MoveOutcome> {
    return this.#writer.submit("moveOrder", { id, event, idempotency });
  }

  get(id: bigint): JsonOf<Order> | undefined {
    const row = reading(() => this.#find.get(id)) as unknown as [JsonOf<Order>] | undefined;
    return row?.[0];
  }

  list({ status, after = 0n, limit }: OrderQuery): OrderPage {
    const found: unknown[] = reading(() =>
      status === undefined
        ? this.#listAll.all(after, limit + 1)
        : this.#listStatus.all(status, after, limit + 1),
    );
    const { rows, next } = pageOf(found as [id: bigint, json: JsonOf<Order>][], limit);
    return { orders: rows.map(([, text]) => text), next };
  }
}

export const listAllOrders = "SELECT id, json FROM orders WHERE id > ? ORDER BY id LIMIT ?";
export const listOrdersByStatus =
  "SELECT id, json FROM orders WHERE status = ? AND id > ? ORDER BY id LIMIT ?";
