/**
 * Writes what a working set has gathered: all that is new in one statement, and all that is changed
 * in another. (In one and the same, CockroachDB would refuse to touch a table twice.)
 */
import { int8s, type Session } from "./session.ts";
import type { LastIds } from "./turn.ts";
import type { HeldMark, HeldOrder, HeldPet, WorkingSet } from "./workingSet.ts";

export async function writeGathered(
  session: Session,
  set: WorkingSet,
  before: LastIds,
): Promise<void> {
  const addedPets = picked(set.addedPets, set.pets);
  const addedOrders = picked(set.addedOrders, set.orders);
  const keptMarks = picked(set.keptMarks, set.marks).map(([, mark]) => mark);
  const counters = movedCounters(set, before);
  if (addedPets.length + addedOrders.length + keptMarks.length + counters.length > 0) {
    await session.query(insertAll, [
      ...petColumns(addedPets),
      ...orderColumns(addedOrders),
      ...markColumns(keptMarks),
      counters.map(([name]) => name),
      int8s(counters.map(([, value]) => value)),
    ]);
  }
  const changedPets = picked(set.changedPets, set.pets);
  const changedOrders = picked(set.changedOrders, set.orders);
  if (changedPets.length + changedOrders.length > 0) {
    await session.query(updateAll, [...stateColumns(changedPets), ...stateColumns(changedOrders)]);
  }
}

/** Imported pets may leave the counter where it is. */
function movedCounters(set: WorkingSet, before: LastIds): [name: string, value: bigint][] {
  const counters: [string, bigint, bigint][] = [
    ["last_pet_id", before.lastPetId, set.lastPetId],
    ["last_order_id", before.lastOrderId, set.lastOrderId],
  ];
  return counters.filter(([, was, is]) => was !== is).map(([name, , is]) => [name, is]);
}

function picked<Id, Row>(ids: ReadonlySet<Id>, rows: ReadonlyMap<Id, Row>): [Id, Row][] {
  return [...ids].map((id) => [id, rows.get(id) as Row]);
}

function petColumns(pets: readonly [bigint, HeldPet][]): unknown[] {
  return [
    int8s(pets.map(([id]) => id)),
    pets.map(([, { name }]) => name),
    int8s(pets.map(([, { categoryId }]) => categoryId)),
    pets.map(([, { status }]) => status),
    pets.map(([, { json }]) => json),
  ];
}

function orderColumns(orders: readonly [bigint, HeldOrder][]): unknown[] {
  return [
    int8s(orders.map(([id]) => id)),
    int8s(orders.map(([, { petId }]) => petId)),
    int8s(orders.map(([, { quantity }]) => quantity)),
    orders.map(([, { status }]) => status),
    int8s(orders.map(([, { placedAtMs }]) => placedAtMs)),
    orders.map(([, { json }]) => json),
  ];
}

function stateColumns(rows: readonly [bigint, { status: string; json: string }][]): unknown[] {
  return [
    int8s(rows.map(([id]) => id)),
    rows.map(([, { status }]) => status),
    rows.map(([, { json }]) => json),
  ];
}

function markColumns(marks: readonly HeldMark[]): unknown[] {
  return [
    marks.map(({ keyId }) => keyId),
    marks.map(({ mark }) => mark),
    marks.map(({ fingerprint }) => fingerprint),
    int8s(marks.map(({ entityId }) => entityId)),
    marks.map(({ text }) => text),
    int8s(marks.map(({ createdAtMs }) => createdAtMs)),
  ];
}

const insertAll = `WITH new_pets AS (
    INSERT INTO pets (id, name, category_id, status, json)
    SELECT * FROM unnest($1::int8[], $2::text[], $3::int8[], $4::text[], $5::text[])
    RETURNING 1),
  new_orders AS (
    INSERT INTO orders (id, pet_id, quantity, status, placed_at_ms, json)
    SELECT * FROM unnest($6::int8[], $7::int8[], $8::int8[], $9::text[], $10::int8[], $11::text[])
    RETURNING 1),
  kept_marks AS (
    INSERT INTO once_marks (key_id, mark, fingerprint, entity_id, text, created_at_ms)
    SELECT * FROM
      unnest($12::text[], $13::text[], $14::text[], $15::int8[], $16::text[], $17::int8[])
    ON CONFLICT (key_id, mark) DO UPDATE SET fingerprint = excluded.fingerprint,
      entity_id = excluded.entity_id, text = excluded.text, created_at_ms = excluded.created_at_ms
    RETURNING 1),
  moved_counters AS (
    UPDATE counters SET value = moved.value
    FROM unnest($18::text[], $19::int8[]) AS moved (name, value) WHERE counters.name = moved.name
    RETURNING 1)
  SELECT 1`;

const updateAll = `WITH moved_pets AS (
    UPDATE pets SET status = moved.status, json = moved.json
    FROM unnest($1::int8[], $2::text[], $3::text[]) AS moved (id, status, json)
    WHERE pets.id = moved.id RETURNING 1),
  moved_orders AS (
    UPDATE orders SET status = moved.status, json = moved.json
    FROM unnest($4::int8[], $5::text[], $6::text[]) AS moved (id, status, json)
    WHERE orders.id = moved.id RETURNING 1)
  SELECT 1`;
