/** Who may work on which domain. These run in the writer's thread, within its transaction. */
import type { DatabaseSync } from "node:sqlite";
import type { DomainStore, Lease, StoredDomain } from "../domains/domains.ts";
import type { Counter } from "./counter.ts";
import { type DomainRow, selectDomains, storedFrom } from "./domainRows.ts";

type DueRequest = Parameters<DomainStore["takeDue"]>[0];
type PublishedChallenge = Parameters<DomainStore["publishChallenge"]>[0];

/** Numbers of leases come from a counter, which a restore does not turn back as it does the rows. */
export function leaseCommands(db: DatabaseSync, lastFence: Counter) {
  const findAllDue = db.prepare(findDue);
  findAllDue.setReturnArrays(true);
  const take = db.prepare(
    "UPDATE domains SET lease_holder = ?, lease_until_ms = ?, fence = ? WHERE id = ?",
  );
  const extend = db.prepare(
    `UPDATE domains SET lease_until_ms = ?
     WHERE id = ? AND fence = ? AND lease_holder IS NOT NULL`,
  );
  const end = db.prepare(
    `UPDATE domains SET lease_holder = NULL, lease_until_ms = NULL WHERE id = ? AND fence = ?`,
  );
  const findLease = db.prepare(
    "SELECT 1 FROM domains WHERE id = ? AND fence = ? AND lease_holder IS NOT NULL",
  );
  const writeChallenge = db.prepare(
    `INSERT INTO challenges (host, token, key_authorization, expires_at_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT (host, token) DO UPDATE SET
       key_authorization = excluded.key_authorization, expires_at_ms = excluded.expires_at_ms`,
  );

  return {
    takeDueDomains({
      holder,
      nowMs,
      untilMs,
      max,
    }: DueRequest): (StoredDomain & { readonly lease: Lease })[] {
      const due = findAllDue.all(nowMs, max) as unknown as DomainRow[];
      return due.map(storedFrom).map((stored) => {
        const lease = { domainId: stored.domain.id, fence: Number(lastFence.next()) };
        take.run(holder, untilMs, lease.fence, lease.domainId);
        return { ...stored, lease };
      });
    },

    extendLease({ lease, untilMs }: { lease: Lease; untilMs: number }): boolean {
      return extend.run(untilMs, lease.domainId, lease.fence).changes !== 0;
    },

    endLease({ domainId, fence }: Lease): void {
      end.run(domainId, fence);
    },

    publishChallenge(challenge: PublishedChallenge): boolean {
      const { lease, host, token, keyAuthorization, expiresAtMs } = challenge;
      if (findLease.get(lease.domainId, lease.fence) === undefined) return false;
      writeChallenge.run(host, token, keyAuthorization, expiresAtMs);
      return true;
    },
  };
}

export const findDue = `${selectDomains}
  WHERE domains.due_at_ms <= ?1
    AND (domains.lease_holder IS NULL OR domains.lease_until_ms <= ?1)
  ORDER BY domains.due_at_ms, domains.ordinal LIMIT ?2`;
