/** What a transaction has read and will write. Commands decide on it in memory. */

import type { CarriedTrace } from "../../core/tracing.ts";
import { idGivenMax } from "../../petstore/catalogue/catalogue.ts";
import type { Pet } from "../../petstore/catalogue/pet.ts";
import type { PetTransaction } from "../../petstore/catalogue/petCommands.ts";
import type { NewEvent, RecordedEvent } from "../../petstore/events/events.ts";
import type {
  IdempotencyStore,
  IdempotentRequest,
  StoredResponse,
} from "../../petstore/idempotency/idempotency.ts";
import type { OrderTransaction, StoredOrder } from "../../petstore/orders/orderCommands.ts";
import { isOpen } from "../../petstore/orders/orders.ts";
import { CatalogueChanges } from "../repositories/audit.ts";
import { lockedCounters } from "../repositories/categories.ts";
import { openOrder } from "../repositories/tables.ts";
import { int8s, type Session } from "./connection.ts";
import { vectorOf } from "./petWords.ts";

interface HeldPet extends Pet {
  readonly json: string;
}

interface HeldOrder extends StoredOrder {
  readonly id: bigint;
  readonly json: string;
}

interface HeldResponse extends StoredResponse {
  readonly keyId: string;
  readonly idempotencyKey: string;
}

/** What must be read before the commands of a batch can decide. */
export class ReadSet {
  readonly petIds = new Set<bigint>();
  /** Pets that are needed with their open orders. */
  readonly heldPetIds = new Set<bigint>();
  readonly orderIds = new Set<bigint>();
  readonly categoryIds = new Set<bigint>();
  readonly responses = new Map<string, IdempotentRequest>();
  /** How many pets may get an id. */
  newPets = 0;

  response(request: IdempotentRequest | undefined): void {
    if (request !== undefined) this.responses.set(nameOf(request), request);
  }
}

export class WorkingSet implements PetTransaction, OrderTransaction {
  lastPetId: bigint;
  lastOrderId: bigint;
  readonly pets = new Map<bigint, HeldPet>();
  readonly orders = new Map<bigint, HeldOrder>();
  readonly responses = new Map<string, HeldResponse>();
  readonly categoryIds = new Set<bigint>();
  /** Ids above `idGivenMax` that imports have used, as far as new pets may reach. */
  readonly takenIds = new Set<bigint>();
  /** By the pets that they hold. */
  readonly openOrders = new Map<bigint, bigint>();

  readonly addedPets = new Set<bigint>();
  readonly changedPets = new Set<bigint>();
  readonly deletedPets = new Set<bigint>();
  readonly retiredIds = new Set<bigint>();
  readonly addedOrders = new Set<bigint>();
  readonly changedOrders = new Set<bigint>();
  readonly storedResponses = new Set<string>();
  /** Of the request whose write is decided. */
  trace: CarriedTrace | undefined;
  readonly events: (NewEvent & Pick<RecordedEvent, "trace">)[] = [];
  readonly changes = new CatalogueChanges();
  /** The new names of pets that had another. */
  readonly renamedPets = new Map<bigint, string>();
  imported = false;
  /** The time of the earliest request whose response is stored. */
  responsesNowMs = Number.POSITIVE_INFINITY;

  readonly idempotency: IdempotencyStore = {
    find: (request) => this.responses.get(nameOf(request)),
    store: ({ keyId, idempotencyKey, nowMs }, response) => {
      const name = nameOf({ keyId, idempotencyKey });
      this.responses.set(name, { keyId, idempotencyKey, ...response });
      this.storedResponses.add(name);
      this.responsesNowMs = Math.min(this.responsesNowMs, nowMs);
    },
  };

  constructor(lastPetId: bigint, lastOrderId: bigint) {
    this.lastPetId = lastPetId;
    this.lastOrderId = lastOrderId;
  }

  pet(id: bigint): HeldPet | undefined {
    return this.pets.get(id);
  }

  petText(id: bigint): string | undefined {
    return this.pets.get(id)?.json;
  }

  isPetIdTaken(id: bigint): boolean {
    return this.takenIds.has(id) || this.pets.has(id);
  }

  hasCategory(id: bigint): boolean {
    return this.categoryIds.has(id);
  }

