import type { RequestHeaders } from "../../wire/message.ts";

/**
 * Whether a request may come from where it says it does. A browser tells of every request of a page
 * where the page is from, and a page of another origin has no business here, whatever cookies the
 * browser adds. Programs send neither header.
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
