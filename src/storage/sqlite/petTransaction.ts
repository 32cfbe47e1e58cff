/** Pets and orders in the transaction of the writer thread. */
import type { DatabaseSync } from "node:sqlite";
import type { ImportedPet } from "../../petstore/catalogue/catalogue.ts";
import type { NewPet, PetStatus } from "../../petstore/catalogue/pet.ts";
import {
  addPet,
  deletePet,
  importPets,
  insertNext,
  type PetAddition,
  type PetDeletion,
  type PetTransaction,
  type PetUpdate,
  updatePet,
} from "../../petstore/catalogue/petCommands.ts";
import { type IdempotencyStore, retentionMs } from "../../petstore/idempotency/idempotency.ts";
import {
  moveOrder,
  type OrderMove,
  type OrderTransaction,
  type Placement,
  placeOrder,
} from "../../petstore/orders/orderCommands.ts";
import type { OrderStatus } from "../../petstore/orders/orders.ts";
import type { CatalogueChanges } from "../repositories/audit.ts";
import { insertEvent } from "../repositories/events.ts";
import { openOrder } from "../repositories/tables.ts";
import { prepareRows } from "./connection.ts";
import { termsOf } from "./petTerms.ts";
import type { Counters, CurrentWrite } from "./storage.ts";

type PetRow = [name: string, categoryId: bigint, status: PetStatus];
type OrderRow = [petId: bigint, quantity: bigint, status: OrderStatus, placedAtMs: bigint];

export function petCommands(
  db: DatabaseSync,
  counters: Counters,
  current: CurrentWrite,
  changes: CatalogueChanges,
) {
  const transaction = petTransaction(db, counters, current, changes);
  return {
    /** An unconditional addition reads nothing, and returns only the id. */
    addPet: (pet: NewPet) => insertNext(transaction, pet).id,
    addPetOnTerms: (addition: PetAddition) => addPet(transaction, addition),
    updatePet: (update: PetUpdate) => updatePet(transaction, update),
    deletePet: (deletion: PetDeletion) => deletePet(transaction, deletion),
    importPets: (pets: readonly ImportedPet[]) => importPets(transaction, pets),
    placeOrder: (placement: Placement) => placeOrder(transaction, placement),
    moveOrder: (move: OrderMove) => moveOrder(transaction, move),
  };
}

function petTransaction(
  db: DatabaseSync,
  counters: Counters,
  current: CurrentWrite,
  changes: CatalogueChanges,
): PetTransaction & OrderTransaction {
  const sql = prepare(db);
  const petText = (id: bigint) => sql.petText.get(id)?.[0];
  return {
    idempotency: idempotencyStore(db),
    get lastPetId() {
      return counters.last_pet_id.get();
    },
    set lastPetId(id) {
      counters.last_pet_id.set(id);
    },
    get lastOrderId() {
      return counters.last_order_id.get();
    },
    set lastOrderId(id) {
      counters.last_order_id.set(id);
    },
    petText,
    isPetIdTaken: (id) => petText(id) !== undefined || sql.retired.get(id) !== undefined,
    openOrderOf: (petId) => sql.openOrder.get(petId)?.[0],
    hasCategory: (id) => sql.category.get(id) !== undefined,
    noteImport: () => void sql.noteImport.run(),
    pet(id) {
      const row = sql.pet.get(id);
      return row && { name: row[0], categoryId: row[1], status: row[2] };
    },
    insertPet({ id, name, categoryId, status }, text) {
      sql.insertPet.run(id, name, categoryId, status, text);
      sql.indexPet.run(id, termsOf(name, categoryId));
    },
    updatePet({ id, name, categoryId, status }, text) {
      sql.updatePet.run(name, categoryId, status, text, id);
    },
    deletePet: (id) => void sql.deletePet.run(id),
    retirePetId: (id) => void sql.retire.run(id),
    order(id) {
      const row = sql.order.get(id);
      if (row === undefined) return undefined;
      const [petId, quantity, status, placedAtMs] = row;
      return { petId, quantity: Number(quantity), status, placedAtMs: Number(placedAtMs) };
    },
    insertOrder(id, { petId, quantity, status, placedAtMs }, text) {
      sql.insertOrder.run(id, petId, quantity, status, placedAtMs, text);
    },
    updateOrder(id, { status }, text) {
      sql.updateOrder.run(status, text, id);
    },
    record(event, before) {
      const { type, resource, data } = event;
      const { nowMs, trace = null } = current;
      sql.insertEvent.run(counters.last_event_id.next(), type, resource, nowMs, data, trace);
      changes.note(event, before);
    },
  };
}

