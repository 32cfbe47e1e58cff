/** The routes beside the API: health, documentation, the dashboard, the root. */

import type { Log } from "../core/log.ts";
import type { MaybePromise } from "../core/maybePromise.ts";
import {
  type HttpRequest,
  type HttpResponse,
  originOf,
  type RequestHeaders,
} from "../wire/message.ts";
import { troubleOf } from "./responses.ts";
import { isUnder, platformPrefix } from "./routes.ts";
import { pageNotFound, type StaticSite, siteResponse } from "./staticSite.ts";

export interface AdminParts {
  /** Makes the dashboard. */
  readonly dashboard: () => Promise<StaticSite>;
  /** Responds to what is under `/internal/v1`: the API of the dashboard. */
  readonly platform: (request: HttpRequest) => MaybePromise<HttpResponse>;
}

export interface PublicRoutesParts {
  /** Resolves if the service is operational; rejects with the reason if not. */
  readonly ready: () => Promise<void>;
  /** Makes the documentation. */
  readonly docs: () => Promise<StaticSite>;
  /** Makes the page at the root. */
  readonly landing: () => Promise<LandingSite>;
  /** The configured base URL; without one, it follows the Host of the request. */
  readonly baseUrl: string | undefined;
  /** The dashboard; undefined if it has its own port. */
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
  const landing = createLanding(parts);
  const pages = new Map<string, Page>([
    ["/healthz", () => json(200, { status: "ok" })],
    [readyPath, () => readiness(parts.ready)],
    ["/", landing.root],
    ["/llms.txt", landing.llms],
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
  const reason = await troubleOf(ready);
  return reason === undefined
    ? json(200, { status: "ready" })
    : json(503, { status: "unavailable", reason }, { "retry-after": "2" });
}

const movedTo = (location: string): HttpResponse => ({ status: 308, headers: { location } });

/** Built on first use, so that start-up need not wait for it. Retried after a failure. */
function lazily<T>(make: () => Promise<T>, failed: (cause: unknown) => void) {
  let made: Promise<T> | undefined;
  return async (): Promise<T | undefined> => {
    made ??= make();
    return made.catch((cause) => {
      made = undefined;
      failed(cause);
      return undefined;
    });
  };
}

function pagesOf(base: string, load: () => Promise<StaticSite>, what: string, log: Log): Pages {
  const site = lazily(load, (cause) => log.error("pages.failed", { what, cause }));
  return async (path, request) => {
    const shown = await site();
    if (shown !== undefined) return siteResponse(shown, base, path, request);
    return unavailable(what);
  };
}

const unavailable = (what: string) =>
  text(503, `The ${what} cannot be shown right now.\n`, { "retry-after": "5" });

type HeaderFields = Readonly<Record<string, string>>;

function json(status: number, body: unknown, headers: HeaderFields = {}): HttpResponse {
  return text(status, JSON.stringify(body), { "content-type": "application/json", ...headers });
}

function text(status: number, body: string, headers: HeaderFields = {}): HttpResponse {
  const always = {
    "content-type": "text/plain; charset=utf-8",
    // Not `no-cache`: there is no validator that a cache could ask with (RFC 9111, section 5.2.2.4).
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  return { status, headers: { ...always, ...headers }, body };
}

interface LandingFacts {
  readonly baseUrl: string;
  readonly docs: string;
  /** Undefined if it is not served here. */
  readonly dashboard: string | undefined;
  readonly ready: string;
  /** Why the service is not operational; undefined if it is. */
  readonly trouble: string | undefined;
}

interface LandingSite extends StaticSite {
  page(facts: LandingFacts): string;
  calls(baseUrl: string): string;
}

/** The root of the service: a page for browsers, and a few lines of text for other clients. */
function createLanding(parts: PublicRoutesParts) {
  const dashboard = parts.admin && dashboardPath;
  const site = lazily(parts.landing, (cause) => parts.log.error("landing.failed", { cause }));

  const baseUrlOf = (origin: string) => parts.baseUrl ?? `${origin}/v1`;

  return {
    /** How to call the API, for programs that read Markdown. */
    async llms(request: HttpRequest): Promise<HttpResponse> {
      const origin = originOf(request);
      const shown = await site();
      return shown === undefined
        ? unavailable("text")
        : text(
            200,
            `${shown.calls(baseUrlOf(origin))}\n\nAll pages: ${origin}${docsPath}llms.txt\n`,
          );
    },

    async root(request: HttpRequest): Promise<HttpResponse> {
      const origin = originOf(request);
      const baseUrl = baseUrlOf(origin);
      const shown = asksForHtml(request) ? await site() : undefined;
      if (shown === undefined) {
        return text(200, landingText(baseUrl, origin, dashboard), { vary: "Accept" });
      }
      const trouble = await troubleOf(parts.ready);
      const page = shown.page({ baseUrl, docs: docsPath, dashboard, ready: readyPath, trouble });
      return text(200, page, {
        vary: "Accept",
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": shown.contentSecurityPolicy,
        "referrer-policy": "no-referrer",
      });
    },

    /** What the page loads; `path` is that below the root. */
    async asset(path: string, request: HttpRequest): Promise<HttpResponse> {
      const shown = await site();
      return shown?.files.has(path) ? siteResponse(shown, "/", path, request) : pageNotFound;
    },
  };
}

/** Browsers list HTML explicitly. Programs such as curl accept anything, and get plain text. */
function asksForHtml(request: RequestHeaders): boolean {
  const accepted = request.header("accept") ?? "";
  return /(?:^|,)\s*text\/html\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:$|,)))/i.test(accepted);
}

function landingText(baseUrl: string, origin: string, dashboard: string | undefined): string {
  return `Pet Store: a pet store catalogue over HTTP and JSON.

Base URL       ${baseUrl}
First call     curl -H "Authorization: Bearer $API_KEY" ${baseUrl}/pets
Contract       ${origin}/v1/openapi.json
Documentation  ${origin}${docsPath}
For programs   ${origin}/llms.txt
${dashboard === undefined ? "" : `Dashboard      ${origin}${dashboard}\n`}Health         ${origin}${readyPath}
`;
}
