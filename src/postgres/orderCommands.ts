/** The writes to the orders: what each needs to know, and how it decides. */
import type { Once } from "../once.ts";
import {
  type NewOrder,
  type Order,
  type OrderEvent,
  orderText,
  transitions,
} from "../orders/order.ts";
import type { MoveOutcome, PlaceOutcome } from "../orders/orders.ts";
import type { Wanted, WorkingSet } from "./workingSet.ts";

export interface Placement {
  readonly order: NewOrder;
  readonly placedAtMs: number;
  readonly once: Once | undefined;
}

export interface OrderMove {
  readonly id: bigint;
  readonly event: OrderEvent;
  readonly once: Once | undefined;
}

export const placeOrder = {
  wants({ order, once }: Placement, wanted: Wanted): void {
    wanted.petIds.add(order.petId);
    wanted.mark(once);
  },

  decide({ order, placedAtMs, once }: Placement, set: WorkingSet): PlaceOutcome {
    const earlier = set.recall<Order>(once);
    if (earlier !== undefined) return earlier;
    const { petId, quantity } = order;
    const pet = set.pets.get(petId);
    if (pet === undefined) return { kind: "no_such_pet" };
    if (pet.status !== "available") return { kind: "pet_not_available", status: pet.status };

    const id = set.nextOrderId();
    const status = "placed";
    const placedAt = new Date(placedAtMs).toISOString();
    const text = orderText({ id, petId, quantity, status, placedAt });
    set.putOrder(id, { petId, quantity, status, placedAtMs, json: text });
    set.movePet(petId, pet, "pending");
    set.keep(once, id, text);
    return { kind: "done", id, text };
  },
};

export const moveOrder = {
  wants({ id, once }: OrderMove, wanted: Wanted): void {
    wanted.orderIds.add(id);
    wanted.mark(once);
  },

  decide({ id, event, once }: OrderMove, set: WorkingSet): MoveOutcome {
    const earlier = set.recall<Order>(once);
    if (earlier !== undefined) return earlier;
    const order = set.orders.get(id);
    if (order === undefined) return { kind: "no_such_order" };
    const status = transitions[order.status][event];
    if (status === undefined) return { kind: "refused", status: order.status };

    const { petId, quantity, placedAtMs } = order;
    const placedAt = new Date(placedAtMs).toISOString();
    const text = orderText({ id, petId, quantity, status, placedAt });
    if (status === "delivered") {
      const pet = set.pets.get(petId);
      if (pet === undefined) throw new Error(`Order ${id} is for pet ${petId}, which is gone.`);
      set.movePet(petId, pet, "sold");
    }
    set.putOrder(id, { ...order, status, json: text });
    set.keep(once, id, text);
    return { kind: "done", id, text };
  },
};
