import type { HttpResponse, RequestHeaders } from "../wire/message.ts";

/** A site of files in memory, with addresses as people type them. */
export interface StaticFile {
  readonly mediaType: string;
  readonly cacheControl: string;
  readonly etag: string;
  readonly bytes: Uint8Array;
  readonly gzip: Uint8Array | undefined;
}

export interface StaticSite {
  readonly files: ReadonlyMap<string, StaticFile>;
  readonly contentSecurityPolicy: string;
}

/** `path` is that below `basePath`, as it stands in the address. */
export function siteResponse(
  { files, contentSecurityPolicy }: StaticSite,
  basePath: string,
  path: string,
  request: RequestHeaders,
): HttpResponse {
  const found = files.get(path === "" || path.endsWith("/") ? `${path}index.html` : path);
  if (found === undefined && files.has(`${path}/index.html`)) {
    return { status: 308, headers: { location: `${basePath}${path}/` } };
  }
  const file = found ?? files.get("404.html");
  if (file === undefined) return pageNotFound;
  const headers: Record<string, string> = {
    "content-type": file.mediaType,
    "cache-control": found === undefined ? "no-cache" : file.cacheControl,
    "content-security-policy": contentSecurityPolicy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    vary: "Accept-Encoding",
    etag: file.etag,
  };
  if (found === undefined) return answered(404, file, headers, request);
  const held = request.header("if-none-match");
  return held?.includes(file.etag.slice(0, -1))
    ? { status: 304, headers }
    : answered(200, file, headers, request);
}

function answered(
  status: number,
  file: StaticFile,
  headers: Record<string, string>,
  request: RequestHeaders,
): HttpResponse {
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(
    request.header("accept-encoding") ?? "",
  );
  if (!takesGzip || file.gzip === undefined) return { status, headers, body: file.bytes };
  // Another form of the same content needs a name of its own (RFC 9110, section 8.8.3.3).
  const etag = `${file.etag.slice(0, -1)}-gzip"`;
  return { status, headers: { ...headers, etag, "content-encoding": "gzip" }, body: file.gzip };
}

export const pageNotFound: HttpResponse = {
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "Not found.\n",
};
