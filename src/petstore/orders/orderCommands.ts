/** The rules of writes to orders, independent of the engine. */

import type { JsonOf } from "../../contract/document.ts";
import { int64After } from "../../contract/int64.ts";
import type { NewPet, PetStatus } from "../catalogue/pet.ts";
import { changePet, type PetTransaction } from "../catalogue/petCommands.ts";
import { type IdempotentRequest, idempotently } from "../idempotency/idempotency.ts";
import {
  type MoveOutcome,
  type NewOrder,
  type Order,
  type OrderEvent,
  type OrderStatus,
  type OrderStore,
  orderText,
  type PlaceOutcome,
  petStatusAfter,
  transitions,
} from "./orders.ts";

export interface StoredOrder {
  readonly petId: bigint;
  readonly quantity: number;
  readonly status: OrderStatus;
  readonly placedAtMs: number;
}

/** What these rules need of a transaction. It is isolated: no other write interleaves. */
export interface OrderTransaction
  extends Pick<PetTransaction, "idempotency" | "pet" | "updatePet" | "record"> {
  lastOrderId: bigint;
  order(id: bigint): StoredOrder | undefined;
  insertOrder(id: bigint, order: StoredOrder, text: JsonOf<Order>): void;
  updateOrder(id: bigint, order: StoredOrder, text: JsonOf<Order>): void;
}

export interface Placement {
  readonly order: NewOrder;
  readonly placedAtMs: number;
  readonly idempotency: IdempotentRequest | undefined;
}

export interface OrderMove {
  readonly id: bigint;
  readonly event: OrderEvent;
  readonly idempotency: IdempotentRequest | undefined;
}

/** Runs the commands below in transactions of an engine. Resolves when they are on disk. */
interface OrderWriter {
  submit(command: "placeOrder", placement: Placement): Promise<PlaceOutcome>;
  submit(command: "moveOrder", move: OrderMove): Promise<MoveOutcome>;
}

/** Submits only the members that are stored: they may have to be copied to another thread. */
export function orderWrites(writer: OrderWriter): Pick<OrderStore, "place" | "move"> {
  return {
    place: ({ petId, quantity }, placedAtMs, idempotency) =>
      writer.submit("placeOrder", { order: { petId, quantity }, placedAtMs, idempotency }),
    move: (id, event, idempotency) => writer.submit("moveOrder", { id, event, idempotency }),
  };
}

export function placeOrder(
  transaction: OrderTransaction,
  { order: { petId, quantity }, placedAtMs, idempotency }: Placement,
): PlaceOutcome {
  return idempotently(transaction.idempotency, idempotency, () => {
    const pet = transaction.pet(petId);
    if (pet === undefined) return { kind: "no_such_pet" };
    if (pet.status !== "available") return { kind: "pet_not_available", status: pet.status };

    const id = int64After(transaction.lastOrderId, "last_order_id");
    transaction.lastOrderId = id;
    const order: StoredOrder = { petId, quantity, status: "placed", placedAtMs };
    const text = textOf(id, order);
    transaction.insertOrder(id, order, text);
    record(transaction, id, "placed", text);
    movePet(transaction, petId, pet, "pending");
    return { kind: "done", id, text };
  });
}

export function moveOrder(
  transaction: OrderTransaction,
  { id, event, idempotency }: OrderMove,
): MoveOutcome {
  return idempotently(transaction.idempotency, idempotency, () => {
    const order = transaction.order(id);
    if (order === undefined) return { kind: "no_such_order" };
    const status = transitions[order.status][event];
    if (status === undefined) return { kind: "refused", status: order.status };

    const moved = { ...order, status };
    const text = textOf(id, moved);
    transaction.updateOrder(id, moved, text);
    record(transaction, id, status, text, () => textOf(id, order));
    const petStatus = petStatusAfter[status];
    if (petStatus !== undefined) {
      const { petId } = order;
      const pet = transaction.pet(petId);
      if (pet === undefined) throw new Error(`Order ${id} is for pet ${petId}, which is gone.`);
      movePet(transaction, petId, pet, petStatus);
    }
    return { kind: "done", id, text };
  });
}

function movePet(transaction: OrderTransaction, id: bigint, pet: NewPet, status: PetStatus): void {
  const { name, categoryId } = pet;
  const from = { id, name, categoryId, status: pet.status };
  changePet(transaction, from, { ...from, status });
}

function record(
  transaction: OrderTransaction,
  id: bigint,
  status: OrderStatus,
  data: JsonOf<Order>,
  before?: () => JsonOf<Order>,
): void {
  transaction.record({ type: `order.${status}`, resource: `orders/${id}`, data }, before);
}

function textOf(id: bigint, { petId, quantity, status, placedAtMs }: StoredOrder): JsonOf<Order> {
  const placedAt = new Date(placedAtMs).toISOString();
  return orderText({ id, petId, quantity, status, placedAt });
}
