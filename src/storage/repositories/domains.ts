import { then } from "../../core/maybePromise.ts";
import {
  type Domain,
  hasEnded,
  isOwnName,
  isPrepared,
  isServed,
} from "../../hosting/domains/domain.ts";
import { expiringMs } from "../../hosting/domains/domainEvents.ts";
import {
  attemptsMax,
  type CaAttempt,
  type ChangeOutcome,
  claimsMax,
  type DomainBeside,
  type DomainChange,
  type DomainStore,
  type ExpiryStore,
  type Lease,
  noRouting,
  type PageRequest,
  type RoutingChange,
  type StoredCertificate,
  type StoredDomain,
  type TimelineEntry,
  timelineEntriesMax,
  tombstonesPerProjectMax,
} from "../../hosting/domains/domains.ts";
import { recordEvents } from "./events.ts";
import { isRoutingAt, writeRouting } from "./projectRouting.ts";
import { domainEvents, findExpiring } from "./recording.ts";
import {
  byText,
  type Row,
  type Storage,
  type Transaction,
  type Value,
  type Writes,
} from "./storage.ts";

export function domainRepository(storage: Storage): DomainStore & ExpiryStore {
  const all = (text: string, values: readonly Value[]) =>
    then(storage.all<DomainRow>(text, values), (rows) => rows.map(storedDomainOf));
  const countOf = (text: string, value: string) =>
    then(storage.get<{ count: number }>(text, [value]), (row) => row?.count ?? 0);
  return {
    add: (domain, dueAtMs, entries, beside) =>
      storage.write("addDomain", { domain, dueAtMs, entries, beside }),
    change: (change) => storage.write("changeDomain", change),
    get: (id) => then(all(findDomain, [id]), ([stored]) => stored),
    holderOf: (host) => then(all(findHolder, [host]), ([stored]) => stored),
    claimsOn: (host) => all(findClaims, [host]),
    list(project) {
      const found =
        project === undefined ? all(listAllDomains, []) : all(listDomainsOfProject, [project]);
      return then(found, (domains) => domains.sort(byText(({ domain }) => domain.host)));
    },
    page: (request) => {
      const { text, values } = pageQuery(request);
      return all(text, values);
    },
    count: (project) => countOf(countDomains, project),
    countUncertified: (ownerId) => countOf(countUncertified, ownerId),
    attached: (project, host) => then(all(findAttached, [project, host]), ([stored]) => stored),
    ownNames: () => all(listOwnNames, []),
    timeline: (domainId, limit) =>
      then(storage.all<{ entry: string }>(readTimeline, [domainId, limit]), (rows) =>
        rows.map(({ entry }) => JSON.parse(entry)),
      ),

    routing: (project) =>
      then(storage.get<{ routing: string; version: number }>(findRouting, [project]), (row) =>
        row === undefined
          ? { routing: noRouting, version: 0 }
          : { routing: JSON.parse(row.routing), version: row.version },
      ),
    saveRouting: (change) => storage.write("saveRouting", change),

    takeDue: (request) => storage.write("takeDueDomains", request),
    extendLease: (lease, untilMs) => storage.write("extendLease", { lease, untilMs }),
    endLease: (lease) => storage.write("endLease", lease),

    certificateFor: (host, validAfterMs) =>
      storage.get<StoredCertificate>(findNewestCertificate, [host, validAfterMs]),
    attempts: ({ host, registrable }, sinceMs) =>
      then(storage.all<CaAttempt>(listAttempts, [host, registrable, sinceMs]), (newest) =>
        newest.reverse(),
      ),
    recordAttempt: (attempt) => storage.write("recordAttempt", attempt),
    async recordExpiry(nowMs) {
      const [expiring] = await storage.all(findExpiring, [nowMs, 1, nowMs + expiringMs]);
      return expiring !== undefined && (await storage.write("recordCertificateExpiry", nowMs));
    },
    publishChallenge: (challenge) => storage.write("publishChallenge", challenge),
    async sweep(nowMs) {
      // In several commits, so that other writes need not wait for all of it.
      while (await storage.write("sweepDomains", nowMs));
    },
  };
}

export interface DomainRow {
  readonly state: string;
  readonly version: number;
  readonly paid: number;
  readonly deployed: number;
}

/** The columns of `DomainRow`, with the owner's standing in the same snapshot. */
export const selectDomains = `SELECT domains.state, domains.version,
    domains.project IS NULL OR owners.plan = 'paid' AS paid,
    domains.project IS NULL OR projects.current IS NOT NULL AS deployed
  FROM domains
  LEFT JOIN owners ON owners.id = domains.owner_id
  LEFT JOIN projects ON projects.slug = domains.project`;

