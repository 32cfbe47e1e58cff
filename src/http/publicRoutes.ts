/** What the service's port answers beside the API: is it well, and how is it used. */
import type { Log } from "../core/log.ts";
import type { MaybePromise } from "../core/maybePromise.ts";
import type { HttpRequest, HttpResponse } from "../wire/message.ts";
import { createLanding, type LandingSite } from "./landing.ts";
import { asProblem } from "./responses.ts";
import { isUnder, platformPrefix } from "./routes.ts";
import { type StaticSite, siteResponse } from "./staticSite.ts";

export interface AdminParts {
  /** Makes the dashboard. */
  readonly dashboard: () => Promise<StaticSite>;
  /** Answers what is under `/internal/v1`: the API of the dashboard. */
  readonly platform: (request: HttpRequest) => MaybePromise<HttpResponse>;
}

export interface PublicRoutesParts {
  /** Resolves when the service can do its work; rejects with what keeps it from it. */
  readonly ready: () => Promise<void>;
  /** Makes the documentation. */
  readonly docs: () => Promise<StaticSite>;
  /** Makes the page at the root. */
  readonly landing: () => Promise<LandingSite>;
  /** The configured base address; without one, it follows the Host of the request. */
  readonly baseUrl: string | undefined;
  /** The dashboard; undefined where it has a port of its own. */
  readonly admin: AdminParts | undefined;
  readonly log: Log;
}

export const docsPath = "/docs/";
export const dashboardPath = "/dashboard/";
const readyPath = "/readyz";
/** What the page at the root loads. */
const assetsPath = "/assets/";

/** RFC 9110, section 9.1: 405 is for a method that the server knows, 501 for any other. */
const knownMethods = new Set(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

type Pages = (path: string, request: HttpRequest) => Promise<HttpResponse>;

type Page = (request: HttpRequest) => MaybePromise<HttpResponse>;

export function createPublicRoutes(parts: PublicRoutesParts) {
  const { admin } = parts;
  const shownDashboard = admin && dashboardPath;
  const landing = createLanding({ ...parts, docsPath, dashboardPath: shownDashboard, readyPath });
  const pages = new Map<string, Page>([
    ["/healthz", () => json(200, { status: "ok" })],
    [readyPath, () => readiness(parts.ready)],
    ["/", landing.root],
    [docsPath.slice(0, -1), () => movedTo(docsPath)],
  ]);
  if (admin !== undefined) pages.set(dashboardPath.slice(0, -1), () => movedTo(dashboardPath));
  const docs = pagesOf(docsPath, parts.docs, "documentation", parts.log);
  const dashboard = admin && pagesOf(dashboardPath, admin.dashboard, "dashboard", parts.log);
  return (request: HttpRequest): MaybePromise<HttpResponse> => {
    const { path } = request;
    if (admin !== undefined && isUnder(platformPrefix, path)) return admin.platform(request);
    if (request.method !== "GET" && request.method !== "HEAD") {
      if (!knownMethods.has(request.method)) return text(501, "This method is not implemented.\n");
      return text(405, "Only GET and HEAD are served here.\n", { allow: "GET, HEAD" });
    }
    if (path.startsWith(docsPath)) return docs(path.slice(docsPath.length), request);
    if (dashboard !== undefined && path.startsWith(dashboardPath)) {
      return dashboard(path.slice(dashboardPath.length), request);
    }
    if (path.startsWith(assetsPath)) return landing.asset(path.slice(1), request);
    const page = pages.get(path);
    return page === undefined
      ? text(404, "Nothing is served at this path. The API is under /v1.\n")
      : page(request);
  };
}

async function readiness(ready: () => Promise<void>): Promise<HttpResponse> {
  try {
    await ready();
    return json(200, { status: "ready" });
  } catch (cause) {
    const reason = asProblem(cause).message;
    return json(503, { status: "unavailable", reason }, { "retry-after": "2" });
  }
}

const movedTo = (location: string): HttpResponse => ({ status: 308, headers: { location } });

/** Made when they are first asked for: a start must not wait for them. */
function pagesOf(base: string, load: () => Promise<StaticSite>, what: string, log: Log): Pages {
  let site: Promise<StaticSite> | undefined;
  return async (path, request) => {
    site ??= load();
    try {
      return siteResponse(await site, base, path, request);
    } catch (cause) {
      site = undefined;
      log.error("pages.failed", { what, cause });
      return text(503, `The ${what} cannot be shown right now.\n`, { "retry-after": "5" });
    }
  };
}

type HeaderFields = Readonly<Record<string, string>>;

function json(status: number, body: unknown, headers: HeaderFields = {}): HttpResponse {
  return text(status, JSON.stringify(body), { "content-type": "application/json", ...headers });
}

function text(status: number, body: string, headers: HeaderFields = {}): HttpResponse {
  const always = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  };
  return { status, headers: { ...always, ...headers }, body };
}
