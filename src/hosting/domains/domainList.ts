/** Lists of domains, a page at a time: by part of the name, and by status. */
import { domainToUnicode } from "node:url";
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/problems.ts";
import type { Actor } from "../sites/site.ts";
import { type Status, statusOf } from "./domain.ts";
import type { DomainPosition, DomainStore, PageRequest, StoredDomain } from "./domains.ts";
import { type DomainView, routingInEffect, viewOf } from "./domainView.ts";
import type { RoutingInEffect } from "./routing.ts";

export interface DomainsQuery {
  /** Without it, those of all projects of the actor, and first, for the operator, the platform's. */
  readonly project?: string | undefined;
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

/** How many there are with each status. */
export async function countByStatus(
  context: ListContext,
  actor: Actor,
): Promise<Partial<Record<Status, number>>> {
  const counts: Partial<Record<Status, number>> = {};
  const nowMs = context.clock.now();
  for await (const { domain, standing } of matching(context, actor, {}, undefined)) {
    const status = statusOf(domain, standing, nowMs);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

/** In the order of their positions. The status depends on the time, so the store cannot filter by it. */
async function* matching(
  { domains, clock }: ListContext,
  actor: Actor,
  { project, search = "", statuses = [], limit = pageSizeDefault }: DomainsQuery,
  start: DomainPosition | undefined,
): AsyncGenerator<StoredDomain> {
  const part = search.trim().toLowerCase();
  const nowMs = clock.now();
  const matches = ({ domain, standing }: StoredDomain) =>
    (statuses.length === 0 || statuses.includes(statusOf(domain, standing, nowMs))) &&
    (domain.host.includes(part) || domainToUnicode(domain.host).includes(part));
  // Those of the platform are few, and come before all others.
  if (project === undefined && actor.kind === "operator") {
    const own = (await domains.ownNames()).filter(
      ({ domain }) => start === undefined || (start.project === "" && domain.host > start.host),
    );
    yield* own.filter(matches);
  }
  const request: Omit<PageRequest, "after"> = {
    project,
    ownerId: actor.kind === "owner" ? actor.id : undefined,
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
  for (const stored of all) {
    const { project } = stored.domain;
    const routing = routings.get(project) ?? (await routingInEffect(domains, project)).routing;
    routings.set(project, routing);
    views.push(viewOf(stored, routing, clock.now()));
  }
  return views;
}
