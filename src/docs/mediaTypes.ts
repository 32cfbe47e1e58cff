/** How the files of the site are to be served. */
import { hashedForm } from "./assets.ts";

export { mediaTypeOf } from "../hosting/sites/mediaTypes.ts";

export function cacheControlOf(path: string): string {
  return hashedForm.test(path) ? "public, max-age=31536000, immutable" : "no-cache";
}

/**
 * The policy for the pages. The form that tries operations may call the API, so its origin is named
 * when it is another one.
 */
export function contentSecurityPolicy(baseUrl: string): string {
  const origin = baseUrl.startsWith("/") ? "" : ` ${new URL(baseUrl).origin}`;
  return `default-src 'self'; connect-src 'self'${origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'`;
}
