/** What owners change of an attached domain: removal, its project, and what browsers are told. */
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/problems.ts";
import type { Project } from "../sites/site.ts";
import { type HstsPolicy, hasEnded } from "./domain.ts";
import type { DomainStore, StoredDomain } from "./domains.ts";
import * as lifecycle from "./lifecycle.ts";
import { refuseDependents, withoutHost } from "./routing.ts";
import { timelineEntry, updateWithRetry } from "./updates.ts";

const domainsPerProjectMax = 2_000;

export async function requireRoom(
  domains: Pick<DomainStore, "count">,
  project: string,
  added = 1,
): Promise<void> {
  if ((await domains.count(project)) + added <= domainsPerProjectMax) return;
  throw new Problem("too_many_domains", {
    detail: `A project has at most ${domainsPerProjectMax.toLocaleString("en")} domains. Remove one that is no longer needed first.`,
  });
}

/** Each has an order open at the authority, which is then the owner's to complete. */
const uncertifiedPerOwnerMax = 50;

/** For names that get their certificates by records that the owner creates. */
export async function requireFewUncertified(
  domains: Pick<DomainStore, "countUncertified">,
  ownerId: string,
  added: number,
): Promise<void> {
  if ((await domains.countUncertified(ownerId)) + added <= uncertifiedPerOwnerMax) return;
  throw new Problem("too_many_domains", {
    detail: `At most ${uncertifiedPerOwnerMax} prepared domains of an owner wait for their certificates at the same time. Create the records of those that wait, or remove them, and then add this one.`,
  });
}

interface ChangeContext {
  readonly domains: DomainStore;
  readonly clock: Clock;
}

const updatesOf = ({ domains, clock }: ChangeContext) => ({
  store: domains,
  now: () => clock.now(),
});

const notAttached = (host: string) =>
  new Problem("domain_not_found", { detail: `${host} is not attached any more.` });

/** When it was removed. It is no longer served by any edge. */
export async function removeDomain(
  context: ChangeContext,
  stored: StoredDomain,
  confirmed: boolean,
): Promise<number> {
  const { domains, clock } = context;
  const { host, project } = stored.domain;
  const nowMs = clock.now();
  const outcome = await updateWithRetry(updatesOf(context), stored, async (domain) => {
    // One that was given up can still be taken off the lists.
    const isRemoved = domain.ownership.kind === "removed";
    if (isRemoved || domain.project !== project) throw notAttached(host);
    const { routing, version } = await domains.routing(project);
    if (!confirmed) refuseDependents(routing, host);
    return {
      domain: lifecycle.removed(domain, nowMs),
      entries: [timelineEntry(nowMs, "removed", `${host} was removed and is no longer served.`)],
      // Even if it does not change: a concurrent change of the routing must notice the removal.
      routing: { project, routing: withoutHost(routing, host), version },
    };
  });
  if (outcome !== "done") throw new Problem("changed_meanwhile");
  return nowMs;
}

interface Move {
  readonly stored: StoredDomain;
  readonly to: Project;
  /** Whether what leads to it in its project may go. */
  readonly confirmed: boolean;
}

/** Between projects of one owner. Certificate and ownership stay. One commit, so that no edge sees it in neither project. */
export async function moveDomain(
  context: ChangeContext,
  { stored, to, confirmed }: Move,
): Promise<void> {
  const { domains, clock } = context;
  const { host, project: from, ownerId } = stored.domain;
  if (to.ownerId !== ownerId) {
    throw new Problem("project_not_found", {
      detail: `${to.slug} is a project of another owner. A domain moves between projects of one owner.`,
    });
  }
  if (to.slug === from) {
    throw new Problem("already_attached", { detail: `${host} is already attached to ${from}.` });
  }
  if (to.current === undefined) {
    throw new Problem("deployment_required", {
      detail: `${to.slug} has no published deployment, so ${host} would show nothing. Deploy it, then move the domain.`,
    });
  }
  await requireRoom(domains, to.slug);
  const outcome = await updateWithRetry(updatesOf(context), stored, async (domain) => {
    if (hasEnded(domain) || domain.project !== from) throw notAttached(host);
    const { routing, version } = await domains.routing(from);
    if (!confirmed) refuseDependents(routing, host);
    const words = `${host} was moved from ${from} to ${to.slug}.`;
    return {
      domain: { ...domain, project: to.slug },
      entries: [timelineEntry(clock.now(), "moved", words)],
      // Even if it does not change: a concurrent change of the routing must notice the move.
      routing: { project: from, routing: withoutHost(routing, host), version },
    };
  });
  if (outcome !== "done") throw new Problem("changed_meanwhile");
}

export async function changeHsts(
  context: ChangeContext,
  stored: StoredDomain,
  hsts: HstsPolicy,
): Promise<void> {
  const outcome = await updateWithRetry(updatesOf(context), stored, (domain) => {
    if (hasEnded(domain)) throw notAttached(domain.host);
    if (hsts === (domain.hsts ?? "day")) return undefined;
    const words = `Strict-Transport-Security was set to ${hsts}.`;
    return {
      domain: { ...domain, hsts },
      entries: [timelineEntry(context.clock.now(), "hsts_set", words)],
    };
  });
  if (outcome !== "done") throw new Problem("changed_meanwhile");
}
