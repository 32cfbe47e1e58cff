/** Requests to what the same port answers beside the API, with paths that nobody links to. */
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { type Draft, wildHeader, wildSegments } from "./drafts.ts";

const places = [
  ...[
    "/",
    "/healthz",
    "/readyz",
    "/docs",
    "/docs/",
    "/docs/guide/",
    "/docs/reference/",
    "/docs/search.json",
  ],
  ...[
    "/docs/llms.txt",
    "/docs/errors/key_missing/",
    "/dashboard",
    "/dashboard/",
    "/dashboard/keys",
  ],
  ...[
    "/dashboard/app.js",
    "/assets/landing.css",
    "/favicon.ico",
    "/robots.txt",
    "/.well-known/acme-challenge/x",
  ],
  ...[
    "/internal/v1",
    "/internal/v1/",
    "/internal/v1/session",
    "/internal/v1/projects",
    "/internal/v1/keys",
  ],
  ...[
    "/internal/v1/domains",
    "/internal/v1/domains/1/events",
    "/internal/v1/session/password",
    "/v1",
    "/v1/",
  ],
  ...["/v1/openapi.json", "/v2/pets", "/v1/%70ets", "/metrics"],
];
const insertions = [
  ...[
    "../",
    "..%2f",
    "%2e%2e/",
    "..\\",
    "%5c..%5c",
    "//",
    "/./",
    "%00",
    "%0d%0a",
    ";",
    "?",
    "#",
    "%",
    "%ff",
  ],
  ...[
    "\xff",
    "%c0%ae%c0%ae/",
    "a".repeat(4_000),
    "%2f",
    "*",
    ":",
    "@",
    "|",
    "<",
    '"',
    "{",
    "__proto__",
    "~",
  ],
];
const bodies = [
  "{}",
  "[]",
  "null",
  "x",
  '{"email":"a","password":"b"}',
  '{"__proto__":{}}',
  "[".repeat(60_000),
];
const methods = ["GET", "GET", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export function outsideDraft(token: string, random: SeededRandom): Draft {
  let target = random.oneOf(places);
  while (random.happens(0.5) && target.length < 8_000) {
    const at = random.between(1, target.length + 1);
    const what = random.happens(0.7) ? random.oneOf(insertions) : random.oneOf(wildSegments);
    target = `${target.slice(0, at)}${what}${target.slice(at + random.between(0, 2))}`;
  }
  const headers: (readonly [string, string])[] = [];
  if (random.happens(0.3)) headers.push(["Authorization", `Bearer ${token}`]);
  if (random.happens(0.3)) headers.push(["Content-Type", "application/json"]);
  while (random.happens(0.4) && headers.length < 12) headers.push(wildHeader(random));
  const method = random.oneOf(methods);
  const reads = method === "GET" || method === "HEAD";
  const body = !reads && random.happens(0.6) ? Buffer.from(random.oneOf(bodies)) : undefined;
  return { method, target, headers, body };
}
