/** What owners and the operator can do with domains. Queries neither DNS nor the authority. */
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/problems.ts";
import { type Actor, isOwn, ownProject, type Project } from "../sites/site.ts";
import { newTarget } from "../sites/siteAddress.ts";
import type { SiteStore } from "../sites/sites.ts";
import { usageOf } from "./budget.ts";
import { keptTarget, twinOf } from "./claims.ts";
import { attached, type HowToAttach } from "./dnsValidation.ts";
import { type HstsPolicy, hasEnded, type Status, statusOf } from "./domain.ts";
import {
  type DomainsPage,
  type DomainsQuery,
  type DomainsSummary,
  listDomains,
  summarizeDomains,
  viewsOf,
} from "./domainList.ts";
import { type DomainStore, type StoredDomain, timelineEntriesMax } from "./domains.ts";
import { type DomainDetails, type DomainView, routingInEffect, viewOf } from "./domainView.ts";
import { type EdgeView, presentEdges } from "./edgeView.ts";
import { parseHost } from "./hostName.ts";
import * as lifecycle from "./lifecycle.ts";
import {
  changeHsts,
  moveDomain,
  removeDomain,
  requireFewUncertified,
  requireRoom,
} from "./ownerChanges.ts";
import { parseRouting, type Routing, type RoutingInEffect, routingErrors } from "./routing.ts";
import { nextDueAtMs, verifyFreeAtMs } from "./schedule.ts";
import { timelineEntry, updateWithRetry } from "./updates.ts";

interface DomainServiceOptions {
  readonly sites: SiteStore;
  readonly domains: DomainStore;
  readonly edgeView: EdgeView;
  readonly clock: Clock;
  /** The host below which every domain has its target; undefined if the operator has not set it. */
  readonly target: string | undefined;
  /** Whether our own limits apply: what is used of them is shown. */
  readonly ownLimits: boolean;
  /** Whether we can respond to challenges by DNS, at names below the target. */
  readonly dnsUpdates?: boolean;
  /** The platform's own hosts, which cannot be attached. */
  readonly reserved: readonly string[];
}

export interface Removal {
  readonly host: string;
  readonly removedAtMs: number;
  /** The edges that had not applied it yet at the time of the response. */
  readonly edgesBehind: readonly string[];
  readonly edges: number;
}

const addTriesMax = 4;

export class DomainService {
  readonly #parts: DomainServiceOptions;

  constructor(parts: DomainServiceOptions) {
    this.#parts = parts;
  }

