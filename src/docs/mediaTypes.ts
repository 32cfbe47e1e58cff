/** How the files of the site are to be served. */
import { hashedForm } from "./assets.ts";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

export function mediaTypeOf(path: string): string {
  return types[path.split(".").at(-1) ?? ""] ?? "application/octet-stream";
}

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
