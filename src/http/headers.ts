import type { Origin } from "../audit/origin.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/problems.ts";
import { entityTag, type IfMatch } from "../petstore/catalogue/pet.ts";
import { isHeld } from "../wire/fileResponse.ts";
import type { HttpRequest, HttpResponse, RequestHeaders } from "../wire/message.ts";
import type { HandlerResponse } from "./responses.ts";

const wellFormed = /^[!-~]{1,128}$/;

/** The client's id of its request, if it is safe to echo. */
export function givenRequestId(request: RequestHeaders): string | undefined {
  const given = request.header("x-request-id");
  return given !== undefined && wellFormed.test(given) ? given : undefined;
}

/** Ids that are unique across processes: eight random characters and a count. */
export function requestIds(clock: Pick<Clock, "random">): () => string {
  const prefix = Buffer.from(clock.random(4)).toString("hex");
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}

/** For the audit log. */
export function originOfRequest(
  request: HttpRequest,
  actor: string | undefined,
  requestId: string,
): Origin {
  const source = { address: request.client, agent: request.header("user-agent") };
  return { actor, source, requestId };
}

/** Whether a request asks that nothing unknown be ignored (RFC 7240, section 4.4). */
export function asksForStrict(request: RequestHeaders): boolean {
  return prefers(request, "handling", "strict");
}

/** Whether a request asks for the number of all items of a list. */
export function asksForCount(request: RequestHeaders): boolean {
  return prefers(request, "count", "exact");
}

function prefers(request: RequestHeaders, preference: string, value: string): boolean {
  const prefer = request.header("prefer");
  if (prefer === undefined) return false;
  // The first of several preferences with the same name is the one that counts (section 2). What
  // follows a semicolon is a parameter of a preference.
  const given = prefer
    .split(",")
    .map((each) =>
      each
        .replace(/;.*/s, "")
        .split("=")
        .map((part) => part.trim().toLowerCase()),
    )
    .find(([name]) => name === preference);
  return given?.[1]?.replaceAll('"', "") === value;
}

/** Confirms that strict handling was applied, before what else was. */
export function applied(response: HandlerResponse): HandlerResponse {
  const others = response.headers?.["preference-applied"];
  const all = others === undefined ? "handling=strict" : `handling=strict, ${others}`;
  return { ...response, headers: { ...response.headers, "preference-applied": all } };
}

/** A response with an ETag. */
interface Tagged {
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

export function tagged<T extends HandlerResponse>(response: T): Omit<T, "headers"> & Tagged {
  // A page can keep its items and gain a next page, so the ETag covers the cursor of the next page,
  // but not the host that the client used.
  const next = response.headers?.["link"]?.split("?")[1] ?? "";
  const etag = entityTag(String(response.body), next);
  return { ...response, headers: { ...response.headers, etag } };
}

/** Reduces a response to 304 if the client already has it (RFC 9110, section 13). */
export function conditionally(
  request: RequestHeaders,
  response: HandlerResponse & Tagged,
): HandlerResponse {
  const held = request.header("if-none-match");
  return isHeld(held, response.headers.etag)
    ? { status: 304, body: undefined, headers: response.headers }
    : response;
}

const entityTags = /^\s*(?:W\/)?"[!#-~\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[!#-~\x80-\xff]*")*\s*$/;

/** The condition of a write (RFC 9110, section 13.1.1). Undefined if there is none. */
export function ifMatchOf(request: RequestHeaders): IfMatch | undefined {
  const given = request.header("if-match")?.trim();
  if (given === undefined || given === "*") return given;
  if (!entityTags.test(given)) {
    throw new Problem("parameter_invalid", {
      detail: 'If-Match must be *, or ETag values in quotes, such as "q1Yw7vJ2mKx0bHn4tR8sLc".',
    });
  }
  // A weak one keeps its prefix, so that it matches nothing.
  return given.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/** Any page may call the API with a key of its own: no cookies are involved, so `*` is safe. */
export const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Accept-Patch, Allow, Deprecation, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id, X-Total-Count",
} as const;

const preflightHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, POST, PATCH, DELETE",
  "access-control-allow-headers":
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id",
  "access-control-max-age": "7200",
} as const;

/** A browser's preflight request. It carries no key, and the response is the same for all. */
export function isPreflight(request: HttpRequest): boolean {
  return (
    request.method === "OPTIONS" &&
    request.header("origin") !== undefined &&
    request.header("access-control-request-method") !== undefined
  );
}

export const preflightResponse: HttpResponse = { status: 204, headers: preflightHeaders };
