/** The writes to the orders. They run in the writer's thread, within its transaction. */
import type { DatabaseSync } from "node:sqlite";
import { type PetStatus, petText } from "../catalogue/pet.ts";
import type { Once } from "../once.ts";
import {
  type NewOrder,
  type Order,
  type OrderEvent,
  type OrderStatus,
  orderText,
  transitions,
} from "../orders/order.ts";
import type { MoveOutcome, PlaceOutcome } from "../orders/orders.ts";
import type { Counter } from "./counter.ts";
import type { OnceMarks } from "./onceMarks.ts";

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

type PetRow = [name: string, categoryId: bigint, status: PetStatus];
type OrderRow = [petId: bigint, quantity: bigint, status: OrderStatus, placedAtMs: bigint];

export function orderCommands(db: DatabaseSync, lastId: Counter, marks: OnceMarks) {
  const findPet = db.prepare("SELECT name, category_id, status FROM pets WHERE id = ?");
  const updatePet = db.prepare("UPDATE pets SET status = ?, json = ? WHERE id = ?");
  const find = db.prepare("SELECT pet_id, quantity, status, placed_at_ms FROM orders WHERE id = ?");
  for (const statement of [findPet, find]) {
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
  }
  const insert = db.prepare(
    `INSERT INTO orders (id, pet_id, quantity, status, placed_at_ms, json)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare("UPDATE orders SET status = ?, json = ? WHERE id = ?");

  function petOf(id: bigint): PetRow | undefined {
    return findPet.get(id) as unknown as PetRow | undefined;
  }

  function movePet(id: bigint, [name, categoryId]: PetRow, status: PetStatus): void {
    updatePet.run(status, petText({ id, name, categoryId, status }), id);
  }

  return {
    placeOrder({ order, placedAtMs, once }: Placement): PlaceOutcome {
      const earlier = once && marks.recall<Order>(once);
      if (earlier !== undefined) return earlier;
      const { petId, quantity } = order;
      const pet = petOf(petId);
      if (pet === undefined) return { kind: "no_such_pet" };
      const [, , petStatus] = pet;
      if (petStatus !== "available") return { kind: "pet_not_available", status: petStatus };

      const id = lastId.next();
      const placedAt = new Date(placedAtMs).toISOString();
      const text = orderText({ id, petId, quantity, status: "placed", placedAt });
      insert.run(id, petId, quantity, "placed", placedAtMs, text);
      movePet(petId, pet, "pending");
      if (once) marks.keep(once, id, text);
      return { kind: "done", id, text };
    },

    moveOrder({ id, event, once }: OrderMove): MoveOutcome {
      const earlier = once && marks.recall<Order>(once);
      if (earlier !== undefined) return earlier;
      const row = find.get(id) as unknown as OrderRow | undefined;
      if (row === undefined) return { kind: "no_such_order" };
      const [petId, quantity, before, placedAtMs] = row;
      const status = transitions[before][event];
      if (status === undefined) return { kind: "refused", status: before };

      const placedAt = new Date(Number(placedAtMs)).toISOString();
      const text = orderText({ id, petId, quantity: Number(quantity), status, placedAt });
      update.run(status, text, id);
      if (status === "delivered") {
        const pet = petOf(petId);
        if (pet === undefined) throw new Error(`Order ${id} is for pet ${petId}, which is gone.`);
        movePet(petId, pet, "sold");
      }
      if (once) marks.keep(once, id, text);
      return { kind: "done", id, text };
    },
  };
}
