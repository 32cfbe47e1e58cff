/**
 * The writes to the domains. Of two that touch the same domain, the second waits for the row of the
 * first; that a name is there only once is for the indexes to say. Rows are taken in one order: the
 * last ordinal, domains by their ids, the routing, and the edges' revision at the very end.
 */
import type { Domain } from "../domains/domain.ts";
import {
  type CaAttempt,
  type ChangeOutcome,
  type DomainChange,
  type Lease,
  type RoutingChange,
  type StoredCertificate,
  type TimelineEntry,
  timelineEntriesMax,
} from "../domains/domains.ts";
import { refusedBy } from "./constraints.ts";
import type { Database } from "./database.ts";
import { columnsOf, type DomainColumns } from "./domainRows.ts";

import { takeOrdinals } from "./ordinals.ts";
import { int8s, type Session } from "./session.ts";

const taken = { domains_held: "taken", domains_of_project: "taken" } as const;
/** Two saved the first routing of a project at the same instant. */
const changed = { project_routing_pkey: "changed" } as const;

/** What of a stored domain decides whether a change to it holds, and whether edges must hear of it. */
interface Before extends Pick<DomainColumns, "ownership" | "served" | "certificateId"> {
  readonly version: number;
  readonly fence: number;
}

type BeforeRow = [
  id: string,
  ownership: Before["ownership"],
  served: boolean,
  certificateId: string | null,
  version: bigint,
  fence: bigint,
];

export async function addDomain(
  database: Database,
  domain: Domain,
  dueAtMs: number,
  entries: readonly TimelineEntry[],
): Promise<"added" | "taken"> {
  return refusedBy(
    taken,
    database.transact("BEGIN", async (session) => {
      const ordinal = await takeOrdinals(session, 1);
      const columns = columnsOf(domain);
      await session.query(insert, [...valuesOf(columns), dueAtMs, ordinal]);
      await append(session, domain.id, entries);
      if (columns.served) await moveEdgeRevision(session);
      return "added" as const;
    }),
  );
}

export async function changeDomain(
  database: Database,
  change: DomainChange,
): Promise<ChangeOutcome> {
  const work = database.transact("BEGIN", (session) => changeOn(session, change));
  return refusedBy({ ...taken, ...changed }, work);
}

async function changeOn(session: Session, change: DomainChange): Promise<ChangeOutcome> {
  const { domain, version, lease, routing, displaces, attempts = [] } = change;
  const ordinal = attempts.length > 0 ? await takeOrdinals(session, attempts.length) : 0n;
  const ids = displaces === undefined ? [domain.id] : [domain.id, displaces.domain.id];
  const stored = await lockDomains(session, ids);
  const before = stored.get(domain.id);
  if (lease !== undefined && !holds(lease, domain.id, before)) return "fenced";
  if (before?.version !== version) return "changed";
  if (routing !== undefined && !(await isRoutingAt(session, routing))) return "changed";
  const displaced = displaces && stored.get(displaces.domain.id);
  if (displaced?.version !== displaces?.version) return "changed";

  if (change.certificate !== undefined) await storeCertificate(session, change.certificate);
  let servedOtherwise = false;
  // Before the other, which may hold the name only once this one does not. It needs nothing any
  // more: that the name still leads here is as it should be.
  if (displaces && displaced) {
    servedOtherwise = await replace(session, displaces.domain, displaced, null);
    await append(session, displaces.domain.id, displaces.entries);
  }
  const replaced = await replace(session, domain, before, change.dueAtMs ?? null);
  await append(session, domain.id, change.entries);
  if (attempts.length > 0) await storeAttempts(session, attempts, ordinal);
  if (routing !== undefined) await writeRouting(session, routing);
  if (servedOtherwise || replaced || routing !== undefined) await moveEdgeRevision(session);
  return "done";
}

export async function saveRouting(
  database: Database,
  change: RoutingChange,
): Promise<"done" | "changed"> {
  return refusedBy(
    changed,
    database.transact("BEGIN", async (session) => {
      if (!(await isRoutingAt(session, change))) return "changed" as const;
      await writeRouting(session, change);
      await moveEdgeRevision(session);
      return "done" as const;
    }),
  );
}

export async function recordAttempt(database: Database, attempt: CaAttempt): Promise<void> {
  await database.transact("BEGIN", async (session) => {
    await storeAttempts(session, [attempt], await takeOrdinals(session, 1));
  });
}