  /** A page of the domains of a project, or of all projects of the actor. */
  async list(actor: Actor, query: DomainsQuery = {}): Promise<DomainsPage> {
    if (query.project !== undefined) await ownProject(this.#parts.sites, actor, query.project);
    return listDomains(this.#parts, actor, query);
  }

  async summary(actor: Actor, shownMax: number): Promise<DomainsSummary> {
    return summarizeDomains(this.#parts, actor, shownMax);
  }

  /** The actor's domains of a name: who holds it, other claims, and those that ended, the last one first. */
  async claimsOn(actor: Actor, text: string): Promise<readonly DomainView[]> {
    const { domains } = this.#parts;
    const reading = parseHost(text);
    if (reading.kind === "refused") throw new Problem("host_invalid", { detail: reading.why });
    const holder = await domains.holderOf(reading.host);
    const claims = await domains.claimsOn(reading.host);
    const others = claims.filter(({ domain }) => domain.id !== holder?.domain.id);
    const latest = others.toSorted((one, other) => endMs(other) - endMs(one));
    const all = holder === undefined ? latest : [holder, ...latest];
    return viewsOf(
      this.#parts,
      all.filter(({ domain }) => isOwn(actor, domain.ownerId)),
    );
  }

  async show(actor: Actor, slug: string, host: string): Promise<DomainDetails> {
    const stored = await this.#attached(actor, slug, host);
    const { routing } = await routingInEffect(this.#parts.domains, slug, this.#parts.clock.now());
    const timeline = await this.#parts.domains.timeline(stored.domain.id, timelineEntriesMax);
    const { domains, clock, ownLimits } = this.#parts;
    const budget = ownLimits ? await usageOf(stored.domain.host, domains, clock.now()) : [];
    return { ...this.#view(stored, routing), budget, timeline };
  }

  /**
   * Changes whenever `show` would return something else, and is much cheaper to read. Where the view
   * depends on time or on attempts for other names, it changes within a minute.
   */
  async versionOf(
    actor: Actor,
    { id, host, project }: Pick<DomainDetails, "id" | "host" | "project">,
  ): Promise<string> {
    const { domains, clock } = this.#parts;
    await this.#allow(actor, project);
    const known = await domains.get(id);
    // Once it has ended, the name may have been added to the project again.
    const { domain, version, standing } =
      known === undefined || hasEnded(known.domain)
        ? await this.#attached(actor, project, host)
        : known;
    const nowMs = clock.now();
    const { routing, version: routed } = await routingInEffect(domains, project, nowMs);
    return JSON.stringify([
      ...[domain.id, version, routed, [...routing.held], Math.floor(nowMs / 60_000)],
      ...[statusOf(domain, standing, nowMs), nextDueAtMs(domain, nowMs), standing],
    ]);
  }

  /** The names of the platform itself, which belong to no project, are for the operator only. */
  async #allow(actor: Actor, slug: string): Promise<void> {
    if (slug !== "" || actor.kind !== "operator") await ownProject(this.#parts.sites, actor, slug);
  }

  /**
   * Whoever else claims or has the name: it goes to whose records are in DNS. `withWww`: with
   * www.example.com beside example.com, or the other way round, which redirects to it.
   */
  async add(
    actor: Actor,
    slug: string,
    text: string,
    how: HowToAttach = "directly",
    withWww = false,
  ): Promise<DomainDetails> {
    for (let tries = 0; tries < addTriesMax; tries++) {
      const view = await this.#tryToAdd(actor, slug, text, how, withWww);
      if (view !== "taken") return view;
      // Another request was faster: decide again with its result.
    }
    throw new Problem("changed_meanwhile");
  }

  async #tryToAdd(
    actor: Actor,
    slug: string,
    text: string,
    how: HowToAttach,
    withWww: boolean,
  ): Promise<DomainDetails | "taken"> {
    const { domains, sites } = this.#parts;
    if (this.#parts.target === undefined) throw new Problem("domains_off");
    const project = await ownProject(this.#parts.sites, actor, slug);
    const host = this.#hostOf(text);
    const twin = withWww ? this.#hostOf(twinOf(host)) : undefined;
    if ((await sites.owner(project.ownerId))?.plan !== "paid") {
      throw new Problem("plan_required");
    }
    const added = twin === undefined ? 1 : 2;
    await requireRoom(domains, slug, added);
    if (how !== "directly") await requireFewUncertified(domains, project.ownerId, added);
    if (project.current === undefined) {
      throw new Problem("deployment_required", {
        detail: `${slug} has no published deployment. Deploy it, then add the domain again.`,
      });
    }
    const { domain, dueAtMs, entries } = await this.#claim(project, host, how);
    const other = twin === undefined ? undefined : await this.#claim(project, twin, how);
    const routing = other && (await this.#redirectBetween(slug, other.domain.host, host));
    const beside = other && { ...other, routing };
    const outcome = await domains.add(domain, dueAtMs, entries, beside);
    return outcome === "taken" ? outcome : this.show(actor, slug, host);
  }

  #hostOf(text: string): string {
    const reading = parseHost(text, [this.#parts.target ?? "", ...this.#parts.reserved]);
    if (reading.kind === "host") return reading.host;
    throw new Problem("host_invalid", { detail: reading.why });
  }

  /** What to add for a name. */
  async #claim({ slug, ownerId }: Project, host: string, how: HowToAttach) {
    const { domains, clock, target = "" } = this.#parts;
    const nowMs = clock.now();
    const kept = keptTarget(await domains.claimsOn(host), ownerId, host);
    const id = `dom_${Buffer.from(clock.random(10)).toString("hex")}`;
    const domain = lifecycle.added(
      {
        id,
        ...attached(how, id, this.#parts.dnsUpdates ? target : undefined),
        host,
        project: slug,
        ownerId,
        // Who comes back need not change the record.
        target: kept ?? newTarget(target, clock),
      },
      nowMs,
    );
    const entries = [timelineEntry(nowMs, "added", `${host} was added to ${slug}.`)];
    return { domain, dueAtMs: nextDueAtMs(domain, nowMs), entries };
  }

  async #redirectBetween(slug: string, from: string, to: string) {
    const { routing, version } = await this.#parts.domains.routing(slug);
    const changed = { ...routing, redirects: [...routing.redirects, { from, to, status: 301 }] };
    await this.#requireUsable(slug, changed as Routing, [from, to]);
    return { project: slug, routing: changed as Routing, version };
  }

  /** Requests a check now, which runs in the background. */
  async verify(actor: Actor, slug: string, host: string): Promise<DomainDetails> {
    const stored = await this.#attached(actor, slug, host);
    const outcome = await updateWithRetry(this.#updates, stored, (domain) => {
      const nowMs = this.#parts.clock.now();
      const status = statusOf(domain, stored.standing, nowMs);
      const refusal = notVerifiable[status];
      if (refusal !== undefined) {
        const lost = domain.dns.findings.find(({ code }) => code === "PROVEN_ELSEWHERE");
        throw new Problem("not_verifiable", { detail: lost?.message ?? refusal });
      }
      limitVerifyRequests(lifecycle.recentVerifyRequests(domain, nowMs), nowMs);
      const entries = [timelineEntry(nowMs, "verify_requested", "A check was requested.")];
      return { domain: lifecycle.verifyRequested(domain, nowMs), entries };
    });
    if (outcome !== "done") throw new Problem("changed_meanwhile");
    return this.show(actor, slug, stored.domain.host);
  }

  async routing(actor: Actor, slug: string): Promise<Routing> {
    return (await this.versionedRouting(actor, slug)).routing;
  }

  async versionedRouting(actor: Actor, slug: string) {
    await ownProject(this.#parts.sites, actor, slug);
    return this.#parts.domains.routing(slug);
  }

  /** Applies the whole document, or nothing of it. */
  async applyRouting(actor: Actor, slug: string, document: unknown): Promise<Routing> {
    return this.changeRouting(actor, slug, () => document);
  }

  /** Derives the document from the current one; fails if that is changed concurrently. */
  async changeRouting(
    actor: Actor,
    slug: string,
    change: (before: Routing, version: number) => unknown,
  ): Promise<Routing> {
    await ownProject(this.#parts.sites, actor, slug);
    const { domains } = this.#parts;
    const { routing: before, version } = await domains.routing(slug);
    const routing = parseRouting(change(before, version));
    await this.#requireUsable(slug, routing);
    const outcome = await domains.saveRouting({ project: slug, routing, version });
    if (outcome !== "done") throw new Problem("changed_meanwhile");
    return routing;
  }

  async #requireUsable(slug: string, routing: Routing, added: readonly string[] = []) {
    const attached = (await this.#parts.domains.list(slug)).map(({ domain }) => domain.host);
    const complaints = routingErrors(routing, new Set([...attached, ...added]));
    if (complaints.length > 0)
      throw new Problem("routing_invalid", { detail: complaints.join("\n") });
  }

  /** Stops serving the name at once, on every edge. */
  async remove(actor: Actor, slug: string, host: string, confirmed: boolean): Promise<Removal> {
    const stored = await this.#attached(actor, slug, host);
    const removedAtMs = await removeDomain(this.#parts, stored, confirmed);
    return { host: stored.domain.host, removedAtMs, ...(await this.edgesBehind()) };
  }

  /** To another project of the same owner. It is served without an interruption. */
  async move(
    actor: Actor,
    slug: string,
    host: string,
    to: string,
    confirmed: boolean,
  ): Promise<DomainDetails> {
    const stored = await this.#attached(actor, slug, host);
    const project = await ownProject(this.#parts.sites, actor, to);
    await moveDomain(this.#parts, { stored, to: project, confirmed });
    return this.show(actor, to, host);
  }

  /** What browsers are told about HTTPS, from the next response on. */
  async setHsts(
    actor: Actor,
    slug: string,
    host: string,
    hsts: HstsPolicy,
  ): Promise<DomainDetails> {
    const stored = await this.#attached(actor, slug, host);
    await changeHsts(this.#parts, stored, hsts);
    return this.show(actor, slug, host);
  }

  /** The edges that have not applied the latest change yet. */
  async edgesBehind(): Promise<Pick<Removal, "edges" | "edgesBehind">> {
    const { edgeView, clock } = this.#parts;
    const revision = await edgeView.revision();
    const edges = await presentEdges(edgeView, clock.now());
    const behind = edges.filter((edge) => edge.revision < revision);
    return { edges: edges.length, edgesBehind: behind.map(({ id }) => id) };
  }

  get #updates() {
    return { store: this.#parts.domains, now: () => this.#parts.clock.now() };
  }

  #view(stored: StoredDomain, routing: RoutingInEffect): DomainView {
    return viewOf(stored, routing, this.#parts.clock.now());
  }

  async #attached(actor: Actor, slug: string, text: string): Promise<StoredDomain> {
    await this.#allow(actor, slug);
    const reading = parseHost(text);
    const host = reading.kind === "host" ? reading.host : slug === "" ? text : "";
    const { domains } = this.#parts;
    // An attached one is found among any number of claims, an ended one only among the newest.
    const found =
      (slug === ""
        ? (await domains.ownNames()).find(({ domain }) => domain.host === host)
        : await domains.attached(slug, host)) ??
      (await domains.claimsOn(host)).find(({ domain }) => domain.project === slug);
    if (found === undefined) {
      throw new Problem("domain_not_found", { detail: `${text} is not attached to ${slug}.` });
    }
    return found;
  }
}

/** Far in the future while it has not ended. */
const endMs = ({ domain: { ownership } }: StoredDomain) =>
  "atMs" in ownership ? ownership.atMs : Number.MAX_SAFE_INTEGER;

/** Why a domain with a status cannot be checked; undefined where it can. */
const notVerifiable: Partial<Record<Status, string>> = {
  suspended: "This domain is suspended. Restore the paid plan and publish the project first.",
  removed: "This domain was removed. Add it again.",
  abandoned: "This domain was abandoned after 30 days without the expected record. Add it again.",
};

function limitVerifyRequests(clicksAtMs: readonly number[], nowMs: number): void {
  const freeAtMs = verifyFreeAtMs(clicksAtMs);
  if (freeAtMs <= nowMs) return;
  const seconds = Math.ceil((freeAtMs - nowMs) / 1000);
  throw new Problem("verify_too_soon", {
    detail: `A check was requested recently, and checks also run automatically. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
    retryAfterSeconds: seconds,
  });
}
