/** Every project at `<slug>.localhost`, on the service's own port and with nothing to set up. */
import type { Log } from "../../core/log.ts";
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import { Problem } from "../../core/problems.ts";
import { RecentMap } from "../../core/recentMap.ts";
import type { HttpRequest, HttpResponse } from "../../wire/message.ts";
import type { SiteContents } from "../sites/sites.ts";
import { type ServedContents, siteResponse, textResponse } from "./siteResponse.ts";

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
      return failure(cause);
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

function failure(cause: unknown): HttpResponse {
  return cause instanceof Problem && cause.status === 503
    ? textResponse(503, "This site cannot be shown right now.", { "retry-after": "2" })
    : textResponse(500, "This site cannot be shown because of a fault of ours.");
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
