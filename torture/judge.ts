/** Compares the contents of a database, while no client writes, with the recorded responses. */
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { isEdited } from "./edits.ts";
import {
  certainStep,
  describeOrder,
  describePet,
  type Ledger,
  type OrderEntry,
  orderFault,
  orderStepOf,
  type PetEntry,
  petFault,
  petStepOf,
  possibleStep,
} from "./ledger.ts";
import type { Tally } from "./tally.ts";
import { type Row, type Walker, walk } from "./walk.ts";
import { advance } from "./writing.ts";

export interface Judgement extends Walker {
  readonly ledger: Ledger;
  /**
   * Whether a pet or order of which nobody was told, and which is there now, must stay from now
   * on. It must where whatever can be read is on disk.
   */
  readonly settle?: boolean;
  /** All keys, where they can be read: with the members that only change with an event. */
  readonly keys?: () => readonly Row[];
}

/** Walks the whole catalogue and all orders, and follows the events. */
export async function judgeStore(judgement: Judgement): Promise<void> {
  const pets = await walk(judgement, "/pets?limit=100");
  const orders = await walk(judgement, "/store/orders?limit=100");
  if (pets === undefined || orders === undefined) return;
  judgeRows(judgement, pets, orders);
  const { ledger, tally, keys } = judgement;
  if (await ledger.events.follow(judgement)) ledger.events.judge(pets, orders, tally, keys?.());
}

/** What the store holds, row by row, against the ledger. */
export function judgeRows(
  judgement: Omit<Judgement, "base" | "token">,
  pets: readonly Row[],
  orders: readonly Row[],
): void {
  const { ledger, tally, settle } = judgement;
  const { edits } = ledger;
  const editedIds = new Set(edits.all.map(({ id }) => id));
  const isOfEdited = ({ petId }: Row) => editedIds.has(String(petId));
  edits.judge(tally, pets.filter(isEdited), orders.filter(isOfEdited), settle ?? false);
  const own = orders.filter((order) => !isOfEdited(order));
  const found = judgePets(
    ledger,
    tally,
    pets.filter((row) => !isEdited(row)),
    settle ?? false,
  );
  judgeOrders(ledger, tally, own, settle ?? false);
  judgeAgreement(tally, found, own);
}

function judgePets(ledger: Ledger, tally: Tally, rows: readonly Row[], settle: boolean) {
  const found = new Map<PetEntry, Row>();
  for (const row of rows) {
    const pet = ledger.petNamed(row["name"]);
    tally.judge(pet !== undefined, () => `Nobody added ${text(row)}`);
    if (pet === undefined) continue;
    tally.judge(!found.has(pet), () => `Twice there: ${describePet(pet)}, ${text(row)}`);
    found.set(pet, row);
    const fault = petFault(pet, row);
    tally.judge(fault === undefined, () => `Not as it was sent, ${fault}: ${describePet(pet)}`);
    tally.judge(
      pet.outcome !== "refused",
      () => `Refused, and there all the same: ${describePet(pet)}`,
    );
    if (settle && pet.outcome === "unknown") ledger.petIsThere(pet, String(row["id"]));
  }
  for (const pet of ledger.pets) {
    // It has an id as soon as a response or a list contained it.
    tally.judge(pet.id === undefined || found.has(pet), () => `Lost: ${describePet(pet)}`);
  }
  return found;
}

function judgeOrders(ledger: Ledger, tally: Tally, rows: readonly Row[], settle: boolean): void {
  const found = new Set<OrderEntry>();
  for (const row of rows) {
    const order = ledger.ordersById.get(String(row["id"])) ?? unansweredOrder(ledger, row);
    tally.judge(order !== undefined, () => `Nobody placed the order ${text(row)}`);
    if (order === undefined) continue;
    tally.judge(!found.has(order), () => `Twice there: ${describeOrder(order)}`);
    found.add(order);
    const fault = orderFault(order, row);
    tally.judge(
      fault === undefined,
      () => `Not as it was placed, ${fault}: ${describeOrder(order)}`,
    );
    const step = orderStepOf(row["status"]);
    tally.judge(step >= certainStep(order) && step <= possibleStep(order), () => {
      return `The status ${row["status"]} cannot be that of ${describeOrder(order)}`;
    });
    if (!settle) continue;
    if (order.outcome === "unknown")
      ledger.orderIsThere(order, String(row["id"]), String(row["placedAt"]));
    advance(order, step);
  }
  for (const order of ledger.ordersById.values()) {
    tally.judge(found.has(order), () => `Lost: ${describeOrder(order)}`);
  }
}

/** An attempt to order this pet that got no answer and asked for just this. */
function unansweredOrder(ledger: Ledger, row: Row): OrderEntry | undefined {
  const pet = ledger.petsById.get(String(row["petId"]));
  return pet?.orders.find(
    ({ id, outcome, quantity }) =>
      id === undefined && outcome === "unknown" && quantity === row["quantity"],
  );
}

