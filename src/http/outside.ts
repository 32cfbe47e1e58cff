/** What the service's port answers beside the API: is it well, and how is it used. */
import type { Log } from "../log.ts";
import type { Soon } from "../soon.ts";
import type { Address } from "./address.ts";
import { asProblem } from "./answer.ts";
import { type StaticSite, siteResponse } from "./staticSite.ts";

export interface OutsideParts {
  /** Resolves when the service can do its work; rejects with what keeps it from it. */
  readonly ready: () => Promise<void>;
  /** Makes the documentation. */
  readonly docs: () => Promise<StaticSite>;
  readonly log: Log;
}

export const docsPath = "/docs/";

type Docs = (path: string, request: Request) => Promise<Response>;

type Page = (address: Address) => Soon<Response>;

export function createOutside(parts: OutsideParts) {
  const pages = new Map<string, Page>([
    ["/healthz", () => json(200, { status: "ok" })],
    ["/readyz", () => readiness(parts.ready)],
    ["/", landing],
    [
      docsPath.slice(0, -1),
      () => new Response(null, { status: 308, headers: { location: docsPath } }),
    ],
  ]);
  const docs = docsPages(parts.docs, parts.log);
  return (address: Address, request: Request): Soon<Response> => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return text(405, "Only GET and HEAD are served here.\n", { allow: "GET, HEAD" });
    }
    const { path } = address;
    if (path.startsWith(docsPath)) return docs(path.slice(docsPath.length), request);
    const page = pages.get(path);
    return page === undefined
      ? text(404, "Nothing is served at this path. The API is under /v1.\n")
      : page(address);
  };
}

async function readiness(ready: () => Promise<void>): Promise<Response> {
  try {
    await ready();
    return json(200, { status: "ready" });
  } catch (cause) {
    const reason = asProblem(cause).message;
    return json(503, { status: "unavailable", reason }, { "retry-after": "2" });
  }
}

function landing({ origin }: Address): Response {
  return text(
    200,
    `Pet Store: a pet store catalogue over HTTP and JSON.

Base address   ${origin}/v1
First call     curl -H "Authorization: Bearer $API_KEY" ${origin}/v1/pets
Contract       ${origin}/v1/openapi.json
Documentation  ${origin}/docs/
Health         ${origin}/readyz
`,
  );
}

/** The documentation is built when it is first asked for; a start must not wait for it. */
function docsPages(load: () => Promise<StaticSite>, log: Log): Docs {
  let site: Promise<StaticSite> | undefined;
  return async (path, request) => {
    site ??= load();
    try {
      return siteResponse(await site, docsPath, path, request);
    } catch (cause) {
      site = undefined;
      log.error("docs.failed", { cause });
      return text(503, "The documentation cannot be shown right now.\n", { "retry-after": "5" });
    }
  };
}

type HeaderFields = Readonly<Record<string, string>>;

function json(status: number, body: unknown, headers: HeaderFields = {}): Response {
  return text(status, JSON.stringify(body), { "content-type": "application/json", ...headers });
}

function text(status: number, body: string, headers: HeaderFields = {}): Response {
  return new Response(body, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}
