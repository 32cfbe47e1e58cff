import type { Domain } from "../domains/domain.ts";
import {
  attemptsMax,
  type CaAttempt,
  type ChangeOutcome,
  claimsMax,
  type DomainChange,
  type DomainStore,
  type Lease,
  type RoutingChange,
  type StoredCertificate,
  type StoredDomain,
  type TimelineEntry,
} from "../domains/domains.ts";
import { noRouting, type Routing } from "../domains/routing.ts";
import type { Database } from "./database.ts";
import { type DomainRow, selectDomains, storedFrom } from "./domainRows.ts";
import { sweep } from "./domainSweep.ts";
import { addDomain, changeDomain, recordAttempt, saveRouting } from "./domainWrites.ts";
import { failing } from "./failures.ts";
import { endLease, extendLease, publishChallenge, takeDue } from "./leases.ts";
import { byText, hasNul } from "./texts.ts";

type CertificateRow = [
  id: string,
  host: string,
  chainPem: string,
  sealedKey: string,
  issuer: string,
  notBeforeMs: bigint,
  notAfterMs: bigint,
  renewalName: string | null,
];
type AttemptRow = [host: string, registrable: string, kind: CaAttempt["kind"], atMs: bigint];

export class PostgresDomains implements DomainStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(
    domain: Domain,
    dueAtMs: number,
    entries: readonly TimelineEntry[],
  ): Promise<"added" | "taken"> {
    return failing(addDomain(this.#database, domain, dueAtMs, entries));
  }

  change(change: DomainChange): Promise<ChangeOutcome> {
    return failing(changeDomain(this.#database, change));
  }

  get(id: string): Promise<StoredDomain | undefined> {
    return this.#domainBy(findDomain, id);
  }

  holderOf(host: string): Promise<StoredDomain | undefined> {
    return this.#domainBy(findHolder, host);
  }

  async #domainBy(query: string, key: string): Promise<StoredDomain | undefined> {
    if (hasNul(key)) return undefined;
    const [row] = await this.#read<DomainRow>(query, [key]);
    return row && storedFrom(row);
  }

  async claimsOn(host: string): Promise<readonly StoredDomain[]> {
    if (hasNul(host)) return [];
    return (await this.#read<DomainRow>(findClaims, [host])).map(storedFrom);
  }

  async list(project?: string): Promise<readonly StoredDomain[]> {
    const rows = await (project === undefined
      ? this.#read<DomainRow>(listAllDomains)
      : this.#read<DomainRow>(listDomainsOfProject, [project]));
    return rows.map(storedFrom).sort(byText(({ domain }) => domain.host));
  }

  async timeline(domainId: string, limit: number): Promise<readonly TimelineEntry[]> {
    const rows = await this.#read<[entry: string]>(readTimeline, [domainId, limit]);
    return rows.map(([entry]) => JSON.parse(entry));
  }

  async routing(project: string): Promise<{ readonly routing: Routing; readonly version: number }> {
    const [row] = await this.#read<[routing: string, version: bigint]>(findRouting, [project]);
    if (row === undefined) return { routing: noRouting, version: 0 };
    return { routing: JSON.parse(row[0]), version: Number(row[1]) };
  }

  saveRouting(change: RoutingChange): Promise<"done" | "changed"> {
    return failing(saveRouting(this.#database, change));
  }

  takeDue(
    request: Parameters<DomainStore["takeDue"]>[0],
  ): Promise<readonly (StoredDomain & { readonly lease: Lease })[]> {
    return failing(takeDue(this.#database, request));
  }

  extendLease(lease: Lease, untilMs: number): Promise<boolean> {
    return failing(extendLease(this.#database, lease, untilMs));
  }

  endLease(lease: Lease): Promise<void> {
    return failing(endLease(this.#database, lease));
  }

  async certificateFor(host: string, validAfterMs: number): Promise<StoredCertificate | undefined> {
    const [row] = await this.#read<CertificateRow>(findNewestCertificate, [host, validAfterMs]);
    return row && certificateFrom(row);
  }

  async attempts(
    of: { host: string; registrable: string },
    sinceMs: number,
  ): Promise<readonly CaAttempt[]> {
    const rows = await this.#read<AttemptRow>(listAttempts, [of.host, of.registrable, sinceMs]);
    return rows
      .map(([host, registrable, kind, atMs]) => ({ host, registrable, kind, atMs: Number(atMs) }))
      .reverse();
  }

  recordAttempt(attempt: CaAttempt): Promise<void> {
    return failing(recordAttempt(this.#database, attempt));
  }

  publishChallenge(challenge: Parameters<DomainStore["publishChallenge"]>[0]): Promise<boolean> {
    return failing(publishChallenge(this.#database, challenge));
  }

  sweep(nowMs: number): Promise<void> {
    return failing(sweep(this.#database, nowMs));
  }

  #read<Row extends unknown[]>(query: string, values: readonly unknown[] = []): Promise<Row[]> {
    return failing(this.#database.read<Row>(query, values));
  }
}

function certificateFrom(row: CertificateRow): StoredCertificate {
  const [id, host, chainPem, sealedKey, issuer, notBeforeMs, notAfterMs, renewalName] = row;
  return {
    id,
    host,
    chainPem,
    sealedKey,
    issuer,
    notBeforeMs: Number(notBeforeMs),
    notAfterMs: Number(notAfterMs),
    renewalName: renewalName ?? undefined,
  };
}

export const findDomain = `${selectDomains} WHERE domains.id = $1`;
export const findHolder = `${selectDomains}
  WHERE domains.host = $1 AND domains.ownership = 'held'`;
export const findClaims = `${selectDomains} WHERE domains.host = $1
  ORDER BY domains.ordinal DESC LIMIT ${claimsMax}`;
export const listAllDomains = `${selectDomains}
  WHERE domains.ownership IN ('held', 'proof_needed') ORDER BY domains.ordinal`;
export const listDomainsOfProject = `${selectDomains}
  WHERE domains.project = $1 AND domains.ownership IN ('held', 'proof_needed')`;
export const readTimeline = `SELECT entry FROM domain_timeline WHERE domain_id = $1
  ORDER BY number DESC LIMIT $2`;
const findRouting = "SELECT routing, version FROM project_routing WHERE project = $1";
export const findNewestCertificate = `SELECT id, host, chain_pem, sealed_key, issuer,
    not_before_ms, not_after_ms, renewal_name
  FROM certificates WHERE host = $1 AND not_after_ms > $2
  ORDER BY not_before_ms DESC, id DESC LIMIT 1`;
// The newest, should there be more than that: they are what most limits of authorities count.
export const listAttempts = `SELECT host, registrable, kind, at_ms FROM ca_attempts
  WHERE (host = $1 AND at_ms >= $3) OR (registrable = $2 AND at_ms >= $3)
  ORDER BY at_ms DESC, ordinal DESC LIMIT ${attemptsMax}`;
