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

export interface OrderPage {
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
 * The orders, on whatever engine. What holds at every instant, for every reader: a pet has at most
 * one order; while that order is placed or approved the pet is `pending`, and once it is delivered
 * the pet is `sold`. Orders never disappear. A promise that resolves means: on disk.
 */
export interface OrderStore {
  /** Takes the pet from `available` to `pending` with it, or does nothing. */
  place(
    order: NewOrder,
    placedAtMs: number,
    idempotency?: IdempotentRequest,
  ): Promise<PlaceOutcome>;

  /** Moves an order as `transitions` has it; delivering makes its pet `sold` with it. */
  move(id: bigint, event: OrderEvent, idempotency?: IdempotentRequest): Promise<MoveOutcome>;

  get(id: bigint): MaybePromise<JsonOf<Order> | undefined>;

  /** Costs the same at any depth. */
  list(query: OrderQuery): MaybePromise<OrderPage>;
}
