/**
 * The public addresses below the sites host: `<slug>.<sites host>` shows what the project shows, and
 * `dep-<id>.<sites host>` one deployment for as long as it is kept.
 */
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import type { DomainStore } from "../domains/domains.ts";
import type { EdgeView, Route } from "../domains/edgeView.ts";
import { deploymentAt } from "../sites/deployment.ts";
import type { SiteStore } from "../sites/sites.ts";

type AddressedSites = Pick<SiteStore, "project" | "deployment">;

export interface AddressedSite {
  readonly project: string;
  readonly deployment: string;
  readonly preview?: true;
}

/** What is at a label below the host of the sites; undefined where nothing is. */
export function siteAt(
  label: string,
  sites: AddressedSites,
): MaybePromise<AddressedSite | undefined> {
  const id = deploymentAt(label);
  if (id !== undefined) {
    return then(sites.deployment(id), (deployment) =>
      deployment?.state === "ready"
        ? { project: deployment.project, deployment: id, preview: true }
        : undefined,
    );
  }
  return then(sites.project(label), (project) =>
    project?.current === undefined ? undefined : { project: label, deployment: project.current },
  );
}

interface AddressParts {
  readonly view: EdgeView;
  readonly sites: AddressedSites;
  readonly domains: Pick<DomainStore, "routing">;
  readonly sitesHost: string;
}

/** What the edges see, with the public addresses in it. */
export function withSiteAddresses({ view, sites, domains, sitesHost }: AddressParts): EdgeView {
  const labelOf = (host: string) => {
    const label = host.endsWith(`.${sitesHost}`) ? host.slice(0, -sitesHost.length - 1) : "";
    return label === "" || label.includes(".") ? undefined : label;
  };

  async function route(label: string): Promise<Route | undefined> {
    const site = await siteAt(label, sites);
    if (site === undefined) return undefined;
    const { primary } = (await domains.routing(site.project)).routing;
    // Not of a name that does not work yet.
    const shown = primary !== undefined && (await view.route(primary)) !== undefined;
    return { kind: "site", ...site, primary: shown ? primary : undefined };
  }

  return {
    ...view,
    route(host) {
      const label = labelOf(host);
      return label === undefined ? view.route(host) : route(label);
    },
    certificate(host) {
      const label = labelOf(host);
      const own = view.certificate(host);
      return label === undefined
        ? own
        : then(own, (found) => found ?? view.certificate(`*.${sitesHost}`));
    },
  };
}