  insertPet({ id, name, categoryId, status }: Pet, json: string): void {
    this.pets.set(id, { id, name, categoryId, status, json });
    this.addedPets.add(id);
  }

  updatePet({ id, name, categoryId, status }: Pet, json: string): void {
    const isRenamed = this.pets.get(id)?.name !== name;
    if (isRenamed && !this.addedPets.has(id)) this.renamedPets.set(id, name);
    this.pets.set(id, { id, name, categoryId, status, json });
    if (!this.addedPets.has(id)) this.changedPets.add(id);
  }

  deletePet(id: bigint): void {
    this.pets.delete(id);
    this.changedPets.delete(id);
    this.renamedPets.delete(id);
    if (!this.addedPets.delete(id)) this.deletedPets.add(id);
  }

  retirePetId(id: bigint): void {
    this.takenIds.add(id);
    this.retiredIds.add(id);
  }

  noteImport(): void {
    this.imported = true;
  }

  order(id: bigint): HeldOrder | undefined {
    return this.orders.get(id);
  }

  openOrderOf(petId: bigint): bigint | undefined {
    return this.openOrders.get(petId);
  }

  insertOrder(id: bigint, order: StoredOrder, json: string): void {
    this.orders.set(id, { ...order, id, json });
    this.openOrders.set(order.petId, id);
    this.addedOrders.add(id);
  }

  updateOrder(id: bigint, order: StoredOrder, json: string): void {
    this.orders.set(id, { ...order, id, json });
    if (!isOpen(order.status)) this.openOrders.delete(order.petId);
    if (!this.addedOrders.has(id)) this.changedOrders.add(id);
  }

  record(event: NewEvent, before?: () => string): void {
    this.events.push({ ...event, trace: this.trace });
    this.changes.note(event, before);
  }
}

function nameOf(request: { keyId: string; idempotencyKey: string }): string {
  return JSON.stringify([request.keyId, request.idempotencyKey]);
}

const petFields = ["id", "name", "categoryId", "status", "json"] as const;
const orderFields = ["id", "petId", "quantity", "status", "placedAtMs", "json"] as const;
const responseFields = [
  "keyId",
  "idempotencyKey",
  "fingerprint",
  "entityId",
  "text",
  "createdAtMs",
] as const;

/** Loads the read set of a batch into its working set. */
export async function readAll(session: Session, reads: ReadSet, set: WorkingSet): Promise<void> {
  const read = async <Row>(text: string, values: unknown[], fields: readonly (keyof Row)[]) => {
    const { rows } = await session.query(text, values);
    return rows.map(
      (row) => Object.fromEntries(fields.map((field, index) => [field, row[index]])) as Row,
    );
  };
  if (reads.responses.size > 0) {
    const asked = [...reads.responses.values()];
    const keyIds = asked.map(({ keyId }) => keyId);
    const texts = asked.map(({ idempotencyKey }) => idempotencyKey);
    const found = await read<HeldResponse>(findResponses, [keyIds, texts], responseFields);
    for (const held of found) set.responses.set(nameOf(held), held);
  }
  if (reads.categoryIds.size > 0) {
    const ids = int8s([...reads.categoryIds]);
    const { rows } = await session.query<[bigint]>(findCategories, [ids]);
    for (const [id] of rows) set.categoryIds.add(id);
  }
  if (reads.orderIds.size > 0) {
    const found = await read<HeldOrder>(findOrders, [int8s([...reads.orderIds])], orderFields);
    for (const order of found) set.orders.set(order.id, order);
  }
  if (reads.heldPetIds.size > 0) {
    const ids = int8s([...reads.heldPetIds]);
    const { rows } = await session.query<[bigint, bigint]>(findOpenOrders, [ids]);
    for (const [petId, id] of rows) set.openOrders.set(petId, id);
  }
  // An order changes together with its pet.
  const petIds = new Set([...reads.petIds, ...reads.heldPetIds]);
  for (const { petId } of set.orders.values()) petIds.add(petId);
  if (petIds.size > 0) {
    const found = await read<HeldPet>(findPets, [int8s([...petIds])], petFields);
    for (const pet of found) set.pets.set(pet.id, pet);
  }
  const highest = [...reads.petIds].filter((id) => id <= idGivenMax);
  const last = highest.reduce((a, b) => (a > b ? a : b), set.lastPetId);
  if (last + BigInt(reads.newPets) > idGivenMax) await readTaken(session, reads.newPets, set);
}

