/** Every project at `<slug>.localhost`, on the service's own port and with nothing to set up. */
import type { Log } from "../log.ts";
import { type MaybePromise, then } from "../maybePromise.ts";
import { Problem } from "../problems.ts";
import type { SiteContents } from "../sites/sites.ts";
import type { HttpRequest, HttpResponse } from "../wire/message.ts";
import { inWords, type ServedContents, siteAnswer } from "./siteAnswer.ts";

export interface SiteHostsParts {
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
export function createSiteHosts({ store, contents, log }: SiteHostsParts) {
  return (request: HttpRequest): MaybePromise<HttpResponse> | undefined => {
    // First of all, and cheap: nearly every request is for the API.
    if (!request.host?.endsWith(suffix)) return undefined;
    const name = request.host.slice(0, -suffix.length);
    const failed = (cause: unknown) => {
      log.error("site.failed", { site: name, cause });
      return failure(cause);
    };
    try {
      const answer = answerOf(name, request);
      return answer instanceof Promise ? answer.catch(failed) : answer;
    } catch (cause) {
      return failed(cause);
    }
  };

  function answerOf(slug: string, request: HttpRequest): MaybePromise<HttpResponse> {
    return then(store.project(slug), (project) =>
      project?.current === undefined
        ? inWords(404, `No site is published as ${slug}.`)
        : siteAnswer(request, { deployment: project.current }, contents),
    );
  }
}

function failure(cause: unknown): HttpResponse {
  return cause instanceof Problem && cause.status === 503
    ? inWords(503, "This site cannot be shown right now.", { "retry-after": "2" })
    : inWords(500, "This site cannot be shown because of a fault of ours.");
}
