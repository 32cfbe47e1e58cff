/** The root of the service: a page for browsers, and a few lines of text for everybody else. */
import type { Log } from "../core/log.ts";
import {
  type HttpRequest,
  type HttpResponse,
  originOf,
  type RequestHeaders,
} from "../wire/message.ts";
import { asProblem } from "./responses.ts";
import { pageNotFound, type StaticSite, siteResponse } from "./staticSite.ts";

export interface LandingFacts {
  readonly baseUrl: string;
  readonly docs: string;
  /** Undefined where it is not served here. */
  readonly dashboard: string | undefined;
  readonly ready: string;
  /** What keeps the service from its work; undefined when nothing does. */
  readonly trouble: string | undefined;
}

export interface LandingSite extends StaticSite {
  page(facts: LandingFacts): string;
}

export interface LandingParts {
  /** Makes the page. Asked once, when a browser first comes. */
  readonly landing: () => Promise<LandingSite>;
  /** Resolves when the service can do its work; rejects with what keeps it from it. */
  readonly ready: () => Promise<void>;
  /** The configured base address; without one, it follows the Host of the request. */
  readonly baseUrl: string | undefined;
  readonly docsPath: string;
  /** Undefined where it is not served here. */
  readonly dashboardPath: string | undefined;
  readonly readyPath: string;
  readonly log: Log;
}

export interface Landing {
  root(request: HttpRequest): Promise<HttpResponse>;
  /** What the page loads; `path` is that below the root. */
  asset(path: string, request: HttpRequest): Promise<HttpResponse>;
}

export function createLanding(parts: LandingParts): Landing {
  const { docsPath, dashboardPath: dashboard, readyPath, log } = parts;
  let made: Promise<LandingSite> | undefined;
  const site = async () => {
    made ??= parts.landing();
    return made.catch((cause) => {
      made = undefined;
      log.error("landing.failed", { cause });
      return undefined;
    });
  };

  return {
    async root(request) {
      const origin = originOf(request);
      const baseUrl = parts.baseUrl ?? `${origin}/v1`;
      const shown = asksForHtml(request) ? await site() : undefined;
      if (shown === undefined) return inText(parts, baseUrl, origin);
      const trouble = await troubleOf(parts.ready);
      const page = shown.page({ baseUrl, docs: docsPath, dashboard, ready: readyPath, trouble });
      return answered(page, {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": shown.contentSecurityPolicy,
        "referrer-policy": "no-referrer",
      });
    },

    async asset(path, request) {
      const shown = await site();
      return shown?.files.has(path) ? siteResponse(shown, "/", path, request) : pageNotFound;
    },
  };
}

/** Browsers name it. Programs such as curl take anything, and a person reads that in a terminal. */
function asksForHtml(request: RequestHeaders): boolean {
  const accepted = request.header("accept") ?? "";
  return /(?:^|,)\s*text\/html\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:$|,)))/i.test(accepted);
}

async function troubleOf(ready: () => Promise<void>): Promise<string | undefined> {
  try {
    await ready();
    return undefined;
  } catch (cause) {
    return asProblem(cause).message;
  }
}

function inText(
  { docsPath, dashboardPath, readyPath }: LandingParts,
  baseUrl: string,
  origin: string,
): HttpResponse {
  const dashboard = dashboardPath && `Dashboard      ${origin}${dashboardPath}\n`;
  return answered(
    `Pet Store: a pet store catalogue over HTTP and JSON.

Base URL       ${baseUrl}
First call     curl -H "Authorization: Bearer $API_KEY" ${baseUrl}/pets
Contract       ${origin}/v1/openapi.json
Documentation  ${origin}${docsPath}
${dashboard ?? ""}Health         ${origin}${readyPath}
`,
    { "content-type": "text/plain; charset=utf-8" },
  );
}

function answered(body: string, headers: Readonly<Record<string, string>>): HttpResponse {
  const always = {
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    vary: "Accept",
  };
  return { status: 200, headers: { ...always, ...headers }, body };
}