async function lockDomains(
  session: Session,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Before>> {
  const { rows } = await session.query<BeforeRow>(lockDomainsById, [ids]);
  return new Map(
    rows.map(([id, ownership, served, certificateId, version, fence]) => [
      id,
      { ownership, served, certificateId, version: Number(version), fence: Number(fence) },
    ]),
  );
}

function holds({ domainId, fence }: Lease, id: string, before: Before | undefined): boolean {
  return domainId === id && fence === before?.fence;
}

/** Whether edges must hear of it. */
async function replace(
  session: Session,
  domain: Domain,
  before: Before,
  dueAtMs: number | null,
): Promise<boolean> {
  const columns = columnsOf(domain);
  await session.query(update, [...valuesOf(columns), dueAtMs]);
  return (
    columns.ownership !== before.ownership ||
    columns.served !== before.served ||
    columns.certificateId !== before.certificateId
  );
}

function valuesOf(columns: DomainColumns): unknown[] {
  const { id, host, project, ownerId, ownership, endedAtMs, served, certificateId, state } =
    columns;
  return [id, host, project, ownerId, ownership, endedAtMs, served, certificateId, state];
}

/** Under the lock of the domain: nobody else numbers entries of it. */
async function append(
  session: Session,
  domainId: string,
  entries: readonly TimelineEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const texts = entries.map((entry) => JSON.stringify(entry));
  const { rows } = await session.query<[last: bigint]>(lastEntry, [domainId]);
  const last = Number(rows[0]?.[0] ?? 0);
  await session.query(insertEntries, [domainId, last, texts]);
  const forgotten = last + entries.length - timelineEntriesMax;
  if (forgotten > 0) await session.query(forgetEntries, [domainId, forgotten]);
}

async function isRoutingAt(
  session: Session,
  { project, version }: RoutingChange,
): Promise<boolean> {
  const { rows } = await session.query<[version: bigint]>(lockRouting, [project]);
  return Number(rows[0]?.[0] ?? 0) === version;
}

async function writeRouting(
  session: Session,
  { project, routing, version }: RoutingChange,
): Promise<void> {
  const text = version === 0 ? insertRouting : updateRouting;
  await session.query(text, [project, version + 1, JSON.stringify(routing)]);
}

async function storeCertificate(session: Session, certificate: StoredCertificate): Promise<void> {
  const { id, host, chainPem, sealedKey, issuer, notBeforeMs, notAfterMs } = certificate;
  const renewalName = certificate.renewalName ?? null;
  await session.query(insertCertificate, [
    ...[id, host, chainPem, sealedKey, issuer, notBeforeMs, notAfterMs, renewalName],
  ]);
}

async function storeAttempts(
  session: Session,
  attempts: readonly CaAttempt[],
  firstOrdinal: bigint,
): Promise<void> {
  await session.query(insertAttempts, [
    int8s(attempts.map((_, index) => firstOrdinal + BigInt(index))),
    attempts.map(({ host }) => host),
    attempts.map(({ registrable }) => registrable),
    attempts.map(({ kind }) => kind),
    int8s(attempts.map(({ atMs }) => atMs)),
  ]);
}

async function moveEdgeRevision(session: Session): Promise<void> {
  await session.query("UPDATE counters SET value = value + 1 WHERE name = 'edge_revision'");
}

const lockDomainsById = `SELECT id, ownership, served, certificate_id, version, fence FROM domains
  WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE`;

const insert = `INSERT INTO domains (id, host, project, owner_id, ownership, ended_at_ms, served,
    certificate_id, state, due_at_ms, ordinal, version, fence)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, 0)`;

const update = `UPDATE domains SET host = $2, project = $3, owner_id = $4, ownership = $5,
    ended_at_ms = $6, served = $7, certificate_id = $8, state = $9, due_at_ms = $10,
    version = version + 1
  WHERE id = $1`;

export const lastEntry = `SELECT number FROM domain_timeline WHERE domain_id = $1
  ORDER BY number DESC LIMIT 1`;
const insertEntries = `INSERT INTO domain_timeline (domain_id, number, entry)
  SELECT $1, $2::int8 + place, entry
  FROM unnest($3::text[]) WITH ORDINALITY AS new (entry, place)`;
const forgetEntries = "DELETE FROM domain_timeline WHERE domain_id = $1 AND number <= $2";

const lockRouting = "SELECT version FROM project_routing WHERE project = $1 FOR UPDATE";
const insertRouting = "INSERT INTO project_routing (project, version, routing) VALUES ($1, $2, $3)";
const updateRouting = "UPDATE project_routing SET version = $2, routing = $3 WHERE project = $1";

const insertCertificate = `INSERT INTO certificates (id, host, chain_pem, sealed_key, issuer,
    not_before_ms, not_after_ms, renewal_name)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;

const insertAttempts = `INSERT INTO ca_attempts (ordinal, host, registrable, kind, at_ms)
  SELECT * FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::int8[])`;
