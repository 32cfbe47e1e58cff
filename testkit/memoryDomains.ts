import {
  type Domain,
  isOwnName,
  isPrepared,
  isReached,
  isServed,
  isUncertified,
  type Standing,
} from "../src/hosting/domains/domain.ts";
import {
  type CaAttempt,
  type ChangeOutcome,
  claimsMax,
  type DomainBeside,
  type DomainChange,
  type DomainPosition,
  type DomainStore,
  type Lease,
  noRouting,
  type PageRequest,
  type RoutingChange,
  type StoredCertificate,
  type StoredDomain,
  type TimelineEntry,
  timelineEntriesMax,
  tombstonesPerProjectMax,
} from "../src/hosting/domains/domains.ts";
import {
  type Edge,
  type EdgeView,
  type Route,
  routeFor,
  type ServedCertificate,
} from "../src/hosting/domains/edgeView.ts";
import type { Routing } from "../src/hosting/domains/routing.ts";
import type { SiteStore } from "../src/hosting/sites/sites.ts";
import { DueRows } from "./dueRows.ts";
import { MemoryAttempts } from "./memoryAttempts.ts";
import { MemoryCertificates } from "./memoryCertificates.ts";
import { compare, here } from "./memorySites.ts";

interface Row {
  domain: Domain;
  readonly ordinal: number;
  version: number;
  dueAtMs: number | undefined;
  leasedUntilMs: number | undefined;
  /** The number of the latest lease, also once that has ended. */
  fence: number;
  timeline: TimelineEntry[];
}

type PublishedChallenge = Parameters<DomainStore["publishChallenge"]>[0];
type SitesAsked = Pick<SiteStore, "owner" | "project" | "revision">;

const dayMs = 24 * 3_600_000;

/**
 * Domains in memory, with the promises of a store that several workers and edges share. It has
 * indexes, since a simulation asks for thousands of domains all the time.
 */
export class MemoryDomains implements DomainStore, EdgeView {
  readonly #sites: SitesAsked;
  /** In the order in which they were added. */
  readonly #rows = new Map<string, Row>();
  readonly #routings = new Map<string, { routing: Routing; version: number }>();
  readonly #certificates = new MemoryCertificates();
  readonly #byHost = new Map<string, Row[]>();
  readonly #byProject = new Map<string, Set<Row>>();
  readonly #attempts = new MemoryAttempts();
  readonly #waiting = new DueRows<Row>();
  readonly #challenges = new Map<string, PublishedChallenge>();
  readonly #edges = new Map<string, Edge>();
  #lastFence = 0;
  #lastOrdinal = 0;
  #revision = 0;

  constructor(sites: SitesAsked) {
    this.#sites = sites;
  }

