/** Forgets what nobody asks for any more, a little at a time. */
import { tombstoneMs } from "../domains/schedule.ts";
import type { Database } from "./database.ts";

const dayMs = 24 * 60 * 60_000;
/** Longer than the longest time over which an authority counts, which is a week. */
export const attemptsKeptMs = 8 * dayMs;
export const certificatesKeptMs = 30 * dayMs;
export const edgesKeptMs = dayMs;
/** In one commit. A tombstone takes up to 200 entries of its timeline with it. */
export const sweptAtOnceMax = 100;

export async function sweep(database: Database, nowMs: number): Promise<void> {
  for (const { remove, keptMs } of removals) {
    // In several commits, so that other writes need not wait for all of it.
    for (;;) {
      const { count } = await database.write(remove, [nowMs - keptMs]);
      if (count < sweptAtOnceMax) break;
    }
  }
}

/**
 * The oldest of a table, chosen before anything is deleted. What somebody is at is left alone: a
 * tombstone that is being changed may be about to come back.
 */
function removeOldest(table: string, key: string, condition: string, age: string): string {
  // By an array as well: each is looked up then, where a join may read the whole table.
  const [found] = key.split(",");
  return `WITH oldest AS (
      SELECT ${key} FROM ${table} WHERE ${condition}
      ORDER BY ${age} LIMIT ${sweptAtOnceMax} FOR UPDATE SKIP LOCKED)
    DELETE FROM ${table} WHERE ${found} = ANY(ARRAY(SELECT ${found} FROM oldest))
      AND (${key}) IN (SELECT ${key} FROM oldest)`;
}

export const removeTombstones = removeOldest("domains", "id", "ended_at_ms < $1", "ended_at_ms");
export const removeChallenges = removeOldest(
  "challenges",
  "host, token",
  "expires_at_ms <= $1",
  "expires_at_ms",
);
export const removeAttempts = removeOldest("ca_attempts", "ordinal", "at_ms < $1", "at_ms");
export const removeCertificates = removeOldest(
  "certificates",
  "id",
  `not_after_ms < $1
      AND NOT EXISTS (SELECT 1 FROM domains WHERE domains.certificate_id = certificates.id)`,
  "not_after_ms",
);
export const removeEdges = removeOldest("edges", "id", "seen_at_ms < $1", "seen_at_ms");

const removals = [
  { remove: removeTombstones, keptMs: tombstoneMs },
  { remove: removeChallenges, keptMs: 0 },
  { remove: removeAttempts, keptMs: attemptsKeptMs },
  { remove: removeCertificates, keptMs: certificatesKeptMs },
  { remove: removeEdges, keptMs: edgesKeptMs },
];
