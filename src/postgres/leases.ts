/** Who may work on which domain. Each write is one statement, which commits itself. */
import type { DomainStore, Lease, StoredDomain } from "../domains/domains.ts";
import type { Database } from "./database.ts";
import { type DomainRow, domainColumns, storedFrom } from "./domainRows.ts";

type DueRequest = Parameters<DomainStore["takeDue"]>[0];
type PublishedChallenge = Parameters<DomainStore["publishChallenge"]>[0];
type TakenRow = [...DomainRow, fence: bigint, dueAtMs: bigint, ordinal: bigint];

export async function takeDue(
  database: Database,
  { holder, nowMs, untilMs, max }: DueRequest,
): Promise<(StoredDomain & { readonly lease: Lease })[]> {
  const { rows } = await database.write<TakenRow>(take, [nowMs, max, holder, untilMs]);
  return rows.sort(longestDueFirst).map(([state, version, paid, deployed, fence]) => {
    const stored = storedFrom([state, version, paid, deployed]);
    return { ...stored, lease: { domainId: stored.domain.id, fence: Number(fence) } };
  });
}

function longestDueFirst(one: TakenRow, other: TakenRow): number {
  const [, , , , , oneDueMs, oneOrdinal] = one;
  const [, , , , , otherDueMs, otherOrdinal] = other;
  return Number(oneDueMs - otherDueMs) || Number(oneOrdinal - otherOrdinal);
}

export async function extendLease(
  database: Database,
  { domainId, fence }: Lease,
  untilMs: number,
): Promise<boolean> {
  return (await database.write(extend, [domainId, fence, untilMs])).count > 0;
}

export async function endLease(database: Database, { domainId, fence }: Lease): Promise<void> {
  await database.write(end, [domainId, fence]);
}

export async function publishChallenge(
  database: Database,
  { lease, host, token, keyAuthorization, expiresAtMs }: PublishedChallenge,
): Promise<boolean> {
  const { count } = await database.write(publish, [
    ...[lease.domainId, lease.fence],
    ...[host, token, keyAuthorization, expiresAtMs],
  ]);
  return count > 0;
}

// What another worker is taking at this moment, or what is being changed, is left to the next time.
export const findDue = `SELECT id FROM domains
  WHERE due_at_ms <= $1::int8 AND (lease_holder IS NULL OR lease_until_ms <= $1::int8)
  ORDER BY due_at_ms, ordinal LIMIT $2::int8 FOR UPDATE SKIP LOCKED`;

// Numbers of leases come from a counter, which nothing turns back. It is touched only where
// something is due.
export const take = `WITH due AS (${findDue}),
  placed AS (SELECT id, row_number() OVER () AS place FROM due),
  fences AS (
    UPDATE counters SET value = value + (SELECT count(*) FROM placed)
    WHERE name = 'last_fence' AND EXISTS (SELECT 1 FROM placed) RETURNING value)
  UPDATE domains
  SET lease_holder = $3, lease_until_ms = $4, fence = fences.value - placed.place + 1
  FROM placed CROSS JOIN fences CROSS JOIN owners CROSS JOIN projects
  WHERE domains.id = placed.id AND owners.id = domains.owner_id AND projects.slug = domains.project
  RETURNING ${domainColumns}, domains.fence, domains.due_at_ms, domains.ordinal`;

const extend = `UPDATE domains SET lease_until_ms = $3
  WHERE id = $1 AND fence = $2 AND lease_holder IS NOT NULL`;

const end = `UPDATE domains SET lease_holder = NULL, lease_until_ms = NULL
  WHERE id = $1 AND fence = $2`;

const publish = `INSERT INTO challenges (host, token, key_authorization, expires_at_ms)
  SELECT $3, $4, $5, $6::int8 FROM domains
  WHERE id = $1 AND fence = $2 AND lease_holder IS NOT NULL
  ON CONFLICT (host, token) DO UPDATE SET
    key_authorization = excluded.key_authorization, expires_at_ms = excluded.expires_at_ms`;
