import type { HttpRequest, HttpResponse } from "../wire/message.ts";

/** Any page may call the API with a key of its own: no cookies are involved, so `*` is safe. */
export const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Allow, Deprecation, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id",
} as const;

const preflightHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers":
    "Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-Request-Id",
  "access-control-max-age": "7200",
} as const;

/** A browser's question before the real request. It carries no key, and the answer is for all. */
export function isPreflight(request: HttpRequest): boolean {
  return (
    request.method === "OPTIONS" &&
    request.header("origin") !== undefined &&
    request.header("access-control-request-method") !== undefined
  );
}

export const preflightResponse: HttpResponse = { status: 204, headers: preflightHeaders };
