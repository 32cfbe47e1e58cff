import type { HttpRequest } from "../../wire/message.ts";

/**
 * The defence against requests that another origin's page makes in our visitor's name. A cookie
 * counts only where this holds. SameSite alone would not do: a site that we host may share the
 * registrable domain with the dashboard, and then the browser adds the cookie.
 */
export type Comes = Pick<HttpRequest, "method" | "header">;

/** `own` are the origins that the service goes by. What changes something must say where it is from. */
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