function prepare(db: DatabaseSync) {
  return {
    pet: prepareRows<PetRow>(db, "SELECT name, category_id, status FROM pets WHERE id = ?"),
    petText: prepareRows<[json: string]>(db, "SELECT json FROM pets WHERE id = ?"),
    insertPet: db.prepare(
      "INSERT INTO pets (id, name, category_id, status, json) VALUES (?, ?, ?, ?, ?)",
    ),
    updatePet: db.prepare(
      "UPDATE pets SET name = ?, category_id = ?, status = ?, json = ? WHERE id = ?",
    ),
    deletePet: db.prepare("DELETE FROM pets WHERE id = ?"),
    retire: db.prepare("INSERT OR IGNORE INTO retired_pet_ids (id) VALUES (?)"),
    retired: db.prepare("SELECT 1 FROM retired_pet_ids WHERE id = ?"),
    openOrder: prepareRows<[id: bigint]>(db, findOpenOrder),
    indexPet: db.prepare("INSERT INTO pet_terms (rowid, terms) VALUES (?, ?)"),
    noteImport: db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'pet_revision'"),
    category: db.prepare("SELECT 1 FROM categories WHERE id = ?"),
    order: prepareRows<OrderRow>(
      db,
      "SELECT pet_id, quantity, status, placed_at_ms FROM orders WHERE id = ?",
    ),
    insertOrder: db.prepare(
      `INSERT INTO orders (id, pet_id, quantity, status, placed_at_ms, json)
       VALUES (?, ?, ?, ?, ?, ?)`,
    ),
    insertEvent: db.prepare(insertEvent),
    updateOrder: db.prepare("UPDATE orders SET status = ?, json = ? WHERE id = ?"),
  };
}

export const findOpenOrder = `SELECT id FROM orders WHERE pet_id = ? AND ${openOrder}`;

/** More than one, to catch up after a busy day; few, to keep the write short. */
export const prunedAtOnceMax = 4;

type ResponseRow = [fingerprint: string, entityId: bigint, text: string, createdAtMs: bigint];

function idempotencyStore(db: DatabaseSync): IdempotencyStore {
  const find = prepareRows<ResponseRow>(db, findResponse);
  const insert = db.prepare(
    `INSERT OR REPLACE INTO idempotency_keys
       (key_id, idempotency_key, fingerprint, entity_id, text, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const prune = db.prepare(pruneExpired);
  return {
    find({ keyId, idempotencyKey }) {
      const row = find.get(keyId, idempotencyKey);
      if (row === undefined) return undefined;
      const [fingerprint, entityId, text, createdAtMs] = row;
      return { fingerprint, entityId, text, createdAtMs: Number(createdAtMs) };
    },

    /** Also deletes a few expired ones, so that they do not accumulate. */
    store({ keyId, idempotencyKey, nowMs }, { fingerprint, entityId, text, createdAtMs }) {
      prune.run(nowMs - retentionMs);
      insert.run(keyId, idempotencyKey, fingerprint, entityId, text, createdAtMs);
    },
  };
}

export const findResponse = `SELECT fingerprint, entity_id, text, created_at_ms
  FROM idempotency_keys WHERE key_id = ? AND idempotency_key = ?`;

export const pruneExpired = `DELETE FROM idempotency_keys WHERE rowid IN (
  SELECT rowid FROM idempotency_keys WHERE created_at_ms <= ? ORDER BY created_at_ms
  LIMIT ${prunedAtOnceMax})`;
