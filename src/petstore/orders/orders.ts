import type { JsonOf } from "../../contract/document.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { PetStatus } from "../catalogue/pet.ts";
import type { Done, IdempotentRequest, Mismatch } from "../idempotency/idempotency.ts";
import type { NewOrder, Order, OrderEvent, OrderStatus } from "./order.ts";

export interface OrderQuery {
  readonly status?: OrderStatus | undefined;
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
 * The orders. Invariants, for every reader at any time: a pet has at most one order; while that
 * order is placed or approved the pet is `pending`, and once it is delivered the pet is `sold`.
 * Orders are never deleted. A write that resolves is on disk.
 */
export interface OrderStore {
  /** Also changes the pet from `available` to `pending`; both or neither. */
  place(
    order: NewOrder,
    placedAtMs: number,
    idempotency?: IdempotentRequest,
  ): Promise<PlaceOutcome>;

  /** Changes the status by `transitions`; delivering also makes the pet `sold`. */
  move(id: bigint, event: OrderEvent, idempotency?: IdempotentRequest): Promise<MoveOutcome>;

  get(id: bigint): MaybePromise<JsonOf<Order> | undefined>;

  /** Costs the same at any depth. */
  list(query: OrderQuery): MaybePromise<OrderPage>;
}