export function storedDomainOf({ state, version, paid, deployed }: DomainRow): StoredDomain {
  const standing = { paid: paid === 1, deployed: deployed === 1 };
  // One that was stored before there were targets gets its own with the next check.
  return { domain: { target: "", ...JSON.parse(state) }, version, standing };
}

/** What the columns repeat of a domain, from `id` to `state`. */
function domainColumns(domain: Domain): Row {
  const { id, host, project, ownerId, ownership, certificate } = domain;
  const endedAtMs = "atMs" in ownership ? ownership.atMs : undefined;
  const served = [isServed(domain), isPrepared(domain), certificate.held?.id, domain.hsts];
  const owned = isOwnName(domain) ? [undefined, undefined] : [project, ownerId];
  return [id, host, ...owned, ownership.kind, endedAtMs, ...served, JSON.stringify(domain)];
}

export const findDomain = `${selectDomains} WHERE domains.id = ?1`;
export const findHolder = `${selectDomains}
  WHERE domains.host = ?1 AND domains.ownership = 'held'`;
export const findClaims = `${selectDomains} WHERE domains.host = ?1
  ORDER BY domains.ordinal DESC LIMIT ${claimsMax}`;
export const listAllDomains = `${selectDomains}
  WHERE domains.project IS NOT NULL AND domains.ownership IN ('held', 'proof_needed')
  ORDER BY domains.host, domains.ordinal`;
/** Those that have not ended. */
const whereListed = "domains.ownership IN ('held', 'proof_needed')";
const countDomains = `SELECT count(*) AS count FROM domains
  WHERE domains.project = ?1 AND ${whereListed}`;
/** Prepared ones, which have an order open at the authority. */
export const countUncertified = `SELECT count(*) AS count
  FROM projects JOIN domains ON domains.project = projects.slug
  WHERE projects.owner_id = ?1 AND domains.prepared AND domains.certificate_id IS NULL
    AND ${whereListed}`;
export const findAttached = `${selectDomains}
  WHERE domains.project = ?1 AND domains.host = ?2 AND ${whereListed}`;

const whereShown = `(${whereListed} OR domains.ownership = 'abandoned'
    AND NOT EXISTS (SELECT 1 FROM domains AS later WHERE later.host = domains.host
      AND later.project = domains.project AND later.ordinal > domains.ordinal))`;

/** By code units, for the index `domains_listed`. */
const ofProject = 'domains.project COLLATE "C"';
const inProject = 'domains.host COLLATE "C", domains.id';

export function pageQuery({ project, ownerId, search, after, limit }: PageRequest) {
  const values: Value[] = [];
  const bound = (...all: Value[]) => all.map((value) => `?${values.push(value)}`).join(", ");
  const conditions = [
    whereShown,
    project === undefined ? "domains.project IS NOT NULL" : `${ofProject} = ${bound(project)}`,
  ];
  if (ownerId !== undefined) conditions.push(`domains.owner_id = ${bound(ownerId)}`);
  if (search !== undefined) {
    const pattern = bound(`%${search.replace(/[!%_]/g, "!$&")}%`);
    // Encoded labels contain no part of what they stand for.
    conditions.push(`(domains.host LIKE ${pattern} ESCAPE '!' OR domains.host LIKE '%xn--%')`);
  }
  if (after !== undefined) {
    const { host, id } = after;
    const later =
      project === undefined
        ? `(${ofProject}, ${inProject}) > (${bound(after.project, host, id)})`
        : `(${inProject}) > (${bound(host, id)})`;
    conditions.push(later);
  }
  const text = `${selectDomains} WHERE ${conditions.join(" AND ")}
    ORDER BY ${ofProject}, ${inProject} LIMIT ${bound(limit)}`;
  return { text, values };
}

export const listOwnNames = `${selectDomains}
  WHERE domains.project IS NULL AND domains.ownership = 'held'`;
export const listDomainsOfProject = `${selectDomains}
  WHERE domains.project = ?1 AND domains.ownership IN ('held', 'proof_needed')
  ORDER BY domains.host`;
export const readTimeline = `SELECT entry FROM domain_timeline WHERE domain_id = ?1
  ORDER BY number DESC LIMIT ?2`;
const findRouting = "SELECT routing, version FROM project_routing WHERE project = ?1";
export const findNewestCertificate = `SELECT id, host, chain_pem AS "chainPem",
    sealed_key AS "sealedKey", issuer, not_before_ms AS "notBeforeMs",
    not_after_ms AS "notAfterMs", renewal_name AS "renewalName"
  FROM certificates WHERE host = ?1 AND not_after_ms > ?2
  ORDER BY not_before_ms DESC, id DESC LIMIT 1`;
// The newest ones, if there are more: most rate limits count these.
export const listAttempts = `SELECT host, registrable, kind, at_ms AS "atMs" FROM ca_attempts
  WHERE (host = ?1 AND at_ms >= ?3) OR (registrable = ?2 AND at_ms >= ?3)
  ORDER BY at_ms DESC, ordinal DESC LIMIT ${attemptsMax}`;

