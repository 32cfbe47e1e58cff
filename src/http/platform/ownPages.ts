/**
 * The defence against requests that a page of another origin makes in our visitor's name. A browser
 * tells of every request where its page is from; programs say nothing of it.
 */
import type { HttpRequest, RequestHeaders } from "../../wire/message.ts";

/**
 * Whether a request may be of a program or of our own page. `own` are the origins that the service
 * goes by.
 */
export function isOwnOrigin(request: RequestHeaders, own: readonly string[]): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const origin = request.header("origin");
  if (origin === undefined) return true;
  const host = hostOf(origin);
  return host !== undefined && own.some((each) => hostOf(each) === host);
}

/** Without the scheme: whoever ends TLS before us asks us in plain HTTP. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
}

export type Comes = Pick<HttpRequest, "method" | "header">;

/**
 * Whether a request is of our own page: what changes something must say where it is from. A cookie
 * counts only where this holds. SameSite alone would not do: a site that we host may share the
 * registrable domain with the dashboard, and then the browser adds the cookie.
 */
export function comesFromOwnPage(request: Comes, own: readonly string[]): boolean {
  const { method } = request;
  const reads = method === "GET" || method === "HEAD";
  const site = request.header("sec-fetch-site");
  // "none" is an address that was typed or a bookmark, which only ever reads.
  if (site !== undefined) return site === "same-origin" || (reads && site === "none");
  // Browsers leave out Sec-Fetch-Site over plain HTTP, but every write names its origin.
  const origin = request.header("origin")?.toLowerCase();
  if (origin === undefined) return reads;
  return own.some((each) => isSame(origin, each.toLowerCase()));
}

/** Whoever ends TLS before us asks us in plain HTTP; the other way round it is not our page. */
function isSame(origin: string, ours: string): boolean {
  return origin === ours || origin === ours.replace(/^http:/, "https:");
}
