import type { DatabaseSync, StatementSync } from "node:sqlite";
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
import { type DomainRow, selectDomains, storedFrom } from "./domainRows.ts";
import { reading } from "./failures.ts";
import type { Writer } from "./writer.ts";

type CertificateRow = [
  id: string,
  host: string,
  chainPem: string,
  sealedKey: string,
  issuer: string,
  notBeforeMs: number,
  notAfterMs: number,
  renewalName: string | null,
];
type AttemptRow = [host: string, registrable: string, kind: CaAttempt["kind"], atMs: number];

export class SqliteDomains implements DomainStore {
  readonly #writer: Writer;
  readonly #find: StatementSync;
  readonly #findHolder: StatementSync;
  readonly #findClaims: StatementSync;
  readonly #listAll: StatementSync;
  readonly #listProject: StatementSync;
  readonly #readTimeline: StatementSync;
  readonly #findRouting: StatementSync;
  readonly #findCertificate: StatementSync;
  readonly #listAttempts: StatementSync;

  constructor(db: DatabaseSync, writer: Writer) {
    this.#writer = writer;
    const prepare = (query: string) => {
      const statement = db.prepare(query);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#find = prepare(findDomain);
    this.#findHolder = prepare(findHolder);
    this.#findClaims = prepare(findClaims);
    this.#listAll = prepare(listAllDomains);
    this.#listProject = prepare(listDomainsOfProject);
    this.#readTimeline = prepare(readTimeline);
    this.#findRouting = prepare("SELECT routing, version FROM project_routing WHERE project = ?");
    this.#findCertificate = prepare(findNewestCertificate);
    this.#listAttempts = prepare(listAttempts);
  }

  add(
    domain: Domain,
    dueAtMs: number,
    entries: readonly TimelineEntry[],
  ): Promise<"added" | "taken"> {
    return this.#writer.submit("addDomain", { domain, dueAtMs, entries });
  }

  change(change: DomainChange): Promise<ChangeOutcome> {
    return this.#writer.submit("changeDomain", change);
  }

  get(id: string): StoredDomain | undefined {
    const row = reading(() => this.#find.get(id)) as DomainRow | undefined;
    return row && storedFrom(row);
  }

  holderOf(host: string): StoredDomain | undefined {
    const row = reading(() => this.#findHolder.get(host)) as DomainRow | undefined;
    return row && storedFrom(row);
  }

  claimsOn(host: string): readonly StoredDomain[] {
    return storedDomains(() => this.#findClaims.all(host));
  }

  list(project?: string): readonly StoredDomain[] {
    return storedDomains(() =>
      project === undefined ? this.#listAll.all() : this.#listProject.all(project),
    );
  }

  timeline(domainId: string, limit: number): readonly TimelineEntry[] {
    const rows = reading(() => this.#readTimeline.all(domainId, limit));
    return (rows as unknown as [string][]).map(([entry]) => JSON.parse(entry));
  }

  routing(project: string): { readonly routing: Routing; readonly version: number } {
    const row = reading(() => this.#findRouting.get(project)) as [string, number] | undefined;
    if (row === undefined) return { routing: noRouting, version: 0 };
    return { routing: JSON.parse(row[0]), version: row[1] };
  }

  saveRouting(change: RoutingChange): Promise<"done" | "changed"> {
    return this.#writer.submit("saveRouting", change);
  }

  takeDue(
    request: Parameters<DomainStore["takeDue"]>[0],
  ): Promise<readonly (StoredDomain & { readonly lease: Lease })[]> {
    return this.#writer.submit("takeDueDomains", request);
  }

  extendLease(lease: Lease, untilMs: number): Promise<boolean> {
    return this.#writer.submit("extendLease", { lease, untilMs });
  }

  endLease(lease: Lease): Promise<void> {
    return this.#writer.submit("endLease", lease);
  }

  certificateFor(host: string, validAfterMs: number): StoredCertificate | undefined {
    const row = reading(() => this.#findCertificate.get(host, validAfterMs));
    return row && certificateFrom(row as unknown as CertificateRow);
  }

  attempts(of: { host: string; registrable: string }, sinceMs: number): readonly CaAttempt[] {
    const rows = reading(() => this.#listAttempts.all(of.host, of.registrable, sinceMs));
    return (rows as unknown as AttemptRow[])
      .map(([host, registrable, kind, atMs]) => ({ host, registrable, kind, atMs }))
      .reverse();
  }

  recordAttempt(attempt: CaAttempt): Promise<void> {
    return this.#writer.submit("recordAttempt", attempt);
  }

  publishChallenge(challenge: Parameters<DomainStore["publishChallenge"]>[0]): Promise<boolean> {
    return this.#writer.submit("publishChallenge", challenge);
  }

  async sweep(nowMs: number): Promise<void> {
    // In several commits, so that other writes need not wait for all of it.
    while (await this.#writer.submit("sweepDomains", nowMs));
  }
}

function storedDomains(read: () => unknown[]): readonly StoredDomain[] {
  return (reading(read) as DomainRow[]).map(storedFrom);
}

function certificateFrom(row: CertificateRow): StoredCertificate {
  const [id, host, chainPem, sealedKey, issuer, notBeforeMs, notAfterMs, renewalName] = row;
  return {
    id,
    host,
    chainPem,
    sealedKey,
    issuer,
    notBeforeMs,
    notAfterMs,
    renewalName: renewalName ?? undefined,
  };
}

export const findDomain = `${selectDomains} WHERE domains.id = ?`;
export const findHolder = `${selectDomains}
  WHERE domains.host = ? AND domains.ownership = 'held'`;
export const findClaims = `${selectDomains} WHERE domains.host = ?
  ORDER BY domains.ordinal DESC LIMIT ${claimsMax}`;
export const listAllDomains = `${selectDomains}
  WHERE domains.ownership IN ('held', 'proof_needed') ORDER BY domains.host, domains.ordinal`;
export const listDomainsOfProject = `${selectDomains}
  WHERE domains.project = ? AND domains.ownership IN ('held', 'proof_needed')
  ORDER BY domains.host`;
export const readTimeline = `SELECT entry FROM domain_timeline WHERE domain_id = ?
  ORDER BY number DESC LIMIT ?`;
export const findNewestCertificate = `SELECT id, host, chain_pem, sealed_key, issuer,
    not_before_ms, not_after_ms, renewal_name
  FROM certificates WHERE host = ? AND not_after_ms > ?
  ORDER BY not_before_ms DESC, id DESC LIMIT 1`;
// The newest, should there be more than that: they are what most limits of authorities count.
export const listAttempts = `SELECT host, registrable, kind, at_ms FROM ca_attempts
  WHERE (host = ?1 AND at_ms >= ?3) OR (registrable = ?2 AND at_ms >= ?3)
  ORDER BY at_ms DESC, ordinal DESC LIMIT ${attemptsMax}`;