  async add(
    domain: Domain,
    dueAtMs: number,
    entries: readonly TimelineEntry[],
    beside?: DomainBeside,
  ): Promise<"added" | "taken"> {
    if (this.#isTaken(domain)) return "taken";
    this.#requireStorable(domain, dueAtMs);
    const { routing } = beside ?? {};
    if (routing && this.routing(routing.project).version !== routing.version) return "taken";
    const both = beside && (await this.add(beside.domain, beside.dueAtMs, beside.entries));
    if (both === "taken") return both;
    if (routing !== undefined) this.#keepRouting(routing);
    const ordinal = ++this.#lastOrdinal;
    const row: Row = {
      domain,
      ordinal,
      version: 1,
      dueAtMs,
      leasedUntilMs: undefined,
      fence: 0,
      timeline: entries.slice(-timelineEntriesMax),
    };
    this.#rows.set(domain.id, row);
    this.#byHost.set(domain.host, [...this.#rowsAt(domain.host), row]);
    this.#inProject(domain.project).add(row);
    this.#waiting.expect(row, dueAtMs);
    if (isServed(domain)) this.#revision += 1;
    return "added";
  }

  async change(change: DomainChange): Promise<ChangeOutcome> {
    const { domain, version, dueAtMs, lease, routing, displaces, certificate } = change;
    const row = this.#rows.get(domain.id);
    if (lease !== undefined && (lease.domainId !== domain.id || lease.fence !== row?.fence)) {
      return "fenced";
    }
    if (row?.version !== version) return "changed";
    if (routing !== undefined && this.routing(routing.project).version !== routing.version) {
      return "changed";
    }
    const displaced = displaces && this.#rows.get(displaces.domain.id);
    if (displaced?.version !== displaces?.version) return "changed";
    if (this.#isTaken(domain, displaces?.domain.id)) return "taken";

    this.#requireStorable(domain, dueAtMs, certificate);
    if (certificate !== undefined) this.#certificates.keep(certificate);
    if (displaces && displaced) {
      this.#replace(displaced, displaces.domain, undefined);
      displaced.timeline = [...displaced.timeline, ...displaces.entries].slice(-timelineEntriesMax);
    }
    this.#replace(row, domain, dueAtMs);
    row.timeline = [...row.timeline, ...change.entries].slice(-timelineEntriesMax);
    for (const attempt of change.attempts ?? []) this.#attempts.keep(attempt);
    if (routing !== undefined) this.#keepRouting(routing);
    return "done";
  }

  #replace(row: Row, domain: Domain, dueAtMs: number | undefined): void {
    const before = row.domain;
    row.domain = domain;
    this.#inProject(before.project).delete(row);
    this.#inProject(domain.project).add(row);
    row.version += 1;
    row.dueAtMs = dueAtMs;
    if (dueAtMs !== undefined) this.#waiting.expect(row, dueAtMs);
    if (servedAs(before) !== servedAs(domain)) this.#revision += 1;
    if (endOf(row) !== undefined) this.#removeOldTombstones(domain.project);
  }

  #inProject(project: string): Set<Row> {
    const rows = this.#byProject.get(project) ?? new Set();
    this.#byProject.set(project, rows);
    return rows;
  }

