import {
  type AuditEntry,
  type AuditedAction,
  type AuditQuery,
  type AuditStore,
  chained,
  emptyLog,
  type UnchainedEntry,
} from "../../audit/auditLog.ts";
import { type Origin, service } from "../../audit/origin.ts";
import { then } from "../../core/maybePromise.ts";
import type { EventType, NewEvent } from "../../petstore/events/events.ts";
import type { Storage, Transaction, Value, Writes } from "./storage.ts";

const index = (column: string) =>
  `CREATE INDEX audit_log_by_${column} ON audit_log (${column}[postgres:  COLLATE "C", number])`;

export const auditTables = [
  "INSERT INTO counters (name, value) VALUES ('last_audit_number', 0)",
  `CREATE TABLE audit_log (
     number int8 PRIMARY KEY CHECK (number > 0),
     at_ms int8 NOT NULL,
     actor text NOT NULL,
     action text NOT NULL,
     subject text NOT NULL,
     source text NOT NULL,
     request_id text,
     state_before text,
     state_after text,
     hash text NOT NULL
   )`,
  ...["actor", "action", "subject"].map(index),
  "CREATE INDEX audit_log_by_time ON audit_log (at_ms)",
  // They stop mistakes. Who can write to the database can also remove them, which the chain shows.
  ...["UPDATE", "DELETE"].map(
    (change) => `[sqlite: CREATE TRIGGER audit_log_no_${change} BEFORE ${change} ON audit_log BEGIN
       SELECT RAISE(ABORT, 'The audit log is append-only.');
     END]`,
  ),
];

/** For PostgreSQL. Some compatible servers have no triggers. */
export const auditTriggers = `
  CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''The audit log is append-only.''; END';
  DROP TRIGGER IF EXISTS audit_log_unchanged ON audit_log;
  CREATE TRIGGER audit_log_unchanged BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`;

export function auditRepository(storage: Storage): AuditStore {
  return {
    list(query) {
      const { text, values } = pageQuery(query);
      return storage.all<AuditEntry>(text, values);
    },
    get: (number) => storage.get<AuditEntry>(`${select} WHERE number = ?1`, [number]),
    listAfter: (number, limit) => storage.all<AuditEntry>(listAfter, [number, limit]),
    lastNumber: () =>
      then(storage.get<{ value: number }>(findLastNumber), (row) => row?.value ?? 0),
    record: (action) => storage.write("recordAction", action),
  };
}

export const auditWrites = {
  /** Recorded as every audited write is. */
  async recordAction(_tx, _action: AuditedAction): Promise<void> {},
} satisfies Writes;

export type Change = Omit<UnchainedEntry, "number" | "atMs" | "actor" | "source" | "requestId">;

interface AttributedChange extends Change {
  readonly origin: Origin | undefined;
  /** Where the change itself shows who makes it. */
  readonly actor?: string | undefined;
}

/**
 * Before anything is read that an entry compares, and before any other lock: changes by people are
 * made one after the other, and none can be the reason for a deadlock.
 */
export async function lockLog(tx: Transaction): Promise<void> {
  await tx.get("SELECT name FROM counters WHERE name = 'last_audit_number' FOR UPDATE");
}

/** Under `lockLog`. */
export async function append(tx: Transaction, changes: readonly AttributedChange[]): Promise<void> {
  let head = (await tx.get<AuditEntry>(findLast)) ?? emptyLog;
  const last = await tx.advance("last_audit_number", changes.length);
  const entries = changes.map(({ origin = service, actor, ...change }, index) => {
    const number = last - changes.length + 1 + index;
    const { source, requestId } = origin;
    const whence = { actor: actor ?? origin.actor ?? "anonymous", source: JSON.stringify(source) };
    const entry = chained(head, { ...change, ...whence, requestId, number, atMs: tx.nowMs });
    head = entry;
    return entry;
  });
  await tx.insertAll(insertEntry, entries.map(valuesOf));
}

