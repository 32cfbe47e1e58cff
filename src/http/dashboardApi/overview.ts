/** How the service does, at a glance. */
import type { Clock } from "../../clock.ts";
import type { Actor } from "../../domains/desk.ts";
import { statusOf } from "../../domains/domain.ts";
import type { DomainStore, StoredDomain } from "../../domains/domains.ts";
import type { MaybePromise } from "../../maybePromise.ts";
import type { SiteStore } from "../../sites/sites.ts";
import { asProblem } from "../answer.ts";
import type { Places } from "../internal/places.ts";
import type { Series } from "./recent.ts";

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

export function overviewPlaces({ domains, sites, series, ready, clock }: OverviewParts): Places {
  return {
    "/overview": {
      async GET({ actor }) {
        const isOwn = (ownerId: string) => mayISee(actor, ownerId);
        const stored = (await domains.list()).filter(({ domain }) => isOwn(domain.ownerId));
        const projects = (await sites.listProjects()).filter(({ ownerId }) => isOwn(ownerId));
        const trouble = await troubleOf(ready);
        return {
          status: 200,
          body: {
            // What the whole service does is the operator's business.
            series: actor.kind === "operator" ? await series() : undefined,
            certificates: stored
              .map((each) => certificateOf(each, clock.now()))
              .sort((one, other) => (one.notAfterMs ?? 0) - (other.notAfterMs ?? 0))
              .slice(0, certificatesMax),
            projects: projects.length,
            ready: trouble === undefined,
            trouble,
          },
        };
      },
    },
  };
}

const mayISee = (actor: Actor, ownerId: string) =>
  actor.kind === "operator" || actor.id === ownerId;

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

async function troubleOf(ready: () => Promise<void>): Promise<string | undefined> {
  try {
    await ready();
    return undefined;
  } catch (cause) {
    return asProblem(cause).message;
  }
}
