/** How the service does, at a glance. */
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { DomainService } from "../../hosting/domains/domainService.ts";
import type { DomainView } from "../../hosting/domains/domainView.ts";
import { isOwn } from "../../hosting/sites/site.ts";
import type { SiteStore } from "../../hosting/sites/sites.ts";
import type { Series } from "../recentRequests.ts";
import { troubleOf } from "../responses.ts";
import { json, type PlatformHandlers } from "./handlers.ts";

export interface OverviewParts {
  readonly domainService: DomainService;
  readonly sites: SiteStore;
  /** The last hour of all processes of the service. */
  readonly series: () => MaybePromise<Series>;
  /** Resolves when the service can do its work; rejects with what keeps it from it. */
  readonly ready: () => Promise<void>;
}

const certificatesMax = 20;

export function overviewHandlers({ domainService, sites, series, ready }: OverviewParts) {
  return {
    async getOverview(_, { caller: { actor } }) {
      const { counts, shown } = await domainService.summary(actor, certificatesMax);
      const projects = (await sites.listProjects()).filter(({ ownerId }) => isOwn(actor, ownerId));
      const trouble = await troubleOf(ready);
      return json(200, {
        // What the whole service does is the operator's business.
        series: actor.kind === "operator" ? await series() : undefined,
        domains: counts,
        certificates: shown
          .map(certificateOf)
          .sort((one, other) => (one.notAfterMs ?? 0) - (other.notAfterMs ?? 0)),
        projects: projects.length,
        ready: trouble === undefined,
        trouble,
      });
    },
  } satisfies Partial<PlatformHandlers>;
}

function certificateOf({ host, project, status, certificate }: DomainView) {
  const { notAfterMs, renewAtMs } = certificate ?? {};
  return { host, project, status, notAfterMs, renewAtMs };
}