/** Orders and pets were written together, or neither was. */
function judgeAgreement(tally: Tally, pets: Map<PetEntry, Row>, orders: readonly Row[]): void {
  const orderOf = new Map<string, Row>();
  for (const order of orders) {
    const petId = String(order["petId"]);
    tally.judge(!orderOf.has(petId), () => `Pet ${petId} is ordered twice: ${text(order)}`);
    orderOf.set(petId, order);
  }
  for (const [pet, row] of pets) {
    const order = orderOf.get(String(row["id"]));
    const expected = order === undefined ? pet.status : orderedStatus(order);
    tally.judge(petStepOf(row["status"]) === petStepOf(expected ?? "available"), () => {
      return `Pet and order disagree: ${text(row)}, ${order === undefined ? "no order" : text(order)}`;
    });
  }
}

const orderedStatus = (order: Row) => (order["status"] === "delivered" ? "sold" : "pending");

/** Reads the database of SQLite itself, past every line of the service's code. */
export function judgeDatabase(file: string, tally: Tally): void {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    const integrity = db.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
    const said = integrity.map((row) => row.integrity_check).join("; ");
    tally.judge(said === "ok", () => `integrity_check of ${file}: ${said.slice(0, 500)}`);
    const strays = db.prepare("PRAGMA foreign_key_check").all();
    tally.judge(strays.length === 0, () => `foreign_key_check: ${text(strays[0] ?? {})}`);
    judgeTexts(db, tally);
  } finally {
    db.close();
  }
}

/** As events have them. */
export function keysIn(file: string): Row[] {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const at = (ms: unknown) => (ms === null ? null : new Date(Number(ms)).toISOString());
  try {
    const rows = db
      .prepare("SELECT id, name, expires_at_ms, revoked_at_ms, replaced_by FROM keys")
      .all();
    return rows.map(({ id, name, expires_at_ms, revoked_at_ms, replaced_by }) => ({
      ...{ id, name, expiresAt: at(expires_at_ms), revokedAt: at(revoked_at_ms) },
      replacedBy: replaced_by,
    }));
  } finally {
    db.close();
  }
}

/** Each row holds the same twice: in columns, and as the text that clients get. */
function judgeTexts(db: DatabaseSync, tally: Tally): void {
  const rows = db.prepare(
    "SELECT CAST(id AS TEXT) AS id, name, CAST(category_id AS TEXT) AS category, status, json FROM pets",
  );
  for (const row of rows.iterate() as Iterable<Record<string, string>>) {
    const { id, name, category, status, json } = row;
    const whole = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${category},"status":"${status}"}`;
    tally.judge(json === whole, () => `Half-written: ${json} beside ${whole}`);
  }
}

/** Every entry follows from the one before, and every change that people made has one. */
export function judgeAuditLog(file: string, tally: Tally): void {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    // One state of it: another process may write meanwhile.
    db.exec("BEGIN");
    judgeEntries(db, tally);
  } finally {
    db.close();
  }
}

function judgeEntries(db: DatabaseSync, tally: Tally): void {
  let [number, previous] = [0, "0".repeat(64)];
  for (const row of db.prepare("SELECT * FROM audit_log ORDER BY number").iterate()) {
    number++;
    const { at_ms, actor, action, subject, source, request_id, state_before, state_after } = row;
    const at = new Date(Number(at_ms)).toISOString();
    const start = JSON.stringify({ number, at, actor, action, subject, requestId: request_id });
    const line = `${start.slice(0, -1)},"source":${source},"before":${state_before},"after":${state_after}}`;
    previous = hash("sha256", `${previous}\n${line}`);
    const fault = row["number"] === number && row["hash"] === previous ? undefined : line;
    tally.judge(fault === undefined, () => `The audit log is broken at entry ${number}: ${fault}`);
    if (fault !== undefined) return;
  }
  const counted = (query: string) => Number(Object.values(db.prepare(query).get() ?? {})[0]);
  const last = counted("SELECT value FROM counters WHERE name = 'last_audit_number'");
  tally.judge(last === number, () => `The audit log ends with ${number}, and not with ${last}`);
  const happened = counted(`SELECT count(*) FROM events WHERE type IN ('pet.deleted',
    'order.approved', 'order.delivered', 'order.cancelled')`);
  const recorded = counted(`SELECT count(*) FROM audit_log WHERE action IN ('pet.delete',
    'order.approve', 'order.deliver', 'order.cancel')`);
  tally.judge(
    happened === recorded,
    () => `${happened} changes happened, and ${recorded} are in the audit log`,
  );
}

const text = (row: Row) =>
  JSON.stringify(row, (_name, value) => (typeof value === "bigint" ? String(value) : value));
