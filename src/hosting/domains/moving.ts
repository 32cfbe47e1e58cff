/** Moves a domain between projects of one owner. It is served all the while. */
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/problems.ts";
import type { Project } from "../sites/site.ts";
import { hasEnded } from "./domain.ts";
import type { DomainStore, StoredDomain } from "./domains.ts";
import { refuseDependents, withoutHost } from "./routing.ts";
import { timelineEntry, updateWithRetry } from "./updates.ts";

const domainsPerProjectMax = 2_000;

export async function requireRoom(
  domains: Pick<DomainStore, "count">,
  project: string,
): Promise<void> {
  if ((await domains.count(project)) < domainsPerProjectMax) return;
  throw new Problem("too_many_domains", {
    detail: `A project has at most ${domainsPerProjectMax.toLocaleString("en")} domains. Remove one that is no longer needed first.`,
  });
}

interface Move {
  readonly stored: StoredDomain;
  readonly to: Project;
  /** Whether what leads to it in its project may go. */
  readonly confirmed: boolean;
}

/** Certificate and ownership stay. One commit, so that no edge sees it in neither project. */
export async function moveDomain(
  { domains, clock }: { readonly domains: DomainStore; readonly clock: Clock },
  { stored, to, confirmed }: Move,
): Promise<void> {
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
  const context = { store: domains, now: () => clock.now() };
  const outcome = await updateWithRetry(context, stored, async (domain) => {
    if (hasEnded(domain) || domain.project !== from) {
      throw new Problem("domain_not_found", { detail: `${host} is not attached to ${from}.` });
    }
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
