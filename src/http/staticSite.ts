/** A site of files in memory, with clean URLs. */
import type { MaybePromise } from "../core/maybePromise.ts";
import { fileResponse, notFoundResponse, type ServedFile } from "../wire/fileResponse.ts";
import type { HttpRequest, HttpResponse } from "../wire/message.ts";

interface StaticFile {
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

/** `path` is the part below `basePath`, as in the URL. */
export function siteResponse(
  { files, contentSecurityPolicy }: StaticSite,
  basePath: string,
  path: string,
  request: Pick<HttpRequest, "method" | "header">,
): MaybePromise<HttpResponse> {
  const found = files.get(path === "" || path.endsWith("/") ? `${path}index.html` : path);
  if (found === undefined && files.has(`${path}/index.html`)) {
    return { status: 308, headers: { location: `${basePath}${path}/` } };
  }
  const headers = {
    "content-security-policy": contentSecurityPolicy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
  if (found !== undefined) return fileResponse(request, servedFile(found), headers);
  const page = files.get("404.html");
  return page === undefined ? pageNotFound : notFoundResponse(request, servedFile(page), headers);
}

function servedFile({ bytes, gzip, etag, mediaType, cacheControl }: StaticFile): ServedFile {
  return {
    hash: etag.slice(1, -1),
    bytes: bytes.byteLength,
    mediaType,
    cacheControl,
    smaller: gzip === undefined ? [] : ["gzip"],
    content: (coding) => (coding === "gzip" && gzip !== undefined ? gzip : bytes),
  };
}

export const pageNotFound: HttpResponse = {
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "Not found.\n",
};
