/** What a site answers to a request, on whichever port and protocol it came. */

import { type MaybePromise, then } from "../maybePromise.ts";
import { mediaTypeOf } from "../sites/mediaTypes.ts";
import type { Encoding, StoredFile } from "../sites/siteFile.ts";
import type { SiteContents } from "../sites/sites.ts";
import type { HttpRequest, HttpResponse } from "../wire/message.ts";
import { chooseEncoding } from "./siteEncoding.ts";
import { locationOf, type Place, placeOf } from "./sitePlace.ts";
import { type RangeVerdict, rangeOf } from "./siteRange.ts";

export type SiteRequest = Pick<HttpRequest, "method" | "path" | "query" | "header">;

/** Without `Set-Cookie` and such: each header once. */
export interface SiteAnswer extends HttpResponse {
  readonly headers: Readonly<Record<string, string>>;
}

/** What of the store is asked for. */
export type ServedContents = Pick<SiteContents, "file" | "content">;

export interface ServedSite {
  /** The id of the deployment that is shown. */
  readonly deployment: string;
}

/**
 * For pages that others wrote: they keep their own scripts, and are not framed by strangers, who
 * could lay something over them.
 */
export const siteHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "content-security-policy": "frame-ancestors 'self'",
} as const;

export function siteAnswer(
  request: SiteRequest,
  { deployment }: ServedSite,
  contents: ServedContents,
): MaybePromise<SiteAnswer> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return inWords(405, "Only GET and HEAD are served here.", { allow: "GET, HEAD" });
  }
  const place = placeOf(request.path + request.query);
  if (place.kind === "malformed") return inWords(400, "This address is malformed.");
  return then(findFile(place, deployment, contents), (found) => {
    if (found === "moved") {
      const headers = { location: locationOf(place), "cache-control": "no-cache" };
      return inWords(308, "This page is at the same address with a slash.", headers);
    }
    return found === undefined
      ? notFound(request, deployment, contents)
      : served(request, found, contents);
  });
}

/** "moved" where there is a folder of that name with a page: links in it need the slash. */
function findFile(
  place: Place,
  deployment: string,
  contents: ServedContents,
): MaybePromise<StoredFile | "moved" | undefined> {
  if (place.kind !== "path") return undefined;
  const { path, folder } = place;
  const index = path === "" ? "index.html" : `${path}/index.html`;
  if (folder) return contents.file(deployment, index);
  return then(
    contents.file(deployment, path),
    (file) =>
      file ?? then(contents.file(deployment, index), (page) => (page ? "moved" : undefined)),
  );
}

function served(
  request: SiteRequest,
  file: StoredFile,
  contents: ServedContents,
): MaybePromise<SiteAnswer> {
  const encoding = chooseEncoding(request.header("accept-encoding"), file.smaller);
  const etag = tagOf(file, encoding);
  const headers: Record<string, string> = {
    ...siteHeaders,
    etag,
    "cache-control": cacheControlOf(file),
    ...(file.smaller.length > 0 ? { vary: "Accept-Encoding" } : {}),
  };
  if (isHeld(request.header("if-none-match"), etag)) {
    return { status: 304, headers };
  }
  const range = wantedRange(request, file, encoding, etag);
  if (range.kind === "unsatisfiable") {
    return inWords(416, "The file is shorter than that.", {
      "content-range": `bytes */${file.bytes}`,
    });
  }
  if (encoding === "identity") headers["accept-ranges"] = "bytes";
  return withContent(file, encoding, contents, (content) => {
    if (range.kind === "whole") return { status: 200, headers, body: content };
    const { first, last } = range;
    headers["content-range"] = `bytes ${first}-${last}/${file.bytes}`;
    return { status: 206, headers, body: content.subarray(first, last + 1) };
  });
}

/** Only of the content itself: a piece of a smaller form is of no use by itself. */
function wantedRange(
  request: SiteRequest,
  file: StoredFile,
  encoding: Encoding,
  etag: string,
): RangeVerdict {
  if (request.method !== "GET" || encoding !== "identity") return { kind: "whole" };
  return rangeOf(request.header("range"), request.header("if-range"), file.bytes, etag);
}

function notFound(
  request: SiteRequest,
  deployment: string,
  contents: ServedContents,
): MaybePromise<SiteAnswer> {
  return then(contents.file(deployment, "404.html"), (file) => {
    if (file === undefined) return inWords(404, "Nothing is at this address.");
    const encoding = chooseEncoding(request.header("accept-encoding"), file.smaller);
    const headers = { ...siteHeaders, "cache-control": "no-cache", vary: "Accept-Encoding" };
    return withContent(file, encoding, contents, (content) => ({
      status: 404,
      headers,
      body: content,
    }));
  });
}

function withContent(
  file: StoredFile,
  encoding: Encoding,
  contents: ServedContents,
  make: (content: Uint8Array) => SiteAnswer,
): MaybePromise<SiteAnswer> {
  return then(contents.content(file.hash, encoding), (content) => {
    if (content === undefined) throw new Error(`The content ${file.hash} is gone (${encoding}).`);
    const { status, headers, body } = make(content);
    const coding = encoding === "identity" ? {} : { "content-encoding": encoding };
    return {
      status,
      headers: { ...headers, "content-type": mediaTypeOf(file.path), ...coding },
      body,
    };
  });
}

/** An answer of our own, for people. */
export function inWords(
  status: number,
  words: string,
  headers: Readonly<Record<string, string>> = {},
): SiteAnswer {
  const always = {
    ...siteHeaders,
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-cache",
  };
  return { status, headers: { ...always, ...headers }, body: `${words}\n` };
}

/** Strong: each form has a name of its own (RFC 9110, section 8.8.3.3). */
function tagOf({ hash }: StoredFile, encoding: Encoding): string {
  return encoding === "identity" ? `"${hash}"` : `"${hash}-${encoding}"`;
}

/** If-None-Match compares weakly: `W/"x"` stands for `"x"`. */
function isHeld(held: string | undefined, etag: string): boolean {
  if (held === undefined) return false;
  return held.trim() === "*" || (held.match(/"[^"]*"/g)?.includes(etag) ?? false);
}

const fingerprintForm = /[.-]([0-9a-f]{8,64})\.[A-Za-z0-9.]+$/;

/**
 * For good only where it is certain that the name changes with the content: when it holds the
 * beginning of the content's own hash. Any other number in a name may be anything.
 */
function cacheControlOf({ path, hash }: StoredFile): string {
  const [, named] = fingerprintForm.exec(path) ?? [];
  return named !== undefined && hash.startsWith(named)
    ? "public, max-age=31536000, immutable"
    : "no-cache";
}