/** Enough to find a free id for each of the new pets. */
async function readTaken(session: Session, newPets: number, set: WorkingSet): Promise<void> {
  let free = 0n;
  let last = set.lastPetId > idGivenMax ? set.lastPetId : idGivenMax;
  while (free < newPets) {
    const { rows } = await session.query<[bigint]>(findTaken, [last, takenPage]);
    for (const [id] of rows) {
      free += id - last - 1n;
      last = id;
      set.takenIds.add(id);
    }
    if (rows.length < takenPage) return;
  }
}

const takenPage = 10_000;

const findPets = "SELECT id, name, category_id, status, json FROM pets WHERE id = ANY($1::int8[])";
// As float8, since the driver reads that as a number and an int8 as a bigint.
const findOrders = `SELECT id, pet_id, quantity::float8, status, placed_at_ms::float8, json FROM orders
  WHERE id = ANY($1::int8[])`;
export const findOpenOrders = `SELECT pet_id, id FROM orders
  WHERE pet_id = ANY($1::int8[]) AND ${openOrder}`;
const findCategories = "SELECT id FROM categories WHERE id = ANY($1::int8[])";
const findTaken = `SELECT id FROM pets WHERE id > $1
  UNION ALL SELECT id FROM retired_pet_ids WHERE id > $1 ORDER BY id LIMIT $2`;
export const findResponses = `SELECT key_id, idempotency_key, fingerprint, entity_id, text,
    created_at_ms::float8
  FROM idempotency_keys
  WHERE (key_id, idempotency_key) IN (SELECT * FROM unnest($1::text[], $2::text[]))`;

/**
 * Writes a working set: deleted rows, changed rows and new rows in one statement each. (CockroachDB
 * rejects a statement that modifies a table twice.) In this order: an order may be new for a pet
 * whose order was cancelled just before, and an import may bring back a pet that was deleted.
 */
export async function writeAll(
  session: Session,
  set: WorkingSet,
  before: LastIds,
  nowMs: number,
): Promise<void> {
  if (set.deletedPets.size + set.retiredIds.size > 0) {
    await session.query(deleteAll, [int8s([...set.deletedPets]), int8s([...set.retiredIds])]);
  }
  const changedPets = picked(set.changedPets, set.pets);
  const changedOrders = picked(set.changedOrders, set.orders);
  if (changedPets.length + changedOrders.length > 0) {
    await session.query(updateAll, [
      ...columns(petFields, changedPets),
      ...columns(["id", "status", "json"], changedOrders),
    ]);
  }
  const addedPets = picked(set.addedPets, set.pets);
  const addedOrders = picked(set.addedOrders, set.orders);
  const storedResponses = picked(set.storedResponses, set.responses);
  const counters = movedCounters(set, before);
  if (addedPets.length + addedOrders.length + storedResponses.length + counters.length > 0) {
    await session.query(insertAll, [
      ...columns(petFields, addedPets),
      ...columns(orderFields, addedOrders),
      ...columns(responseFields, storedResponses),
      ...columns(["name", "value"], counters),
      addedPets.map(({ name }) => vectorOf(name)),
      before.lastEventId,
      nowMs,
      ...columns(["type", "resource", "data", "trace"], set.events),
    ]);
  }
}

/** An import may leave the counter unchanged. */
function movedCounters(set: WorkingSet, before: LastIds): { name: string; value: bigint }[] {
  return [
    { name: "last_pet_id", was: before.lastPetId, value: set.lastPetId },
    { name: "last_order_id", was: before.lastOrderId, value: set.lastOrderId },
    {
      name: "last_event_id",
      was: before.lastEventId,
      value: before.lastEventId + BigInt(set.events.length),
    },
  ].filter(({ was, value }) => was !== value);
}

function picked<Id, Row>(ids: ReadonlySet<Id>, rows: ReadonlyMap<Id, Row>): Row[] {
  return [...ids].map((id) => rows.get(id) as Row);
}