/** The changes of pets and orders that people make, by the types of their events. */
const actions: Readonly<Partial<Record<EventType, string>>> = {
  "pet.updated": "pet.update",
  "pet.deleted": "pet.delete",
  "order.approved": "order.approve",
  "order.delivered": "order.deliver",
  "order.cancelled": "order.cancel",
};

/** Collects them while the writes of a batch run. */
export class CatalogueChanges {
  #origin: Origin | undefined;
  #changes: AttributedChange[] = [];

  /** Before each write. Without an origin, it is not recorded. */
  begin(origin: Origin | undefined): void {
    this.#origin = origin;
  }

  note({ type, resource, data }: NewEvent, before: (() => string) | undefined): void {
    const [origin, action] = [this.#origin, actions[type]];
    if (origin === undefined || action === undefined || before === undefined) return;
    const after = type === "pet.deleted" ? undefined : data;
    this.#changes.push({ action, subject: resource, before: before(), after, origin });
  }

  /** After a rollback. */
  discard(): void {
    this.#changes = [];
  }

  /** Under `lockLog`. */
  async append(tx: Transaction): Promise<void> {
    const changes = this.#changes;
    this.#changes = [];
    if (changes.length > 0) await append(tx, changes);
  }
}

export const valuesOf = (entry: AuditEntry) => [
  ...[entry.number, entry.atMs, entry.actor, entry.action, entry.subject, entry.source],
  ...[entry.requestId, entry.before, entry.after, entry.hash],
];

/** The instant at which an action was last recorded. */
export async function lastRecordedMs(
  tx: Transaction,
  { action, subject }: Pick<AuditedAction, "action" | "subject">,
): Promise<number> {
  const { text, values } = pageQuery({ action, subject, limit: 1 });
  return (await tx.get<AuditEntry>(text, values))?.atMs ?? Number.NEGATIVE_INFINITY;
}

const columns = `number, at_ms AS "atMs", actor, action, subject, source,
  request_id AS "requestId", state_before AS "before", state_after AS "after", hash`;
const select = `SELECT ${columns} FROM audit_log`;
const listAfter = `${select} WHERE number > ?1 ORDER BY number LIMIT ?2`;
export const findLast = `${select} ORDER BY number DESC LIMIT 1`;
const findLastNumber = "SELECT value FROM counters WHERE name = 'last_audit_number'";
export const insertEntry = `INSERT INTO audit_log (number, at_ms, actor, action, subject, source,
    request_id, state_before, state_after, hash)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`;

export function pageQuery({ actor, action, subject, ...query }: AuditQuery) {
  const values: Value[] = [];
  const bound = (value: Value) => `?${values.push(value)}`;
  const conditions: string[] = [];
  const within = (column: string, wanted: string | undefined, separator: "." | "/") => {
    if (wanted === undefined) return;
    const group = wanted.endsWith(separator) ? wanted.slice(0, -1) : wanted;
    const compared = `${column} COLLATE "C"`;
    if (group.includes(separator)) return conditions.push(`${compared} = ${bound(wanted)}`);
    // The character after the separator, with which no name of a group continues.
    const next = separator === "." ? "/" : "0";
    return conditions.push(`${compared} BETWEEN ${bound(group)} AND ${bound(`${group}${next}`)}`);
  };
  within("actor", actor, "/");
  within("action", action, ".");
  within("subject", subject, "/");
  const { before, sinceMs, untilMs, limit } = query;
  if (before !== undefined) conditions.push(`number < ${bound(before)}`);
  if (sinceMs !== undefined) conditions.push(`at_ms >= ${bound(sinceMs)}`);
  if (untilMs !== undefined) conditions.push(`at_ms < ${bound(untilMs)}`);
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  const text = `${select}${where} ORDER BY number DESC LIMIT ${bound(limit)}`;
  return { text, values };
}
