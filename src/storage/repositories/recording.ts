/** Reads what events tell of sites and domains, under the locks of the write that changed them. */
import type { Domain, Standing } from "../../hosting/domains/domain.ts";
import {
  domainEvent,
  eventsOf,
  expiringMs,
  expiringPart,
  type Milestone,
} from "../../hosting/domains/domainEvents.ts";
import type { Deployment } from "../../hosting/sites/deployment.ts";
import {
  deploymentEvent,
  type ProjectState,
  projectEventsOf,
} from "../../hosting/sites/siteEvents.ts";
import type { EventType, NewEvent } from "../../petstore/events/events.ts";
import { recordEvents } from "./events.ts";
import type { Transaction, Writes } from "./storage.ts";

export async function readProject(
  tx: Transaction,
  slug: string,
): Promise<ProjectState | undefined> {
  return tx.get<ProjectState>(findProject, [slug]);
}

/** Compares a project with what it was. */
export async function projectEvents(
  tx: Transaction,
  slug: string,
  before: ProjectState | undefined,
): Promise<NewEvent[]> {
  const after = await readProject(tx, slug);
  return after === undefined ? [] : projectEventsOf(before, after);
}

export async function deploymentEvents(
  tx: Transaction,
  type: "deployment.published" | "deployment.failed",
  ids: readonly string[],
): Promise<NewEvent[]> {
  const found = await tx.all<Deployment>(findDeployments, [ids]);
  return found.map((deployment) => deploymentEvent(type, deployment));
}

interface MilestoneRow {
  readonly state: string;
  readonly milestone: Milestone | undefined;
  readonly paid: number;
  readonly deployed: number;
}

/**
 * Of domains that the write has locked: what changed since their last event, and of those that were
 * changed, since `before`. Read now, so that a plan that was changed meanwhile is seen: whoever
 * changes it locks the domains, too. `also` has events of them that no change shows.
 */
export async function domainEvents(
  tx: Transaction,
  ids: readonly string[],
  before: ReadonlyMap<string, Domain | undefined> = new Map(),
  also: ReadonlyMap<string, EventType> = new Map(),
): Promise<NewEvent[]> {
  const rows = await tx.all<MilestoneRow>(findMilestones, [ids]);
  const events: NewEvent[] = [];
  for (const { state, milestone: last, paid, deployed } of rows) {
    const domain: Domain = JSON.parse(state);
    const { id } = domain;
    const old = before.has(id) ? before.get(id) : domain;
    const known = { milestone: last, domain: old };
    const standing: Standing = { paid: paid === 1, deployed: deployed === 1 };
    const { milestone, events: own } = eventsOf(known, { domain, standing }, tx.nowMs);
    if (milestone !== last) await tx.run(setMilestone, [id, milestone]);
    const type = also.get(id);
    if (type !== undefined) events.push(domainEvent(type, { domain, standing }, tx.nowMs));
    events.push(...own);
  }
  return events;
}

/** After their owner's standing has changed, of a project or of all. */
export async function standingEvents(
  tx: Transaction,
  of: keyof typeof lockHeld,
  id: string,
): Promise<NewEvent[]> {
  const held = await tx.all<{ id: string }>(lockHeld[of], [id]);
  return domainEvents(
    tx,
    held.map(({ id }) => id),
  );
}

export const expiryWrites = {
  /** The mark decides: what another process did since the rows were found is not seen in them. */
  async recordCertificateExpiry(tx, nowMs: number): Promise<boolean> {
    const found = await tx.all<ExpiringRow>(`${findExpiring} FOR UPDATE OF domains SKIP LOCKED`, [
      ...[nowMs, recordedAtOnceMax, nowMs + expiringMs],
    ]);
    const expiring = new Map<string, EventType>();
    for (const { id, certificateId } of found) {
      const marked = await tx.run(markExpiring, [certificateId, nowMs]);
      if (marked > 0) expiring.set(id, "certificate.expiring");
    }
    const ids = found.map(({ id }) => id);
    await recordEvents(tx, await domainEvents(tx, ids, new Map(), expiring));
    return found.length === recordedAtOnceMax;
  },
} satisfies Writes;

/** Few, because other writes wait. */
const recordedAtOnceMax = 100;

interface ExpiringRow {
  readonly id: string;
  readonly certificateId: string;
}

// The second condition is for those that have expired, whose status has changed by that.
export const findExpiring = `SELECT domains.id, certificates.id AS "certificateId"
  FROM certificates JOIN domains ON domains.certificate_id = certificates.id
  WHERE certificates.not_after_ms <= ?3
    AND (certificates.not_after_ms - ?1) * ${expiringPart}
      <= certificates.not_after_ms - certificates.not_before_ms
    AND domains.ownership = 'held'
    AND (certificates.expiry_recorded_at_ms IS NULL
      OR certificates.not_after_ms <= ?1 AND domains.milestone IN ('verified', 'live'))
  ORDER BY domains.id LIMIT ?2`;
const markExpiring = `UPDATE certificates SET expiry_recorded_at_ms = ?2
  WHERE id = ?1 AND expiry_recorded_at_ms IS NULL`;

const findProject = `SELECT slug, owner_id AS "ownerId", created_at_ms AS "createdAtMs", current,
    routing
  FROM projects LEFT JOIN project_routing ON project = slug WHERE slug = ?1`;
const findDeployments = `SELECT id, project, state, created_at_ms AS "createdAtMs",
    changed_at_ms AS "changedAtMs", files, bytes, fingerprint, failure
  FROM deployments WHERE id = ANY(?1) ORDER BY ordinal`;
const findMilestones = `SELECT domains.state, domains.milestone,
    domains.project IS NULL OR owners.plan = 'paid' AS paid,
    domains.project IS NULL OR projects.current IS NOT NULL AS deployed
  FROM domains
  LEFT JOIN owners ON owners.id = domains.owner_id
  LEFT JOIN projects ON projects.slug = domains.project
  WHERE domains.id = ANY(?1) ORDER BY domains.id`;
const setMilestone = "UPDATE domains SET milestone = ?2 WHERE id = ?1";
/** By the projects of an owner, which have an index, as their domains have. */
export const lockHeld = {
  project: `SELECT id FROM domains WHERE project = ?1 AND ownership = 'held'
    ORDER BY id FOR UPDATE`,
  owner: `SELECT id FROM domains
    WHERE project IN (SELECT slug FROM projects WHERE owner_id = ?1) AND ownership = 'held'
    ORDER BY id FOR UPDATE`,
};
