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
import { int8s } from "./connection.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { BatchedPages, BatchedReads, pageStatements } from "./readBatcher.ts";
import type { Writer } from "./writer.ts";

type Row = [id: bigint, json: JsonOf<Order>];

export class PostgresOrders implements OrderStore {
  readonly #writer: Writer;
  readonly #byId: BatchedReads<JsonOf<Order>>;
  readonly #pages: BatchedPages<Order>;

  constructor(database: Database, writer: Writer) {
    this.#writer = writer;
    this.#byId = new BatchedReads(
      database.clock,
      async (ids) => new Map(await failing(database.read<Row>(findOrders, [int8s(ids)]))),
    );
    this.#pages = new BatchedPages(database, orderPages);
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

  get(id: bigint): Promise<JsonOf<Order> | undefined> {
    return this.#byId.get(id);
  }

  async list({ status, after = 0n, limit }: OrderQuery): Promise<OrderPage> {
    const { items, next } = await this.#pages.get({ status, after }, limit);
    return { orders: items, next };
  }
}

const findOrders = "SELECT id, json FROM orders WHERE id = ANY($1::int8[])";

export const orderPages = pageStatements("orders");
