/** How the service does, at a glance. */
import type { Clock } from "../../core/clock.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import { statusOf } from "../../hosting/domains/domain.ts";
import type { DomainStore, StoredDomain } from "../../hosting/domains/domains.ts";
import { isOwn } from "../../hosting/sites/site.ts";
import type { SiteStore } from "../../hosting/sites/sites.ts";
import type { Series } from "../recentRequests.ts";
import { troubleOf } from "../responses.ts";
import { json, type PlatformHandlers } from "./handlers.ts";

export interface OverviewParts {
  readonly domains: DomainStore;
  readonly sites: SiteStore;
  /** The last hour of all processes of the service. */
  readonly series: () => MaybePromise<Series>;
  /** Resolves when the service can do its work; rejects with what keeps it from it. */
  readonly ready: () => Promise<void>;
  readonly clock: Clock;
}

const certificatesMax = 200;

export function overviewHandlers({ domains, sites, series, ready, clock }: OverviewParts) {
  return {
    async getOverview(_, { caller: { actor } }) {
      const stored = (await domains.list()).filter(({ domain }) => isOwn(actor, domain.ownerId));
      const projects = (await sites.listProjects()).filter(({ ownerId }) => isOwn(actor, ownerId));
      const trouble = await troubleOf(ready);
      return json(200, {
        // What the whole service does is the operator's business.
        series: actor.kind === "operator" ? await series() : undefined,
        certificates: stored
          .map((each) => certificateOf(each, clock.now()))
          .sort((one, other) => (one.notAfterMs ?? 0) - (other.notAfterMs ?? 0))
          .slice(0, certificatesMax),
        projects: projects.length,
        ready: trouble === undefined,
        trouble,
      });
    },
  } satisfies Partial<PlatformHandlers>;
}

function certificateOf({ domain, standing }: StoredDomain, nowMs: number) {
  const { held, renewAtMs } = domain.certificate;
  return {
    host: domain.host,
    project: domain.project,
    status: statusOf(domain, standing, nowMs),
    notAfterMs: held?.notAfterMs,
    renewAtMs,
  };
}
