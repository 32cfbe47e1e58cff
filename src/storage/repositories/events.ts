import type { EventQuery, EventStore, RecordedEvent } from "../../petstore/events/events.ts";
import type { Storage, Writes } from "./storage.ts";

export function eventRepository(storage: Storage): EventStore {
  return {
    list: ({ after, limit }: EventQuery) => storage.all<RecordedEvent>(listEvents, [after, limit]),
    prune: (beforeMs) => storage.write("pruneEvents", beforeMs),
  };
}

/** Few, because other writes wait. */
const prunedAtOnceMax = 1_000;

export const eventWrites = {
  async pruneEvents(tx, beforeMs: number): Promise<boolean> {
    return (await tx.run(prune, [prunedAtOnceMax, beforeMs])) === prunedAtOnceMax;
  },
} satisfies Writes;

export const insertEvent =
  "INSERT INTO events (id, type, resource, at_ms, data) VALUES (?1, ?2, ?3, ?4, ?5)";
export const listEvents = `SELECT id, type, resource, at_ms AS "atMs", data FROM events
  WHERE id > ?1 ORDER BY id LIMIT ?2`;
// The oldest come first, as long as the clock is not set back.
const prune = `DELETE FROM events WHERE at_ms < ?2
  AND id IN (SELECT id FROM events ORDER BY id LIMIT ?1)`;
