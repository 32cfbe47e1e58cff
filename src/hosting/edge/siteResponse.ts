/** The response of a site to a request, on any port and protocol. */

import type { Log } from "../../core/log.ts";
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import { Problem } from "../../core/problems.ts";
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
import type { SiteContents } from "../sites/sites.ts";

export type SiteRequest = Pick<HttpRequest, "method" | "path" | "query" | "header">;

/** What of the store is asked for. */
export type ServedContents = Pick<SiteContents, "file" | "content">;

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
  return then(findPage(place, deployment, contents), (page) => {
    if (page?.at !== undefined) {
      const headers = { location: page.at + request.query, "cache-control": "no-cache" };
      return textResponse(308, "This page is at another address.", headers);
    }
    if (page !== undefined) {
      return fileResponse(request, servedFile(page.file, contents), siteHeaders);
    }
    return then(firstFile(notFoundPaths(place), deployment, contents), (file) =>
      file === undefined
        ? textResponse(404, "Nothing is at this address.")
        : notFoundResponse(request, servedFile(file, contents), siteHeaders),
    );
  });
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
function findPage(
  place: SitePath,
  deployment: string,
  contents: ServedContents,
): MaybePromise<Page | undefined> {
  if (place.kind !== "path") return undefined;
  const { path, folder } = place;
  const other = folder ? `${path}.html` : `${path}/index.html`;
  const here = folder ? [joined(path, "index.html")] : [path, `${path}.html`];
  const paths = path === "" ? here : [...here, other];
  return then(
    firstFile(paths, deployment, contents),
    (file) => file && { file, at: file.path === other ? addressOf(path, !folder) : undefined },
  );
}

/** Deeper folders have no page of their own for what is not there: each costs a look-up. */
const notFoundDepthMax = 8;

/** That of the folder, or else of the nearest around it. */
function notFoundPaths(place: SitePath): string[] {
  if (place.kind !== "path") return ["404.html"];
  const { path, folder } = place;
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
  [path, ...others]: readonly string[],
  deployment: string,
  contents: ServedContents,
): MaybePromise<StoredFile | undefined> {
  if (path === undefined) return undefined;
  return then(
    contents.file(deployment, path),
    (file) => file ?? firstFile(others, deployment, contents),
  );
}

function servedFile(file: StoredFile, contents: ServedContents): ServedFile {
  return {
    hash: file.hash,
    bytes: file.bytes,
    mediaType: mediaTypeOf(file.path),
    cacheControl: isFingerprinted(file) ? "public, max-age=31536000, immutable" : "no-cache",
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
    "cache-control": "no-cache",
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

/** The place within a site that the path of a request names. It is decoded once, here, and never touches a disk. */
type SitePath =
  /** `folder` is true where the address ends with a slash. The path has none at either end. */
  | { readonly kind: "path"; readonly path: string; readonly folder: boolean }
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

interface SiteHostsOptions {
  readonly store: SiteContents;
  /** Where files and contents are read; the store itself, or a cache before it. */
  readonly contents: ServedContents;
  readonly log: Log;
}

const suffix = ".localhost";

/**
 * Answers where the host of a request is a site's, and is undefined for all others.
 * Nothing else is ever served on such an origin: what owners publish must not share one with the
 * API.
 */
export function createSiteHosts({ store, contents, log }: SiteHostsOptions) {
  return (request: HttpRequest): MaybePromise<HttpResponse> | undefined => {
    // First of all, and cheap: nearly every request is for the API.
    if (!request.host?.endsWith(suffix)) return undefined;
    const name = request.host.slice(0, -suffix.length);
    const failed = (cause: unknown) => {
      log.error("site.request_failed", { site: name, cause });
      return cause instanceof Problem && cause.status === 503
        ? textResponse(503, "This site cannot be shown right now.", { "retry-after": "2" })
        : textResponse(500, "This site cannot be shown because of a fault of ours.");
    };
    try {
      const response = respond(name, request);
      return response instanceof Promise ? response.catch(failed) : response;
    } catch (cause) {
      return failed(cause);
    }
  };

  function respond(slug: string, request: HttpRequest): MaybePromise<HttpResponse> {
    return then(store.project(slug), (project) =>
      project?.current === undefined
        ? textResponse(404, `No site is published as ${slug}.`)
        : siteResponse(request, project.current, contents),
    );
  }
}

const cacheBytesMax = 32 * 1024 * 1024;

/** The store with recent contents in memory. A content never changes under its hash, so none is stale. */
export function cachedContents(store: SiteContents, bytesMax = cacheBytesMax): ServedContents {
  const recent = new RecentMap<Uint8Array>({ entries: Number.POSITIVE_INFINITY, weight: bytesMax });
  return {
    file: (deploymentId, path) => store.file(deploymentId, path),
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
