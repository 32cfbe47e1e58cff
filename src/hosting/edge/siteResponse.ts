/** The response of a site to a request, on any port and protocol. */

import { type MaybePromise, then } from "../../core/maybePromise.ts";
import { RecentMap } from "../../core/recentMap.ts";
import { fileResponse, notFoundResponse, type ServedFile } from "../../wire/fileResponse.ts";
import type { HttpRequest, HttpResponse } from "../../wire/message.ts";
import {
  hasTooManyCombiningMarks,
  mediaTypeOf,
  normalizePath,
  pathError,
  type StoredFile,
} from "../sites/siteFile.ts";
import {
  destinationOf,
  findRedirect,
  isRulesFile,
  type RedirectMatch,
  readRules,
  type SiteRules,
  withRuleHeaders,
} from "../sites/siteRules.ts";
import type { SiteContents } from "../sites/sites.ts";

export type SiteRequest = Pick<HttpRequest, "method" | "path" | "query" | "header">;

/** What of the store is asked for. */
export interface ServedContents extends Pick<SiteContents, "file" | "content"> {
  rules(deployment: string): MaybePromise<SiteRules>;
}

interface Site {
  readonly deployment: string;
  readonly contents: ServedContents;
  readonly rules: SiteRules;
}

/**
 * For pages that others wrote: they keep their own scripts, and are not framed by strangers, who
 * could lay something over them.
 */
const siteHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "content-security-policy": "frame-ancestors 'self'",
} as const;

export function siteResponse(
  request: SiteRequest,
  deployment: string,
  contents: ServedContents,
): MaybePromise<HttpResponse> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return textResponse(405, "Only GET and HEAD are served here.", { allow: "GET, HEAD" });
  }
  const place = parseSitePath(request.path);
  if (place.kind === "malformed") return textResponse(400, "This address is malformed.");
  return then(contents.rules(deployment), (rules) => {
    const site = { deployment, contents, rules };
    if (place.kind === "nowhere") return notFound(request, ["404.html"], site);
    const response = respondAt(place, request, site);
    return rules.headers.length === 0
      ? response
      : then(response, (found) => withHeaders(found, rules, place.path));
  });
}

/** A page goes before a rule, except where the rule is forced. */
function respondAt(place: Place, request: SiteRequest, site: Site): MaybePromise<HttpResponse> {
  return then(findPage(place, site), (page) => {
    const match = findRedirect(site.rules, place, page === undefined ? "any" : "forced");
    if (match !== undefined) return follow(match, place, request, site);
    if (page === undefined) return notFound(request, notFoundPaths(place), site);
    if (page.at !== undefined) return redirect(308, page.at + request.query);
    return fileResponse(request, servedFile(page.file, site), siteHeaders);
  });
}

function follow(
  match: RedirectMatch,
  place: Place,
  request: SiteRequest,
  site: Site,
): MaybePromise<HttpResponse> {
  const { status } = match.redirect;
  const destination = destinationOf(match, request.query);
  if (status !== 200 && status !== 404) return redirect(status, destination);
  const target = parseSitePath(destination);
  const page = target.kind === "path" ? findPage(target, site) : undefined;
  return then(page, (found) => {
    if (found === undefined) return notFound(request, notFoundPaths(place), site);
    // Under this address there may be another file tomorrow.
    const file = { ...servedFile(found.file, site), cacheControl: revalidated };
    const answer = status === 404 ? notFoundResponse : fileResponse;
    return answer(request, file, siteHeaders);
  });
}

function redirect(status: number, location: string): HttpResponse {
  return textResponse(status, "This page is at another address.", { location });
}

function notFound(
  request: SiteRequest,
  paths: readonly string[],
  site: Site,
): MaybePromise<HttpResponse> {
  return then(firstFile(paths, site), (file) =>
    file === undefined
      ? textResponse(404, "Nothing is at this address.")
      : notFoundResponse(request, servedFile(file, site), siteHeaders),
  );
}

/** Redirects have no headers of their own, and what is not there may be there tomorrow. */
function withHeaders(response: HttpResponse, rules: SiteRules, path: string): HttpResponse {
  const { status, headers } = response;
  if (status !== 304 && status >= 300 && status !== 404) return response;
  const changed = withRuleHeaders(rules, path, headers);
  if (status === 404) changed["cache-control"] = revalidated;
  return { ...response, headers: changed };
}

interface Page {
  readonly file: StoredFile;
  /** The one address of the page, where it is not the one that was asked for. */
  readonly at: string | undefined;
}

/**
 * The address of a folder's page ends with a slash, which links in it need; that of any other page
 * does not. Where both exist, each has its own address.
 */
function findPage({ path, folder }: Place, site: Site): MaybePromise<Page | undefined> {
  if (isRulesFile(path)) return undefined;
  const other = folder ? `${path}.html` : `${path}/index.html`;
  const here = folder ? [joined(path, "index.html")] : [path, `${path}.html`];
  const paths = path === "" ? here : [...here, other];
  return then(
    firstFile(paths, site),
    (file) => file && { file, at: file.path === other ? addressOf(path, !folder) : undefined },
  );
}

/** Deeper folders have no page of their own for what is not there: each costs a look-up. */
const notFoundDepthMax = 8;