interface DomainAddition extends Omit<DomainBeside, "routing"> {
  readonly beside: DomainBeside | undefined;
}

/** What decides whether a change to a stored domain is valid, and whether edges must reload it. */
interface Before {
  readonly id: string;
  readonly ownership: Domain["ownership"]["kind"];
  readonly served: number;
  readonly prepared: number | undefined;
  readonly certificateId: string | undefined;
  readonly hsts: string | undefined;
  readonly version: number;
  readonly fence: number;
  readonly state: string;
}

/**
 * The writes to domains. Writes to the same domain run one after the other, by the lock of its row.
 * Rows are locked in one order: the last ordinal, domains by id, the routing, the revision of the
 * edges, and finally the events.
 */
export const domainWrites = {
  async addDomain(tx, { beside, ...addition }: DomainAddition): Promise<"added" | "taken"> {
    const additions = beside === undefined ? [addition] : [addition, beside];
    const ordinals: (number | null)[] = [];
    for (const _ of additions) ordinals.push(await tx.ordinal());
    for (const { domain } of additions) if (await isTaken(tx, domain)) return "taken";
    const routing = beside?.routing;
    if (routing !== undefined && !(await isRoutingAt(tx, routing))) return "taken";
    for (const [index, { domain, dueAtMs, entries }] of additions.entries()) {
      await tx.run(insertDomain, [...domainColumns(domain), dueAtMs, ordinals[index]]);
      await append(tx, domain.id, entries);
    }
    const routed = await writeRouting(tx, routing);
    const heard = routing !== undefined || additions.some(({ domain }) => isServed(domain));
    const before = new Map(additions.map(({ domain }) => [domain.id, undefined]));
    const own = await domainEvents(tx, [...before.keys()], before);
    if (heard) await tx.advance("edge_revision");
    await recordEvents(tx, [...own, ...routed]);
    return "added";
  },

  async changeDomain(tx, change: DomainChange): Promise<ChangeOutcome> {
    const { domain, version, lease, routing, displaces, attempts = [] } = change;
    const attemptRows = await attemptRowsOf(tx, attempts);
    const ids = displaces === undefined ? [domain.id] : [domain.id, displaces.domain.id];
    const stored = await tx.all<Before>(lockDomains, [ids]);
    const before = stored.find(({ id }) => id === domain.id);
    if (lease !== undefined && !holds(lease, domain.id, before)) return "fenced";
    if (before?.version !== version) return "changed";
    if (routing !== undefined && !(await isRoutingAt(tx, routing))) return "changed";
    const displaced = displaces && stored.find(({ id }) => id === displaces.domain.id);
    if (displaced?.version !== displaces?.version) return "changed";
    if (await isTaken(tx, domain, displaces?.domain.id)) return "taken";

    if (change.certificate !== undefined) await insertCertificate(tx, change.certificate);
    let servedOtherwise = routing !== undefined;
    // First, because of the unique index: only one domain may hold the name. The displaced domain
    // is not due any more: it is right that the name still points here.
    if (displaces && displaced) {
      if (await replace(tx, displaces.domain, displaced, undefined)) servedOtherwise = true;
      await append(tx, displaces.domain.id, displaces.entries);
    }
    if (await replace(tx, domain, before, change.dueAtMs)) servedOtherwise = true;
    await append(tx, domain.id, change.entries);
    for (const each of [domain, ...(displaces ? [displaces.domain] : [])]) {
      if (hasEnded(each)) await removeOldTombstones(tx, each.project);
    }
    await tx.insertAll(insertAttempt, attemptRows);
    const routed = await writeRouting(tx, routing);
    const old = new Map(stored.map(({ id, state }) => [id, JSON.parse(state) as Domain]));
    const own = await domainEvents(tx, ids, old);
    if (servedOtherwise) await tx.advance("edge_revision");
    await recordEvents(tx, [...own, ...routed]);
    return "done";
  },

  async saveRouting(tx, change: RoutingChange): Promise<"done" | "changed"> {
    if (!(await isRoutingAt(tx, change))) return "changed";
    const routed = await writeRouting(tx, change);
    await tx.advance("edge_revision");
    await recordEvents(tx, routed);
    return "done";
  },

  async recordAttempt(tx, attempt: CaAttempt): Promise<void> {
    await tx.insertAll(insertAttempt, await attemptRowsOf(tx, [attempt]));
  },
} satisfies Writes;