  /** Whether what must be here only once is here already, apart from two domains. */
  #isTaken({ id, host, project, ownership }: Domain, displaced = id): boolean {
    if (!isOpen(ownership)) return false;
    return this.#rowsAt(host).some(({ domain: other }) => {
      if (other.id === id || other.id === displaced) return false;
      if (other.project === project && isOpen(other.ownership)) return true;
      return ownership.kind === "held" && other.ownership.kind === "held";
    });
  }

  #requireStorable(
    { project, ownerId, certificate }: Domain,
    dueAtMs: number | undefined,
    arriving?: StoredCertificate,
  ): void {
    const known = project === "" || (this.#sites.project(project) && this.#sites.owner(ownerId));
    if (!known) throw new Error(`There is no ${project}.`);
    if (dueAtMs !== undefined && !Number.isSafeInteger(dueAtMs)) {
      throw new Error(`${dueAtMs} is no whole number of milliseconds.`);
    }
    const { held } = certificate;
    if (held !== undefined && held.id !== arriving?.id && !this.#certificates.get(held.id)) {
      throw new Error(`The certificate ${held.id} is not stored.`);
    }
  }

  get(id: string): StoredDomain | undefined {
    const row = this.#rows.get(id);
    return row && this.#stored(row);
  }

  holderOf(host: string): StoredDomain | undefined {
    const row = this.#rowsAt(host).find(({ domain }) => domain.ownership.kind === "held");
    return row && this.#stored(row);
  }

  claimsOn(host: string): readonly StoredDomain[] {
    return this.#rowsAt(host)
      .toReversed()
      .slice(0, claimsMax)
      .map((row) => this.#stored(row));
  }

  list(project?: string): readonly StoredDomain[] {
    const rows = project === undefined ? this.#rows.values() : this.#inProject(project);
    return [...rows]
      .filter(({ domain }) => isOpen(domain.ownership) && (project === "" || !isOwnName(domain)))
      .toSorted((one, other) => compare(one.domain.host, other.domain.host))
      .map((row) => this.#stored(row));
  }

  page({ project, ownerId, search = "", after, limit }: PageRequest): readonly StoredDomain[] {
    const textOf = ({ project, host, id }: DomainPosition) => `${project} ${host} ${id}`;
    const isLast = ({ domain }: Row) =>
      domain ===
      this.#rowsAt(domain.host).findLast((row) => row.domain.project === domain.project)?.domain;
    const abandoned = [...this.#rows.values()].filter(
      (row) => row.domain.ownership.kind === "abandoned" && isLast(row),
    );
    return [...this.list(project), ...abandoned.map((row) => this.#stored(row))]
      .filter(({ domain }) => domain.project === (project ?? domain.project))
      .filter(({ domain }) => domain.ownerId === (ownerId ?? domain.ownerId))
      .filter(({ domain: { host } }) => host.includes(search) || host.includes("xn--"))
      .filter(({ domain }) => after === undefined || textOf(domain) > textOf(after))
      .toSorted((one, other) => compare(textOf(one.domain), textOf(other.domain)))
      .slice(0, limit);
  }

  count = (project: string) => this.list(project).length;
  countUncertified = (id: string) =>
    this.list().filter(({ domain }) => domain.ownerId === id && isUncertified(domain)).length;

  attached = (project: string, host: string) =>
    this.list(project).find(({ domain }) => domain.host === host);

  ownNames = () => this.list("");

  timeline = (domainId: string, limit: number) =>
    (this.#rows.get(domainId)?.timeline ?? []).toReversed().slice(0, limit);

  #stored({ domain, version }: Row): StoredDomain {
    return { domain, version, standing: this.#standing(domain) };
  }

  #standing({ ownerId, project }: Domain): Standing {
    const own = project === "";
    const paid = own || here(this.#sites.owner(ownerId))?.plan === "paid";
    return { paid, deployed: own || here(this.#sites.project(project))?.current !== undefined };
  }

  routing(project: string): { readonly routing: Routing; readonly version: number } {
    return this.#routings.get(project) ?? { routing: noRouting, version: 0 };
  }

  async saveRouting(change: RoutingChange): Promise<"done" | "changed"> {
    if (this.routing(change.project).version !== change.version) return "changed";
    this.#keepRouting(change);
    return "done";
  }

  #keepRouting({ project, routing, version }: RoutingChange): void {
    this.#routings.set(project, { routing: structuredClone(routing), version: version + 1 });
    this.#revision += 1;
  }

  async takeDue({ nowMs, untilMs, max }: Parameters<DomainStore["takeDue"]>[0]) {
    return this.#waiting
      .dueAt(nowMs)
      .toSorted(
        (one, other) => (one.dueAtMs ?? 0) - (other.dueAtMs ?? 0) || one.ordinal - other.ordinal,
      )
      .slice(0, max)
      .map((row) => {
        this.#lastFence += 1;
        row.fence = this.#lastFence;
        row.leasedUntilMs = untilMs;
        return { ...this.#stored(row), lease: { domainId: row.domain.id, fence: row.fence } };
      });
  }

  async extendLease(lease: Lease, untilMs: number): Promise<boolean> {
    const row = this.#leased(lease);
    if (row !== undefined) row.leasedUntilMs = untilMs;
    return row !== undefined;
  }

  async endLease(lease: Lease): Promise<void> {
    const row = this.#leased(lease);
    if (row !== undefined) row.leasedUntilMs = undefined;
  }

  #leased({ domainId, fence }: Lease): Row | undefined {
    const row = this.#rows.get(domainId);
    return row?.fence === fence && row.leasedUntilMs !== undefined ? row : undefined;
  }

  certificateFor(host: string, validAfterMs: number): StoredCertificate | undefined {
    return this.#certificates.newest(host, validAfterMs);
  }

  attempts(of: { host: string; registrable: string }, sinceMs: number): readonly CaAttempt[] {
    return this.#attempts.since(of, sinceMs);
  }

  async recordAttempt(attempt: CaAttempt): Promise<void> {
    this.#attempts.keep(attempt);
  }

  #rowsAt(host: string): readonly Row[] {
    return this.#byHost.get(host) ?? [];
  }

  async publishChallenge(challenge: PublishedChallenge): Promise<boolean> {
    if (this.#leased(challenge.lease) === undefined) return false;
    this.#challenges.set(`${challenge.host} ${challenge.token}`, challenge);
    return true;
  }

  async sweep(nowMs: number): Promise<void> {
    for (const row of this.#rows.values()) {
      if (nowMs - (endOf(row) ?? nowMs) > 30 * dayMs) this.#remove(row);
    }
    for (const [key, { expiresAtMs }] of this.#challenges) {
      if (expiresAtMs <= nowMs) this.#challenges.delete(key);
    }
    this.#attempts.removeBefore(nowMs - 8 * dayMs);
    const rows = [...this.#rows.values()];
    const heldIds = new Set(rows.map(({ domain }) => domain.certificate.held?.id));
    this.#certificates.removeExpired(nowMs - 30 * dayMs, heldIds);
    for (const [id, { seenAtMs }] of this.#edges) {
      if (nowMs - seenAtMs > dayMs) this.#edges.delete(id);
    }
  }

  #remove(row: Row): void {
    const { id, host, project } = row.domain;
    this.#rows.delete(id);
    const others = this.#rowsAt(host).filter((each) => each !== row);
    this.#byHost.set(host, others);
    this.#inProject(project).delete(row);
    row.dueAtMs = undefined;
  }

  #removeOldTombstones(project: string): void {
    const ended = [...this.#inProject(project)].filter((row) => endOf(row) !== undefined);
    ended.sort((one, other) => (endOf(other) ?? 0) - (endOf(one) ?? 0));
    for (const row of ended.slice(tombstonesPerProjectMax)) this.#remove(row);
  }

  route(host: string, nowMs = 0): Route | undefined {
    const domain = this.#served(host);
    const deployment = here(this.#sites.project(domain?.project ?? ""))?.current;
    if (deployment === undefined || !domain || !this.#standing(domain).paid) return undefined;
    const { project, hsts } = domain;
    const prepared = isPrepared(domain) || undefined;
    const site = { project, deployment, hsts, prepared, routing: this.routing(project).routing };
    const reached = (to: string) =>
      this.#rowsAt(to).some(({ domain: d }) => isReached(d, nowMs) && d.project === project);
    return here(routeFor(host, site, reached));
  }

  certificate(host: string): ServedCertificate | undefined {
    const { certificate, hsts } = this.#served(host) ?? {};
    const found = this.#certificates.get(certificate?.held?.id);
    const { id = "", chainPem = "", sealedKey = "" } = found ?? {};
    return found && { id, host, chainPem, sealedKey, hsts };
  }

  #served(host: string): Domain | undefined {
    return this.#rowsAt(host).find((row) => isServed(row.domain))?.domain;
  }

  challenge(host: string, token: string, nowMs: number): string | undefined {
    const { expiresAtMs = 0, keyAuthorization } = this.#challenges.get(`${host} ${token}`) ?? {};
    return expiresAtMs > nowMs ? keyAuthorization : undefined;
  }

  revision(): number {
    return this.#revision + this.#sites.revision();
  }

  async reportEdge(edge: Edge): Promise<void> {
    this.#edges.set(edge.id, edge);
  }

  edges(sinceMs: number): readonly Edge[] {
    return [...this.#edges.values()]
      .filter(({ seenAtMs }) => seenAtMs >= sinceMs)
      .toSorted((one, other) => compare(one.id, other.id));
  }

  async forgetEdge(id: string): Promise<void> {
    this.#edges.delete(id);
  }
}

const servedAs = (domain: Domain) => {
  const { ownership, certificate, hsts } = domain;
  return [ownership.kind, certificate.held?.id, hsts, isPrepared(domain)].join(" ");
};
const isOpen = ({ kind }: Domain["ownership"]) => kind === "held" || kind === "proof_needed";
const endOf = ({ domain: { ownership: o } }: Row) => ("atMs" in o ? o.atMs : undefined);
