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
import { GatheredPages, pageStatements } from "./gatheredPages.ts";
import { GatheredReads } from "./gatheredReads.ts";
import { int8s } from "./session.ts";
import type { Writer } from "./writer.ts";

type Row = [id: bigint, json: JsonOf<Order>];

export class PostgresOrders implements OrderStore {
  readonly #writer: Writer;
  readonly #byId: GatheredReads<JsonOf<Order>>;
  readonly #pages: GatheredPages<Order>;

  constructor(database: Database, writer: Writer) {
    this.#writer = writer;
    this.#byId = new GatheredReads(
      async (ids) => new Map(await failing(database.read<Row>(findOrders, [int8s(ids)]))),
    );
    this.#pages = new GatheredPages(database, orderPages);
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
    const { items, next } = await this.#pages.get({ status, after }, limit);
    return { orders: items, next };
  }
}

const findOrders = "SELECT id, json FROM orders WHERE id = ANY($1::int8[])";

export const orderPages = pageStatements("orders");