/** That of the folder, or else of the nearest around it. */
function notFoundPaths({ path, folder }: Place): string[] {
  const folders = path.split("/").slice(0, folder ? undefined : -1);
  const depth = path === "" ? 0 : Math.min(folders.length, notFoundDepthMax);
  return Array.from({ length: depth + 1 }, (_, up) =>
    joined(folders.slice(0, depth - up).join("/"), "404.html"),
  );
}

function joined(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function firstFile(
  paths: readonly string[],
  site: Site,
  at = 0,
): MaybePromise<StoredFile | undefined> {
  const path = paths[at];
  if (path === undefined) return undefined;
  return then(
    site.contents.file(site.deployment, path),
    (file) => file ?? firstFile(paths, site, at + 1),
  );
}

const revalidated = "no-cache";

function servedFile(file: StoredFile, { contents }: Site): ServedFile {
  return {
    hash: file.hash,
    bytes: file.bytes,
    mediaType: mediaTypeOf(file.path),
    cacheControl: isFingerprinted(file) ? "public, max-age=31536000, immutable" : revalidated,
    smaller: file.smaller,
    content: (coding) =>
      then(contents.content(file.hash, coding), (content) => {
        if (content === undefined) throw new Error(`The content ${file.hash} is gone (${coding}).`);
        return content;
      }),
  };
}

/** A response of our own, for people. */
export function textResponse(
  status: number,
  words: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const always = {
    ...siteHeaders,
    "content-type": "text/plain; charset=utf-8",
    "cache-control": revalidated,
  };
  return { status, headers: { ...always, ...headers }, body: `${words}\n` };
}

const fingerprintForm = /[.-]([0-9a-f]{8,128})\.[A-Za-z0-9.]+$/;
/** What pages load. A page, or a download, may have the number of a commit in its name. */
const assetType = /^(?:text\/(?:css|javascript)|font\/|image\/|application\/wasm)/;

/**
 * Whether the name changes with the content. Certainly so where it contains the beginning of the
 * content's own hash; otherwise as build tools name assets, and not a date, a number or a word.
 */
function isFingerprinted({ path, hash }: StoredFile): boolean {
  const [, named] = fingerprintForm.exec(path) ?? [];
  if (named === undefined) return false;
  if (hash.startsWith(named)) return true;
  return assetType.test(mediaTypeOf(path)) && /\d/.test(named) && /[a-f]/.test(named);
}

interface Place {
  readonly kind: "path";
  /** Without slashes at its ends. */
  readonly path: string;
  /** Whether the address ends with a slash. */
  readonly folder: boolean;
}

/** The place within a site that the path of a request names. It is decoded once, here, and never touches a disk. */
type SitePath =
  | Place
  /** No file can be there. */
  | { readonly kind: "nowhere" }
  | { readonly kind: "malformed" };

const addressLengthMax = 8_192;

export function parseSitePath(raw: string): SitePath {
  if (!raw.startsWith("/")) return { kind: "malformed" };
  if (raw.length > addressLengthMax) return { kind: "nowhere" };
  const segments = decoded(raw.slice(1).split("/"));
  if (segments === undefined) return { kind: "malformed" };
  // A slash that was encoded is part of a name, and no file has one in its name.
  if (segments.some((segment) => segment.includes("/"))) return { kind: "nowhere" };
  if (segments.some(hasTooManyCombiningMarks)) return { kind: "nowhere" };
  const folder = segments.at(-1) === "";
  const path = normalizePath((folder ? segments.slice(0, -1) : segments).join("/"));
  if (path === "" && segments.length === 1) return { kind: "path", path, folder: true };
  return pathError(path) === undefined ? { kind: "path", path, folder } : { kind: "nowhere" };
}

/** Undefined where an escape is none, or is of no character, or of one that no address has. */
function decoded(segments: readonly string[]): string[] | undefined {
  try {
    const texts = segments.map(decodeURIComponent);
    return texts.some((text) => /\p{Cc}/u.test(text)) ? undefined : texts;
  } catch {
    return undefined;
  }
}

/** Begins with one slash and a name: it cannot lead to another host. */
function addressOf(path: string, folder: boolean): string {
  return `/${path.split("/").map(encodeURIComponent).join("/")}${folder ? "/" : ""}`;
}

const cacheBytesMax = 32 * 1024 * 1024;
const rulesCacheMax = { entries: 4_096, weight: 16 * 1024 * 1024 };

/**
 * The store with recent contents and rules in memory. A content never changes under its hash, nor a
 * deployment that is served, so none is stale.
 */
export function cachedContents(store: SiteContents, bytesMax = cacheBytesMax): ServedContents {
  const recent = new RecentMap<Uint8Array>({ entries: Number.POSITIVE_INFINITY, weight: bytesMax });
  const recentRules = new RecentMap<SiteRules>(rulesCacheMax);
  return {
    file: (deploymentId, path) => store.file(deploymentId, path),
    rules: (deployment) =>
      recentRules.get(deployment) ??
      then(readRules(store, deployment), ({ rules, weight }) => {
        recentRules.set(deployment, rules, weight);
        return rules;
      }),
    content(hash, encoding) {
      const key = `${encoding} ${hash}`;
      return (
        recent.get(key) ??
        then(store.content(hash, encoding), (content) => {
          // A larger one would not fit into either generation of the map.
          if (content !== undefined && content.byteLength <= bytesMax / 2) {
            recent.set(key, content, content.byteLength);
          }
          return content;
        })
      );
    },
  };
}
