import { then } from "../../core/maybePromise.ts";
import type {
  EventPage,
  EventQuery,
  EventStore,
  NewEvent,
  RecordedEvent,
} from "../../petstore/events/events.ts";
import type { Storage, Transaction, Writes } from "./storage.ts";

/** What was recorded of a row, so that it is recorded once. */
export const recordedTables = [
  "ALTER TABLE keys ADD COLUMN [postgres: IF NOT EXISTS ]expiry_recorded_at_ms [sqlite: INTEGER][postgres: int8]",
  "ALTER TABLE key_uses ADD COLUMN [postgres: IF NOT EXISTS ]sunset_recorded_at_ms [sqlite: INTEGER][postgres: int8]",
  "ALTER TABLE certificates ADD COLUMN [postgres: IF NOT EXISTS ]expiry_recorded_at_ms [sqlite: INTEGER][postgres: int8]",
  "ALTER TABLE domains ADD COLUMN [postgres: IF NOT EXISTS ]milestone [sqlite: TEXT][postgres: text]",
];

/** What events carry on from the requests that cause them. */
export const traceTables = [
  "ALTER TABLE events ADD COLUMN [postgres: IF NOT EXISTS ]trace [sqlite: TEXT][postgres: text]",
  "ALTER TABLE webhook_deliveries ADD COLUMN [postgres: IF NOT EXISTS ]trace [sqlite: TEXT][postgres: text]",
];

/** For each page. A filter has no index, which every write would pay for. */
const idsFilteredMax = 10_000;
/** Few, because other writes wait. */
const prunedAtOnceMax = 1_000;

export function eventRepository(storage: Storage): EventStore {
  const counter = (name: string) =>
    then(storage.get<{ value: number }>(findCounter, [name]), (row) => row?.value ?? 0);
  const lastId = () => counter("last_event_id");
  return {
    async list(query) {
      // Before the events: all up to it are visible then.
      const last = await lastId();
      const page = await readPage(storage, query, last);
      const removed = await counter("removed_event_id");
      return query.after > 0 && query.after < removed ? undefined : page;
    },
    lastId,
    prune: (beforeMs) => storage.write("pruneEvents", beforeMs),
  };
}

async function readPage(
  storage: Storage,
  { after, limit, types, resource }: EventQuery,
  last: number,
): Promise<EventPage> {
  const oldest = await storage.get<{ id: number }>(findOldest);
  const from = Math.max(after, (oldest?.id ?? last + 1) - 1);
  const isFiltered = types !== undefined || resource !== undefined;
  const upTo = isFiltered ? Math.min(last, from + idsFilteredMax) : last;
  const range = [from, upTo, limit];
  const filters = [types ?? [], types === undefined, resource];
  const events = isFiltered
    ? await storage.all<RecordedEvent>(filterEvents, [...range, ...filters])
    : await storage.all<RecordedEvent>(listEvents, range);
  const readUpTo = events.length < limit ? upTo : (events.at(-1)?.id ?? upTo);
  return { events, readUpTo, isLast: readUpTo >= last };
}

export const eventWrites = {
  /** Only from the beginning on, so that what is kept has no gaps. */
  async pruneEvents(tx, beforeMs: number): Promise<boolean> {
    const oldest = await tx.all<Pick<RecordedEvent, "id" | "atMs">>(listOldest, [prunedAtOnceMax]);
    const kept = oldest.findIndex(({ atMs }) => atMs >= beforeMs);
    const removed = (kept < 0 ? oldest : oldest.slice(0, kept)).at(-1)?.id;
    if (removed === undefined) return false;
    await removeUpTo(tx, removed);
    return kept < 0 && oldest.length === prunedAtOnceMax;
  },
} satisfies Writes;

/**
 * The last thing that a write does: every write that records something waits for the others from
 * here to its commit, and may wait for nothing else then, or two would wait for each other.
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const before = (await tx.advance("last_event_id", events.length)) - events.length;
  await tx.insertAll(
    insertEvent,
    events.map(({ type, resource, data }, index) => [
      ...[before + 1 + index, type, resource, tx.nowMs, data, tx.trace],
    ]),
  );
}

async function removeUpTo(tx: Transaction, id: number): Promise<void> {
  await tx.run("DELETE FROM events WHERE id <= ?1", [id]);
  await tx.run("UPDATE counters SET value = ?1 WHERE name = 'removed_event_id'", [id]);
}

export const insertEvent =
  "INSERT INTO events (id, type, resource, at_ms, data, trace) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const pageOfEvents = (
  filters: string,
) => `SELECT id, type, resource, at_ms AS "atMs", data, trace FROM events
  WHERE id > ?1 AND id <= ?2 ${filters} ORDER BY id LIMIT ?3`;
// On its own: PostgreSQL would expect to find too few for a page, and read and sort all of them.
export const listEvents = pageOfEvents("");
export const filterEvents = pageOfEvents(
  "AND (?5 OR type = ANY(?4)) AND resource = coalesce(?6, resource)",
);
export const findOldest = "SELECT id FROM events ORDER BY id LIMIT 1";
export const listOldest = 'SELECT id, at_ms AS "atMs" FROM events ORDER BY id LIMIT ?1';
const findCounter = "SELECT value FROM counters WHERE name = ?1";
