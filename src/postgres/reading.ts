/** Reads into a working set what the commands of a batch want to know. */
import { idGivenMax } from "../catalogue/catalogue.ts";
import type { PetStatus } from "../catalogue/pet.ts";
import type { OrderStatus } from "../orders/order.ts";
import { int8s, type Session } from "./session.ts";
import { markName, type Wanted, type WorkingSet } from "./workingSet.ts";

type PetRow = [id: bigint, name: string, categoryId: bigint, status: PetStatus, json: string];
type OrderRow = [
  id: bigint,
  petId: bigint,
  quantity: bigint,
  status: OrderStatus,
  placedAtMs: bigint,
  json: string,
];
type MarkRow = [
  keyId: string,
  mark: string,
  fingerprint: string,
  entityId: bigint,
  text: string,
  createdAtMs: bigint,
];

export async function readWanted(session: Session, wanted: Wanted, set: WorkingSet): Promise<void> {
  if (wanted.marks.size > 0) await readMarks(session, wanted, set);
  if (wanted.categoryIds.size > 0) await readCategories(session, wanted, set);
  if (wanted.orderIds.size > 0) await readOrders(session, wanted, set);
  // An order is moved together with its pet.
  const petIds = new Set(wanted.petIds);
  for (const { petId } of set.orders.values()) petIds.add(petId);
  if (petIds.size > 0) await readPets(session, petIds, set);
  const highest = [...wanted.petIds].filter((id) => id <= idGivenMax);
  const last = highest.reduce((a, b) => (a > b ? a : b), set.lastPetId);
  if (last + BigInt(wanted.newPets) > idGivenMax) await readTaken(session, wanted.newPets, set);
}

async function readMarks(session: Session, { marks }: Wanted, set: WorkingSet): Promise<void> {
  const asked = [...marks.values()];
  const keyIds = asked.map(({ keyId }) => keyId);
  const texts = asked.map(({ mark }) => mark);
  const { rows } = await session.query<MarkRow>(findMarks, [keyIds, texts]);
  for (const [keyId, mark, fingerprint, entityId, text, createdAtMs] of rows) {
    const held = { keyId, mark, fingerprint, entityId, text, createdAtMs: Number(createdAtMs) };
    set.marks.set(markName(held), held);
  }
}

async function readCategories(session: Session, wanted: Wanted, set: WorkingSet): Promise<void> {
  const ids = int8s([...wanted.categoryIds]);
  const { rows } = await session.query<[bigint]>(findCategories, [ids]);
  for (const [id] of rows) set.categoryIds.add(id);
}

async function readOrders(session: Session, wanted: Wanted, set: WorkingSet): Promise<void> {
  const { rows } = await session.query<OrderRow>(findOrders, [int8s([...wanted.orderIds])]);
  for (const [id, petId, quantity, status, placedAtMs, json] of rows) {
    const numbers = { quantity: Number(quantity), placedAtMs: Number(placedAtMs) };
    set.orders.set(id, { petId, status, json, ...numbers });
  }
}

async function readPets(session: Session, ids: Set<bigint>, set: WorkingSet): Promise<void> {
  const { rows } = await session.query<PetRow>(findPets, [int8s([...ids])]);
  for (const [id, name, categoryId, status, json] of rows) {
    set.pets.set(id, { name, categoryId, status, json });
  }
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
const findOrders = `SELECT id, pet_id, quantity, status, placed_at_ms, json FROM orders
  WHERE id = ANY($1::int8[])`;
const findCategories = "SELECT id FROM categories WHERE id = ANY($1::int8[])";
const findTaken = "SELECT id FROM pets WHERE id > $1 ORDER BY id LIMIT $2";
export const findMarks = `SELECT key_id, mark, fingerprint, entity_id, text, created_at_ms
  FROM once_marks WHERE (key_id, mark) IN (SELECT * FROM unnest($1::text[], $2::text[]))`;