/** Whether another domain, apart from these two, already has what must be unique. */
async function isTaken(tx: Transaction, domain: Domain, displaced = domain.id): Promise<boolean> {
  const { id, host, project, ownership } = domain;
  if (ownership.kind !== "held" && ownership.kind !== "proof_needed") return false;
  if ((await tx.get(findClaim, [project, host, id, displaced])) !== undefined) return true;
  if (ownership.kind !== "held") return false;
  return (await tx.get(findOtherHolder, [host, id, displaced])) !== undefined;
}

function holds({ domainId, fence }: Lease, id: string, before: Before | undefined): boolean {
  return domainId === id && fence === before?.fence;
}

/** Whether edges must reload it. */
async function replace(
  tx: Transaction,
  domain: Domain,
  before: Before,
  dueAtMs: number | undefined,
): Promise<boolean> {
  await tx.run(updateDomain, [...domainColumns(domain), dueAtMs]);
  return (
    domain.ownership.kind !== before.ownership ||
    Number(isServed(domain)) !== before.served ||
    isPrepared(domain) !== (before.prepared === 1) ||
    domain.certificate.held?.id !== before.certificateId ||
    domain.hsts !== before.hsts
  );
}

/** Under the lock of the domain, so that entries are numbered without gaps. */
async function append(
  tx: Transaction,
  domainId: string,
  entries: readonly TimelineEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const last = (await tx.get<{ number: number }>(lastEntry, [domainId]))?.number ?? 0;
  await tx.insertAll(
    "INSERT INTO domain_timeline (domain_id, number, entry) VALUES (?1, ?2, ?3)",
    entries.map((entry, index) => [domainId, last + 1 + index, JSON.stringify(entry)]),
  );
  const removedUpTo = last + entries.length - timelineEntriesMax;
  if (removedUpTo <= 0) return;
  await tx.run(removeEntries, [domainId, removedUpTo]);
}

/** Skips locked rows; the next call removes them. */
async function removeOldTombstones(tx: Transaction, project: string): Promise<void> {
  const found = await tx.all<{ id: string }>(findOldTombstones, [project]);
  if (found.length === 0) return;
  const ids = found.map(({ id }) => id);
  await tx.run("DELETE FROM domain_timeline WHERE domain_id = ANY(?1)", [ids]);
  await tx.run("DELETE FROM domains WHERE id = ANY(?1)", [ids]);
}

async function insertCertificate(tx: Transaction, certificate: StoredCertificate): Promise<void> {
  const { id, host, chainPem, sealedKey, issuer, notBeforeMs, notAfterMs } = certificate;
  await tx.run(
    `INSERT INTO certificates (id, host, chain_pem, sealed_key, issuer, not_before_ms,
       not_after_ms, renewal_name)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
    [id, host, chainPem, sealedKey, issuer, notBeforeMs, notAfterMs, certificate.renewalName],
  );
}

async function attemptRowsOf(tx: Transaction, attempts: readonly CaAttempt[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { host, registrable, kind, atMs } of attempts) {
    rows.push([await tx.ordinal(), host, registrable, kind, atMs]);
  }
  return rows;
}

const lockDomains = `SELECT id, ownership, served, prepared, certificate_id AS "certificateId", hsts,
    version, fence, state
  FROM domains WHERE id = ANY(?1) ORDER BY id FOR UPDATE`;
// More than one, to catch up; few, to keep the write short.
export const findOldTombstones = `SELECT id FROM domains WHERE id IN (
    SELECT id FROM domains WHERE project = ?1 AND ended_at_ms IS NOT NULL
    ORDER BY ended_at_ms DESC LIMIT 10 OFFSET ${tombstonesPerProjectMax})
  FOR UPDATE SKIP LOCKED`;
const findClaim = `SELECT id FROM domains WHERE project = ?1 AND host = ?2
  AND ownership IN ('held', 'proof_needed') AND id <> ?3 AND id <> ?4`;
const findOtherHolder = `SELECT id FROM domains
  WHERE host = ?1 AND ownership = 'held' AND id <> ?2 AND id <> ?3`;
const insertDomain = `INSERT INTO domains (id, host, project, owner_id, ownership, ended_at_ms,
    served, prepared, certificate_id, hsts, state, due_at_ms, ordinal, version, fence)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 1, 0)`;
const updateDomain = `UPDATE domains SET host = ?2, project = ?3, owner_id = ?4, ownership = ?5,
    ended_at_ms = ?6, served = ?7, prepared = ?8, certificate_id = ?9, hsts = ?10, state = ?11,
    due_at_ms = ?12, version = version + 1
  WHERE id = ?1`;
export const lastEntry = `SELECT number FROM domain_timeline WHERE domain_id = ?1
  ORDER BY number DESC LIMIT 1`;
const removeEntries = "DELETE FROM domain_timeline WHERE domain_id = ?1 AND number <= ?2";
const insertAttempt = `INSERT INTO ca_attempts (ordinal, host, registrable, kind, at_ms)
  VALUES (?1, ?2, ?3, ?4, ?5)`;
