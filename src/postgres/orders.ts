import type { JsonOf } from "../contract/operations.ts";
import type { Once } from "../once.ts";
import type { NewOrder, Order, OrderEvent } from "../orders/order.ts";
import type {
  MoveOutcome,
  OrderPage,
  OrderQuery,
  OrderStore,
  PlaceOutcome,
} from "../orders/orders.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { GatheredReads } from "./gatheredReads.ts";
import { pageOf } from "./pages.ts";
import { int8s } from "./session.ts";
import type { Writer } from "./writer.ts";

type Row = [id: bigint, json: JsonOf<Order>];

export class PostgresOrders implements OrderStore {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #byId: GatheredReads<JsonOf<Order>>;

  constructor(database: Database, writer: Writer) {
    this.#database = database;
    this.#writer = writer;
    this.#byId = new GatheredReads(
      async (ids) => new Map(await failing(database.read<Row>(findOrders, [int8s(ids)]))),
    );
  }

  place({ petId, quantity }: NewOrder, placedAtMs: number, once?: Once): Promise<PlaceOutcome> {
    return this.#writer.submit("placeOrder", { order: { petId, quantity }, placedAtMs, once });
  }

  move(id: bigint, event: OrderEvent, once?: Once): Promise<MoveOutcome> {
    return this.#writer.submit("moveOrder", { id, event, once });
  }

  get(id: bigint): Promise<JsonOf<Order> | undefined> {
    return this.#byId.get(id);
  }

  async list({ status, after = 0n, limit }: OrderQuery): Promise<OrderPage> {
    const found = await failing(
      status === undefined
        ? this.#database.read<Row>(listAllOrders, [after, limit + 1])
        : this.#database.read<Row>(listOrdersByStatus, [status, after, limit + 1]),
    );
    const { rows, next } = pageOf(found, limit);
    return { orders: rows.map(([, text]) => text), next };
  }
}

const findOrders = "SELECT id, json FROM orders WHERE id = ANY($1::int8[])";

export const listAllOrders = "SELECT id, json FROM orders WHERE id > $1 ORDER BY id LIMIT $2";

// A stretch of the index, as with the pets.
export const listOrdersByStatus = `SELECT id, json FROM orders
  WHERE (status, id) > ($1, $2) AND status <= $1 ORDER BY status, id LIMIT $3`;
