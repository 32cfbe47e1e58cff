import type { JsonOf } from "../../contract/document.ts";
import type { Schemas } from "../../contract/operations.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { PetStatus } from "../catalogue/pet.ts";
import type { Done, IdempotentRequest, Mismatch } from "../idempotency/idempotency.ts";

export type OrderStatus = Schemas["OrderStatus"];
export type NewOrder = Schemas["NewOrder"];
export type Order = Schemas["Order"];
export type OrderEvent = "approve" | "deliver" | "cancel";

/** The life cycle of an order: state × event → state. An event without a cell is refused. */
export const transitions: Readonly<
  Record<OrderStatus, Readonly<Partial<Record<OrderEvent, OrderStatus>>>>
> = {
  placed: { approve: "approved", cancel: "cancelled" },
  approved: { deliver: "delivered", cancel: "cancelled" },
  delivered: {},
  cancelled: {},
};

export const orderStatuses = Object.keys(transitions) as OrderStatus[];

/** An order holds its pet until nothing can happen to it any more. */
export function isOpen(status: OrderStatus): boolean {
  return Object.keys(transitions[status]).length > 0;
}

/** What becomes of the pet when its order reaches a status; otherwise it stays as it is. */
export const petStatusAfter: Readonly<Partial<Record<OrderStatus, PetStatus>>> = {
  delivered: "sold",
  cancelled: "available",
};

/** Why an event was refused, as a whole sentence. */
export function refusalText(id: bigint, event: OrderEvent, status: OrderStatus): string {
  const from = orderStatuses.filter((each) => transitions[each][event] !== undefined);
  const [to] = from.map((each) => transitions[each][event]);
  return `Order ${id} is ${status}, and only ${from.map(withArticle).join(" or ")} order can be ${to}.`;
}

export function withArticle(status: OrderStatus): string {
  return `${status.startsWith("a") ? "an" : "a"} ${status}`;
}

export function orderText(order: Order): JsonOf<Order> {
  const { id, petId, quantity, status, placedAt } = order;
  return `{"id":${id},"petId":${petId},"quantity":${quantity},"status":"${status}","placedAt":"${placedAt}"}`;
}

/** An absent member does not restrict the result. */
export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  readonly petId?: bigint | undefined;
}

export interface OrderQuery extends OrderFilter {
  /** Only orders with a larger id. */
  readonly after?: bigint | undefined;
  /** From 1 to `pageSizeMax` of the catalogue. */
  readonly limit: number;
}

interface OrderPage {
  /** In the order of their ids, each already the JSON that a client gets. */
  readonly orders: readonly JsonOf<Order>[];
  /** The id to continue after; undefined when nothing follows. */
  readonly next: bigint | undefined;
}

export type PlaceOutcome =
  | Done<Order>
  | Mismatch
  | { readonly kind: "no_such_pet" }
  | { readonly kind: "pet_not_available"; readonly status: PetStatus };

export type MoveOutcome =
  | Done<Order>
  | Mismatch
  | { readonly kind: "no_such_order" }
  | { readonly kind: "refused"; readonly status: OrderStatus };

/**
 * The orders. Invariants, for every reader at any time: a pet has at most one open order, and is
 * `pending` while it has one. Orders are never deleted, even if their pet is. A write that resolves
 * is on disk.
 */
export interface OrderStore {
  /** Also changes the pet from `available` to `pending`; both or neither. */
  place(
    order: NewOrder,
    placedAtMs: number,
    idempotency?: IdempotentRequest,
  ): Promise<PlaceOutcome>;

  /** Changes the status by `transitions`, and the pet's by `petStatusAfter`; both or neither. */
  move(id: bigint, event: OrderEvent, idempotency?: IdempotentRequest): Promise<MoveOutcome>;

  get(id: bigint): MaybePromise<JsonOf<Order> | undefined>;

  /** Costs the same at any depth. */
  list(query: OrderQuery): MaybePromise<OrderPage>;

  /** Costs more the more there are. */
  count(filter: OrderFilter): MaybePromise<number>;
}
