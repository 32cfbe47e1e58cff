/** The writes to the domains. They run in the writer's thread, within its transaction. */
import type { DatabaseSync } from "node:sqlite";
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
import type { Counter } from "./counter.ts";
import { columnsOf, type DomainColumns } from "./domainRows.ts";

export interface DomainAddition {
  readonly domain: Domain;
  readonly dueAtMs: number;
  readonly entries: readonly TimelineEntry[];
}

/** What of a stored domain decides whether a change to it holds, and whether edges must hear of it. */
type Before = Pick<DomainColumns, "ownership" | "served" | "certificateId"> & {
  readonly version: number;
  readonly fence: number;
};

export function domainCommands(db: DatabaseSync, edgeRevision: Counter) {
  const find = db.prepare(
    `SELECT ownership, served, certificate_id AS "certificateId", version, fence
     FROM domains WHERE id = ?`,
  );
  const findHolder = db.prepare(
    "SELECT id FROM domains WHERE host = ? AND ownership = 'held' AND id <> ? AND id <> ?",
  );
  const findClaim = db.prepare(
    `SELECT id FROM domains WHERE project = ? AND host = ?
       AND ownership IN ('held', 'proof_needed') AND id <> ? AND id <> ?`,
  );
  const insert = db.prepare(
    `INSERT INTO domains (id, host, project, owner_id, ownership, ended_at_ms, served,
       certificate_id, state, due_at_ms, version, fence)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0)`,
  );
  const update = db.prepare(
    `UPDATE domains SET host = ?, project = ?, owner_id = ?, ownership = ?, ended_at_ms = ?,
       served = ?, certificate_id = ?, state = ?, due_at_ms = ?, version = version + 1
     WHERE id = ?`,
  );
  const findLastEntry = db.prepare(
    "SELECT number FROM domain_timeline WHERE domain_id = ? ORDER BY number DESC LIMIT 1",
  );
  const insertEntry = db.prepare(
    "INSERT INTO domain_timeline (domain_id, number, entry) VALUES (?, ?, ?)",
  );
  const forgetEntries = db.prepare(
    "DELETE FROM domain_timeline WHERE domain_id = ? AND number <= ?",
  );
  const findRoutingVersion = db.prepare("SELECT version FROM project_routing WHERE project = ?");
  const writeRouting = db.prepare(
    `INSERT INTO project_routing (project, version, routing) VALUES (?, ?, ?)
     ON CONFLICT (project) DO UPDATE SET version = excluded.version, routing = excluded.routing`,
  );
  const insertCertificate = db.prepare(
    `INSERT INTO certificates (id, host, chain_pem, sealed_key, issuer, not_before_ms,
       not_after_ms, renewal_name)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertAttempt = db.prepare(
    "INSERT INTO ca_attempts (host, registrable, kind, at_ms) VALUES (?, ?, ?, ?)",
  );

  function beforeOf(id: string): Before | undefined {
    return find.get(id) as unknown as Before | undefined;
  }

  /** Whether what must be in the store only once is there already, apart from two domains. */
  function isTaken({ id, host, project, ownership }: Domain, displaced = id): boolean {
    if (ownership.kind !== "held" && ownership.kind !== "proof_needed") return false;
    if (findClaim.get(project, host, id, displaced) !== undefined) return true;
    return ownership.kind === "held" && findHolder.get(host, id, displaced) !== undefined;
  }

  function insertRow(domain: Domain, dueAtMs: number): void {
    const { id, host, project, ownerId, ownership, endedAtMs, served, certificateId, state } =
      columnsOf(domain);
    insert.run(
      ...[id, host, project, ownerId, ownership, endedAtMs, served, certificateId, state],
      dueAtMs,
    );
    if (served === 1) edgeRevision.next();
  }

  function updateRow(domain: Domain, before: Before, dueAtMs: number | null): void {
    const { id, host, project, ownerId, ownership, endedAtMs, served, certificateId, state } =
      columnsOf(domain);
    update.run(
      ...[host, project, ownerId, ownership, endedAtMs, served, certificateId, state],
      dueAtMs,
      id,
    );
    if (
      ownership !== before.ownership ||
      served !== before.served ||
      certificateId !== before.certificateId
    ) {
      edgeRevision.next();
    }
  }

  function append(domainId: string, entries: readonly TimelineEntry[]): void {
    if (entries.length === 0) return;
    let last = Number(findLastEntry.get(domainId)?.number ?? 0);
    for (const entry of entries) insertEntry.run(domainId, ++last, JSON.stringify(entry));
    forgetEntries.run(domainId, last - timelineEntriesMax);
  }

  function isRoutingAt({ project, version }: RoutingChange): boolean {
    return (findRoutingVersion.get(project)?.version ?? 0) === version;
  }

  function replaceRouting({ project, routing, version }: RoutingChange): void {
    writeRouting.run(project, version + 1, JSON.stringify(routing));
    edgeRevision.next();
  }

  function storeCertificate(certificate: StoredCertificate): void {
    const { id, host, chainPem, sealedKey, issuer, notBeforeMs, notAfterMs } = certificate;
    const renewalName = certificate.renewalName ?? null;
    insertCertificate.run(
      ...[id, host, chainPem, sealedKey, issuer, notBeforeMs, notAfterMs, renewalName],
    );
  }

  function recordAttempt({ host, registrable, kind, atMs }: CaAttempt): void {
    insertAttempt.run(host, registrable, kind, atMs);
  }

  const holds = ({ domainId, fence }: Lease, id: string, before: Before | undefined) =>
    domainId === id && fence === before?.fence;

  return {
    addDomain({ domain, dueAtMs, entries }: DomainAddition): "added" | "taken" {
      if (isTaken(domain)) return "taken";
      insertRow(domain, dueAtMs);
      append(domain.id, entries);
      return "added";
    },

    changeDomain(change: DomainChange): ChangeOutcome {
      const { domain, version, lease, routing, displaces } = change;
      const before = beforeOf(domain.id);
      if (lease !== undefined && !holds(lease, domain.id, before)) return "fenced";
      if (before?.version !== version) return "changed";
      if (routing !== undefined && !isRoutingAt(routing)) return "changed";
      const displaced = displaces && beforeOf(displaces.domain.id);
      if (displaced?.version !== displaces?.version) return "changed";
      if (isTaken(domain, displaces?.domain.id)) return "taken";

      if (change.certificate !== undefined) storeCertificate(change.certificate);
      // Before the other, which may hold the name only once this one does not. It needs nothing any
      // more: that the name still leads here is as it should be.
      if (displaces && displaced) {
        updateRow(displaces.domain, displaced, null);
        append(displaces.domain.id, displaces.entries);
      }
      updateRow(domain, before, change.dueAtMs ?? null);
      append(domain.id, change.entries);
      for (const attempt of change.attempts ?? []) recordAttempt(attempt);
      if (routing !== undefined) replaceRouting(routing);
      return "done";
    },

    saveRouting(change: RoutingChange): "done" | "changed" {
      if (!isRoutingAt(change)) return "changed";
      replaceRouting(change);
      return "done";
    },

    recordAttempt,
  };
}