/** One parameter for each field of the rows. */
function columns<Row>(fields: readonly (keyof Row)[], rows: readonly Row[]): unknown[] {
  return fields.map((field) => {
    const column: unknown[] = rows.map((row) => row[field]);
    const isInteger = typeof column[0] === "bigint" || typeof column[0] === "number";
    return isInteger ? int8s(column as (bigint | number)[]) : column;
  });
}

const insertAll = `WITH new_pets AS (
    INSERT INTO pets (id, name, category_id, status, json)
    SELECT * FROM unnest($1::int8[], $2::text[], $3::int8[], $4::text[], $5::text[])
    RETURNING 1),
  new_orders AS (
    INSERT INTO orders (id, pet_id, quantity, status, placed_at_ms, json)
    SELECT * FROM unnest($6::int8[], $7::int8[], $8::int8[], $9::text[], $10::int8[], $11::text[])
    RETURNING 1),
  stored_responses AS (
    INSERT INTO idempotency_keys
      (key_id, idempotency_key, fingerprint, entity_id, text, created_at_ms)
    SELECT * FROM
      unnest($12::text[], $13::text[], $14::text[], $15::int8[], $16::text[], $17::int8[])
    ON CONFLICT (key_id, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint,
      entity_id = excluded.entity_id, text = excluded.text, created_at_ms = excluded.created_at_ms
    RETURNING 1),
  moved_counters AS (
    UPDATE counters SET value = moved.value
    FROM unnest($18::text[], $19::int8[]) AS moved (name, value) WHERE counters.name = moved.name
    RETURNING 1),
  new_words AS (
    INSERT INTO pet_words (pet_id, words)
    SELECT pet_id, words::tsvector FROM unnest($1::int8[], $20::text[]) AS new (pet_id, words)
    WHERE words <> '' RETURNING 1),
  new_events AS (
    INSERT INTO events (id, type, resource, at_ms, data, trace)
    SELECT $21::int8 + place, type, resource, $22::int8, data, trace
    FROM unnest($23::text[], $24::text[], $25::text[], $26::text[])
      WITH ORDINALITY AS new (type, resource, data, trace, place)
    RETURNING 1)
  SELECT 1`;

const deleteAll = `WITH deleted_pets AS (DELETE FROM pets WHERE id = ANY($1::int8[]) RETURNING 1),
  deleted_words AS (DELETE FROM pet_words WHERE pet_id = ANY($1::int8[]) RETURNING 1),
  retired AS (INSERT INTO retired_pet_ids (id) SELECT unnest($2::int8[])
    ON CONFLICT (id) DO NOTHING RETURNING 1)
  SELECT 1`;

const updateAll = `WITH changed_pets AS (
    UPDATE pets SET name = changed.name, category_id = changed.category_id,
      status = changed.status, json = changed.json
    FROM unnest($1::int8[], $2::text[], $3::int8[], $4::text[], $5::text[])
      AS changed (id, name, category_id, status, json)
    WHERE pets.id = changed.id RETURNING 1),
  moved_orders AS (
    UPDATE orders SET status = moved.status, json = moved.json
    FROM unnest($6::int8[], $7::text[], $8::text[]) AS moved (id, status, json)
    WHERE orders.id = moved.id RETURNING 1)
  SELECT 1`;

interface LastIds {
  readonly lastPetId: bigint;
  readonly lastOrderId: bigint;
  readonly lastEventId: bigint;
}

const lock = `BEGIN; SELECT name, value FROM ${lockedCounters}`;
/** The audit log is locked first, as by everything that writes to it. */
const lockWithLog = lock.replace("IN (", "IN ('last_audit_number', ");

export const lockCounters = (withLog: boolean): string => (withLog ? lockWithLog : lock);

/** From the rows of `lockCounters`. */
export function lastIdsOf(rows: readonly unknown[][]): LastIds {
  const values = new Map(rows as [string, bigint][]);
  const lastOf = (name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error("The counters are missing from the database.");
    return value;
  };
  return {
    lastPetId: lastOf("last_pet_id"),
    lastOrderId: lastOf("last_order_id"),
    lastEventId: lastOf("last_event_id"),
  };
}
