/** What the domain worker stores: leases, ACME accounts, and the removal of old rows. */

import type { AcmeAccount, AcmeAccounts } from "../../hosting/domains/certificateAuthority.ts";
import type { DomainStore, Lease, StoredDomain } from "../../hosting/domains/domains.ts";
import { tombstoneMs } from "../../hosting/domains/schedule.ts";
import { type DomainRow, selectDomains, storedDomainOf } from "./domains.ts";
import type { Storage, Transaction, Writes } from "./storage.ts";

type DueRequest = Parameters<DomainStore["takeDue"]>[0];
type PublishedChallenge = Parameters<DomainStore["publishChallenge"]>[0];

export const workerWrites = {
  /** Fencing tokens come from a counter that never goes back, not even in a restore. */
  async takeDueDomains(
    tx,
    { holder, nowMs, untilMs, max }: DueRequest,
  ): Promise<(StoredDomain & { readonly lease: Lease })[]> {
    const due = (await tx.all<DomainRow>(findDue, [nowMs, max])).map(storedDomainOf);
    if (due.length === 0) return [];
    const first = (await tx.advance("last_fence", due.length)) - due.length + 1;
    const taken = due.map((stored, index) => ({
      ...stored,
      lease: { domainId: stored.domain.id, fence: first + index },
    }));
    for (const { lease } of taken) {
      await tx.run(takeLease, [lease.domainId, lease.fence, holder, untilMs]);
    }
    return taken;
  },

  async extendLease(tx, { lease, untilMs }: { lease: Lease; untilMs: number }): Promise<boolean> {
    return (await tx.run(extend, [lease.domainId, lease.fence, untilMs])) > 0;
  },

  async endLease(tx, { domainId, fence }: Lease): Promise<void> {
    await tx.run(end, [domainId, fence]);
  },

  async publishChallenge(tx, challenge: PublishedChallenge): Promise<boolean> {
    const { lease, host, token, keyAuthorization, expiresAtMs } = challenge;
    if ((await tx.get(lockLease, [lease.domainId, lease.fence])) === undefined) return false;
    await tx.run(
      `INSERT INTO challenges (host, token, key_authorization, expires_at_ms)
       VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (host, token) DO UPDATE SET
         key_authorization = excluded.key_authorization, expires_at_ms = excluded.expires_at_ms`,
      [host, token, keyAuthorization, expiresAtMs],
    );
    return true;
  },

  sweepDomains,

  /** Returns the stored account, which is the first for its directory. */
  async keepAcmeAccount(tx, { directory, url, sealedKey }: AcmeAccount): Promise<AcmeAccount> {
    await tx.run(
      `INSERT INTO acme_accounts (directory, url, sealed_key) VALUES (?1, ?2, ?3)
       ON CONFLICT (directory) DO NOTHING`,
      [directory, url, sealedKey],
    );
    return (await tx.get<AcmeAccount>(findAccount, [directory])) as AcmeAccount;
  },
} satisfies Writes;

// Skips domains that another worker is leasing or changing.
export const findDue = `${selectDomains}
  WHERE domains.due_at_ms <= ?1
    AND (domains.lease_holder IS NULL OR domains.lease_until_ms <= ?1)
  ORDER BY domains.due_at_ms, domains.ordinal LIMIT ?2 FOR UPDATE OF domains SKIP LOCKED`;
const takeLease = `UPDATE domains SET fence = ?2, lease_holder = ?3, lease_until_ms = ?4
  WHERE id = ?1`;
const extend = `UPDATE domains SET lease_until_ms = ?3
  WHERE id = ?1 AND fence = ?2 AND lease_holder IS NOT NULL`;
const end = `UPDATE domains SET lease_holder = NULL, lease_until_ms = NULL
  WHERE id = ?1 AND fence = ?2`;
const lockLease = `SELECT 1 FROM domains WHERE id = ?1 AND fence = ?2 AND lease_holder IS NOT NULL
  FOR UPDATE`;

const dayMs = 24 * 60 * 60_000;
/** Longer than the longest rate-limit window of a CA, which is a week. */
const attemptsKeptMs = 8 * dayMs;
const certificatesKeptMs = 30 * dayMs;
const edgesKeptMs = dayMs;
/** Rows of each table in one commit. A tombstone has up to 200 timeline entries. */
const sweptAtOnceMax = 100;

interface Sweep {
  readonly table: string;
  readonly key: string;
  readonly age: string;
  readonly keptMs: number;
  readonly condition: string;
}

function sweep(
  table: string,
  key: string,
  age: string,
  keptMs: number,
  condition = `${age} < ?1`,
): Sweep {
  return { table, key, age, keptMs, condition };
}

const isUnused =
  "NOT EXISTS (SELECT 1 FROM domains WHERE domains.certificate_id = certificates.id)";

export const tombstones = sweep("domains", "id", "ended_at_ms", tombstoneMs);
export const challenges = sweep("challenges", "host", "expires_at_ms", 0, "expires_at_ms <= ?1");
export const attempts = sweep("ca_attempts", "ordinal", "at_ms", attemptsKeptMs);
export const certificates = sweep(
  "certificates",
  "id",
  "not_after_ms",
  certificatesKeptMs,
  `not_after_ms < ?1 AND ${isUnused}`,
);
export const edges = sweep("edges", "id", "seen_at_ms", edgesKeptMs);

/** Skips locked rows: a tombstone that is being changed may become active again. */
export const findOldest = ({ table, key, age, condition }: Sweep) =>
  `SELECT ${key} AS key FROM ${table} WHERE ${condition}
   ORDER BY ${age} LIMIT ${sweptAtOnceMax} FOR UPDATE SKIP LOCKED`;
export const removeFound = ({ table, key, condition }: Sweep) =>
  `DELETE FROM ${table} WHERE ${key} = ANY(?2) AND ${condition}`;

/** Removes rows that are no longer needed, in small batches. Returns whether there may be more. */
async function sweepDomains(tx: Transaction, nowMs: number): Promise<boolean> {
  let more = false;
  for (const sweep of [tombstones, challenges, attempts, certificates, edges]) {
    const beforeMs = nowMs - sweep.keptMs;
    const found = await tx.all<{ key: string | number }>(findOldest(sweep), [beforeMs]);
    if (found.length === 0) continue;
    const keys = found.map(({ key }) => key);
    if (sweep === tombstones) {
      await tx.run("DELETE FROM domain_timeline WHERE domain_id = ANY(?1)", [keys]);
    }
    await tx.run(removeFound(sweep), [beforeMs, keys]);
    more ||= found.length === sweptAtOnceMax;
  }
  return more;
}

export function acmeAccountRepository(storage: Storage): AcmeAccounts {
  return {
    account: (directory) => storage.get<AcmeAccount>(findAccount, [directory]),
    keepAccount: (account) => storage.write("keepAcmeAccount", account),
  };
}

const findAccount = `SELECT directory, url, sealed_key AS "sealedKey" FROM acme_accounts
  WHERE directory = ?1`;
