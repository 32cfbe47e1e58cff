/** What the service's port answers beside the API: is it well, and how is it used. */
import { readFileSync } from "node:fs";
import type { Soon } from "../soon.ts";
import type { Address } from "./address.ts";
import { asProblem } from "./answer.ts";

export interface OutsideParts {
  /** Resolves when the service can do its work; rejects with what keeps it from it. */
  readonly ready: () => Promise<void>;
  /** The folder of the Markdown pages. */
  readonly docsFolder: URL;
}

type Page = (address: Address) => Soon<Response>;

export function createOutside(parts: OutsideParts) {
  const pages = new Map<string, Page>([
    ["/healthz", () => json(200, { status: "ok" })],
    ["/readyz", () => readiness(parts.ready)],
    ["/", landing],
  ]);
  return (address: Address, request: Request): Soon<Response> => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return text(405, "Only GET and HEAD are served here.\n", { allow: "GET, HEAD" });
    }
    const page = pages.get(address.path) ?? markdownPage(address.path, parts.docsFolder);
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
Guide          ${origin}/docs/guide/getting-started.md
Errors         ${origin}/docs/errors/README.md
Health         ${origin}/readyz
`,
  );
}

const pageForm = /^\/docs\/((?:guide|errors)\/[A-Za-z0-9_-]+)(?:\.md)?$/;

function markdownPage(path: string, docsFolder: URL): Page | undefined {
  const file = pageForm.exec(path)?.[1];
  if (file === undefined) return undefined;
  try {
    const page = readFileSync(new URL(`${file}.md`, docsFolder), "utf8");
    return () => text(200, page, { "content-type": "text/markdown; charset=utf-8" });
  } catch {
    return undefined;
  }
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
