/** What the edges need of the domains: what to serve for a host, with which certificate. */
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import type { HstsPolicy } from "./domain.ts";
import type { StoredCertificate } from "./domains.ts";
import type { Redirect, Routing } from "./routing.ts";
import { edgeSilentMaxMs } from "./schedule.ts";

interface SiteRoute {
  readonly kind: "site";
  readonly project: string;
  /** The deployment to serve. */
  readonly deployment: string;
  /** The host is that of one deployment, which search engines must not index. */
  readonly preview?: true;
  /** The project's primary domain, which is announced as canonical. */
  readonly primary: string | undefined;
  readonly hsts?: HstsPolicy | undefined;
  /** Its DNS has not brought visitors here yet, so nobody is led to it. */
  readonly prepared?: true | undefined;
}

export type Route =
  | SiteRoute
  | ({ readonly kind: "redirect" } & Pick<Redirect, "to" | "status"> & Pick<SiteRoute, "hsts">);

/**
 * What a host of a project answers. A name where the project is not served is held: nobody is led
 * to it, by a redirect or as the primary domain, until visitors reach it there.
 */
export function routeFor(
  host: string,
  { routing, ...site }: Omit<SiteRoute, "kind" | "primary"> & { readonly routing: Routing },
  isReached: (target: string) => MaybePromise<boolean>,
): MaybePromise<Route> {
  const { primary, redirects } = routing;
  const shown = (reached: boolean): Route => ({
    kind: "site",
    ...site,
    primary: reached ? primary : undefined,
  });
  const siteRoute = () =>
    primary === undefined || primary === host ? shown(true) : then(isReached(primary), shown);
  const redirect = redirects.find(({ from }) => from === host);
  if (redirect === undefined) return siteRoute();
  const { to, status } = redirect;
  return then(isReached(to), (reached) =>
    reached ? { kind: "redirect", to, status, hsts: site.hsts } : siteRoute(),
  );
}

/** Its id is never used for another certificate: a context created for an id stays valid. */
export type ServedCertificate = Pick<StoredCertificate, "id" | "host" | "chainPem" | "sealedKey"> &
  Pick<SiteRoute, "hsts">;

/** One process that serves attached hosts. */
export interface Edge {
  readonly id: string;
  /** The address of its HTTP listener for other processes. */
  readonly address: string;
  readonly httpPort: number;
  /** The revision of the domains that it has applied: connections of removed hosts are closed. */
  readonly revision: number;
  readonly seenAtMs: number;
}

/** One that was seen in the future was seen before the clock was set back, and may be gone. */
export async function presentEdges(
  view: Pick<EdgeView, "edges">,
  nowMs: number,
): Promise<readonly Edge[]> {
  const seen = await view.edges(nowMs - edgeSilentMaxMs);
  return seen.filter(({ seenAtMs }) => Math.abs(nowMs - seenAtMs) <= edgeSilentMaxMs);
}

/** Hosts are lower-case ASCII without port and final dot; each look-up is exact. */
export interface EdgeView {
  /**
   * Undefined unless the host is attached, was verified, has a certificate, its owner's plan is
   * paid and its project is deployed, all at the time of the call. Nobody is led to a name whose
   * certificate has expired by `nowMs`.
   */
  route(host: string, nowMs?: number): MaybePromise<Route | undefined>;
  /** As long as the name is held, so that visitors get a page even if it is not served. */
  certificate(host: string): MaybePromise<ServedCertificate | undefined>;
  /** The key authorization to respond with, regardless of the worker that published it. */
  challenge(host: string, token: string, nowMs: number): MaybePromise<string | undefined>;
  /** Increases with every change to what is served, by any process. Cheap. */
  revision(): MaybePromise<number>;
  /** The same, if it is available synchronously, without a query. */
  revisionNow?(): number;
  reportEdge(edge: Edge): Promise<void>;
  /** The edges that were seen since an instant. */
  edges(sinceMs: number): MaybePromise<readonly Edge[]>;
  /** For an edge that stops. */
  forgetEdge(id: string): Promise<void>;
}
