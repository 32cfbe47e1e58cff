/**
 * The public addresses below the sites host: `<slug>.<sites host>` shows what the project shows, and
 * `dep-<id>.<sites host>` one deployment for as long as it is kept.
 */
import type { Log } from "../../core/log.ts";
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import { Problem } from "../../core/problems.ts";
import type { HttpRequest, HttpResponse } from "../../wire/message.ts";
import type { DomainStore } from "../domains/domains.ts";
import { type EdgeView, type Route, routeFor } from "../domains/edgeView.ts";
import { deploymentAt } from "../sites/deployment.ts";
import type { SiteStore } from "../sites/sites.ts";
import { type ServedContents, siteResponse, textResponse } from "./siteResponse.ts";

type AddressedSites = Pick<SiteStore, "project" | "deployment">;

interface AddressedSite {
  readonly project: string;
  readonly deployment: string;
  readonly preview?: true;
}

/** What is at a label below the host of the sites; undefined where nothing is. */
function siteAt(label: string, sites: AddressedSites): MaybePromise<AddressedSite | undefined> {
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

  async function route(host: string, label: string): Promise<Route | undefined> {
    const site = await siteAt(label, sites);
    if (site === undefined) return undefined;
    const { project } = site;
    const { routing } = await domains.routing(project);
    return routeFor(host, { ...site, routing }, async (target) => {
      const shown = await view.route(target);
      return shown?.kind === "site" && shown.project === project && !shown.prepared;
    });
  }

  return {
    ...view,
    route(host, nowMs) {
      const label = labelOf(host);
      return label === undefined ? view.route(host, nowMs) : route(host, label);
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

interface SiteHostsOptions {
  readonly sites: AddressedSites;
  /** Where files and contents are read; the store itself, or a cache before it. */
  readonly contents: ServedContents;
  readonly log: Log;
}

const localSuffix = ".localhost";

/**
 * Answers where the host of a request is a site's on this machine, and is undefined for all others.
 * Nothing else is ever served on such an origin: what owners publish must not share one with the
 * API.
 */
export function createSiteHosts({ sites, contents, log }: SiteHostsOptions) {
  return (request: HttpRequest): MaybePromise<HttpResponse> | undefined => {
    // First of all, and cheap: nearly every request is for the API.
    if (!request.host?.endsWith(localSuffix)) return undefined;
    const label = request.host.slice(0, -localSuffix.length);
    const failed = (cause: unknown) => {
      log.error("site.request_failed", { site: label, cause });
      return cause instanceof Problem && cause.status === 503
        ? textResponse(503, "This site cannot be shown right now.", { "retry-after": "2" })
        : textResponse(500, "This site cannot be shown because of a fault of ours.");
    };
    try {
      const response = then(siteAt(label, sites), (site) =>
        site === undefined
          ? textResponse(404, `No site is published as ${label}.`)
          : siteResponse(request, site.deployment, contents),
      );
      return response instanceof Promise ? response.catch(failed) : response;
    } catch (cause) {
      return failed(cause);
    }
  };
}
