/** Lists of domains, a page at a time: by part of the name, and by status. */
import { domainToUnicode } from "node:url";
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/problems.ts";
import type { Actor } from "../sites/site.ts";
import { statuses as allStatuses, isOwnName, type Status, statusOf } from "./domain.ts";
import type { DomainPosition, DomainStore, PageRequest, StoredDomain } from "./domains.ts";
import { type DomainView, routingInEffect, viewOf } from "./domainView.ts";
import type { RoutingInEffect } from "./routing.ts";

export interface DomainsQuery {
  /** Without it, those of all projects of the actor, and first, for the operator, the platform's. */
  readonly project?: string | undefined;
  /** Of this owner alone. An actor who is one sees no others anyway. */
  readonly ownerId?: string | undefined;
  /** Part of the host, in any case and script. Empty for all. */
  readonly search?: string | undefined;
  /** Empty for all. */
  readonly statuses?: readonly Status[] | undefined;
  /** The `next` of the page before. Empty for the first page. */
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface DomainsPage {
  readonly items: readonly DomainView[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

interface ListContext {
  readonly domains: DomainStore;
  readonly clock: Clock;
}

export const pageSizeDefault = 50;
/** Read at once where not all of them match: few, so that other requests get their turn. */
const scannedAtOnce = 100;

/** The actor must be allowed to see the project. */
export async function listDomains(
  context: ListContext,
  actor: Actor,
  query: DomainsQuery,
): Promise<DomainsPage> {
  const { limit = pageSizeDefault, cursor = "" } = query;
  const after = cursor === "" ? undefined : positionIn(cursor);
  const found: StoredDomain[] = [];
  for await (const stored of matching(context, actor, query, after)) {
    // One more shows that there is another page.
    if (found.push(stored) > limit) break;
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: await viewsOf(context, shown),
    next: found.length > limit && last ? cursorAt(last.domain) : undefined,
  };
}

export interface DomainsSummary {
  readonly counts: readonly { readonly status: Status; readonly count: number }[];
  /** All if there are few, otherwise the first of those that are not live. */
  readonly shown: readonly DomainView[];
}

/** Of all projects of the actor, without the names of the platform itself. */
export async function summarizeDomains(
  context: ListContext,
  actor: Actor,
  shownMax: number,
): Promise<DomainsSummary> {
  const counts = new Map<Status, number>();
  const first: StoredDomain[] = [];
  const notLive: StoredDomain[] = [];
  const nowMs = context.clock.now();
  for await (const stored of matching(context, actor, { limit: scannedAtOnce }, undefined)) {
    if (isOwnName(stored.domain)) continue;
    const status = statusOf(stored.domain, stored.standing, nowMs);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (first.length <= shownMax) first.push(stored);
    if (status !== "live" && notLive.length < shownMax) notLive.push(stored);
  }
  return {
    counts: [...counts].map(([status, count]) => ({ status, count })),
    shown: await viewsOf(context, first.length <= shownMax ? first : notLive),
  };
}

export interface DomainFigures {
  readonly byStatus: ReadonlyMap<Status, number>;
  /** When each certificate in use ends. */
  readonly expiriesMs: readonly number[];
}

/** Of all domains, the names of the platform itself included. */
export async function domainFigures(context: ListContext): Promise<DomainFigures> {
  const byStatus = new Map<Status, number>(
    // Nothing is shown of removed ones.
    allStatuses.filter((status) => status !== "removed").map((status) => [status, 0]),
  );
  const expiriesMs: number[] = [];
  const nowMs = context.clock.now();
  const operator = { kind: "operator" } as const;
  for await (const { domain, standing } of matching(
    context,
    operator,
    { limit: scannedAtOnce },
    undefined,
  )) {
    const status = statusOf(domain, standing, nowMs);
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    const { held } = domain.certificate;
    if (held !== undefined && renewed.includes(status)) expiriesMs.push(held.notAfterMs);
  }
  return { byStatus, expiriesMs };
}

/** The certificate of any other is let expire: its owner has left, or does not pay. */
const renewed: readonly Status[] = [
  ...(["live", "prepared", "renewal_failing"] as const),
  ...(["verified", "issuing", "certificate_delayed", "blocked"] as const),
];

/** In the order of their positions. The status depends on the time, so the store cannot filter by it. */
async function* matching(
  { domains, clock }: ListContext,
  actor: Actor,
  query: DomainsQuery,
  start: DomainPosition | undefined,
): AsyncGenerator<StoredDomain> {
  const { project, search = "", statuses = [], limit = pageSizeDefault } = query;
  const ownerId = actor.kind === "owner" ? actor.id : query.ownerId;
  const part = search.trim().toLowerCase();
  const nowMs = clock.now();
  const matches = ({ domain, standing }: StoredDomain) =>
    (statuses.length === 0 || statuses.includes(statusOf(domain, standing, nowMs))) &&
    (domain.host.includes(part) || domainToUnicode(domain.host).includes(part));
  // Those of the platform are few, and come before all others.
  if (project === undefined && ownerId === undefined) {
    const own = (await domains.ownNames()).filter(
      ({ domain }) => start === undefined || (start.project === "" && domain.host > start.host),
    );
    yield* own.filter(matches);
  }
  const request: Omit<PageRequest, "after"> = {
    project,
    ownerId,
    search: part === "" ? undefined : part,
    limit: statuses.length === 0 && part === "" ? limit + 1 : scannedAtOnce,
  };
  for (let after = start; ; ) {
    const batch = await domains.page({ ...request, after });
    yield* batch.filter(matches);
    const last = batch.at(-1);
    if (batch.length < request.limit || last === undefined) return;
    after = last.domain;
    await new Promise<void>((resolve) => clock.next(resolve));
  }
}

const cursorAt = ({ project, host, id }: DomainPosition) =>
  Buffer.from([project, host, id].join(" ")).toString("base64url");

function positionIn(cursor: string): DomainPosition {
  const [project, host, id, ...rest] = Buffer.from(cursor, "base64url").toString().split(" ");
  if (project === undefined || host === undefined || id === undefined || rest.length > 0) {
    throw new Problem("parameter_invalid", {
      detail: "cursor must be the nextCursor of the page before.",
    });
  }
  return { project, host, id };
}

/** Each with the routing of its project. */
export async function viewsOf(
  { domains, clock }: ListContext,
  all: readonly StoredDomain[],
): Promise<DomainView[]> {
  const routings = new Map<string, RoutingInEffect>();
  const views: DomainView[] = [];
  const nowMs = clock.now();
  for (const stored of all) {
    const { project } = stored.domain;
    const routing =
      routings.get(project) ?? (await routingInEffect(domains, project, nowMs)).routing;
    routings.set(project, routing);
    views.push(viewOf(stored, routing, nowMs));
  }
  return views;
}
