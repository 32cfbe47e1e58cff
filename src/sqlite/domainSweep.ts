/** Forgets what nobody asks for any more. It runs in the writer's thread, within its transaction. */

import type { DatabaseSync } from "node:sqlite";
import { tombstoneMs } from "../domains/schedule.ts";

const dayMs = 24 * 60 * 60_000;
/** Longer than the longest time over which an authority counts, which is a week. */
export const attemptsKeptMs = 8 * dayMs;
export const certificatesKeptMs = 30 * dayMs;
export const edgesKeptMs = dayMs;
/** Of each kind in one commit. A tombstone takes up to 200 entries of its timeline with it. */
export const sweptAtOnceMax = 100;

export function domainSweepCommands(db: DatabaseSync) {
  const findTombstones = db.prepare(findOldTombstones);
  const removeTimeline = db.prepare("DELETE FROM domain_timeline WHERE domain_id = ?");
  const removeDomain = db.prepare("DELETE FROM domains WHERE id = ?");
  const removals = [
    { remove: db.prepare(removeChallenges), keptMs: 0 },
    { remove: db.prepare(removeAttempts), keptMs: attemptsKeptMs },
    { remove: db.prepare(removeCertificates), keptMs: certificatesKeptMs },
    { remove: db.prepare(removeEdges), keptMs: edgesKeptMs },
  ];

  return {
    /** Whether there may be more of it. */
    sweepDomains(nowMs: number): boolean {
      const tombstones = findTombstones.all(nowMs - tombstoneMs);
      for (const { id } of tombstones) {
        removeTimeline.run(id as string);
        removeDomain.run(id as string);
      }
      const counts = removals.map(({ remove, keptMs }) =>
        Number(remove.run(nowMs - keptMs).changes),
      );
      return [tombstones.length, ...counts].includes(sweptAtOnceMax);
    },
  };
}

export const findOldTombstones = `SELECT id FROM domains WHERE ended_at_ms < ?
  ORDER BY ended_at_ms LIMIT ${sweptAtOnceMax}`;
export const removeChallenges = `DELETE FROM challenges WHERE (host, token) IN (
  SELECT host, token FROM challenges WHERE expires_at_ms <= ?
  ORDER BY expires_at_ms LIMIT ${sweptAtOnceMax})`;
export const removeAttempts = `DELETE FROM ca_attempts WHERE ordinal IN (
  SELECT ordinal FROM ca_attempts WHERE at_ms < ? ORDER BY at_ms LIMIT ${sweptAtOnceMax})`;
export const removeCertificates = `DELETE FROM certificates WHERE id IN (
  SELECT id FROM certificates WHERE not_after_ms < ?
    AND NOT EXISTS (SELECT 1 FROM domains WHERE domains.certificate_id = certificates.id)
  ORDER BY not_after_ms LIMIT ${sweptAtOnceMax})`;
export const removeEdges = `DELETE FROM edges WHERE id IN (
  SELECT id FROM edges WHERE seen_at_ms < ? ORDER BY seen_at_ms LIMIT ${sweptAtOnceMax})`;
