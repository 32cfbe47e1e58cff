/** Every project at `<slug>.localhost`, on the service's own port and with nothing to set up. */
import type { Log } from "../log.ts";
import { type MaybePromise, then } from "../maybePromise.ts";
import { Problem } from "../problems.ts";
import type { SiteContents } from "../sites/sites.ts";
import { inWords, type ServedContents, type SiteAnswer, siteAnswer } from "./siteAnswer.ts";

export interface SiteHostsParts {
  readonly store: SiteContents;
  /** Where files and contents are read; the store itself, or a cache before it. */
  readonly contents: ServedContents;
  readonly log: Log;
}

const hostForm = /^https?:\/\/([^/:]+)\.localhost\.?(?::\d+)?$/i;

/**
 * Answers where the origin of a request's address is a site's, and is undefined for all others.
 * Nothing else is ever served on such an origin: what owners publish must not share one with the
 * API.
 */
export function createSiteHosts({ store, contents, log }: SiteHostsParts) {
  return (origin: string, request: Request): MaybePromise<Response> | undefined => {
    // First of all, and cheap: nearly every request is for the API.
    if (!origin.includes(".localhost")) return undefined;
    const [, name] = hostForm.exec(origin) ?? [];
    if (name === undefined) return undefined;
    const failed = (cause: unknown) => {
      log.error("site.failed", { site: name, cause });
      return responseOf(failure(request, cause));
    };
    try {
      const answer = answerOf(name.toLowerCase(), origin, request);
      return answer instanceof Promise ? answer.then(responseOf).catch(failed) : responseOf(answer);
    } catch (cause) {
      return failed(cause);
    }
  };

  function answerOf(slug: string, origin: string, request: Request): MaybePromise<SiteAnswer> {
    return then(store.project(slug), (project) => {
      if (project?.current === undefined) {
        return inWords(request, 404, `No site is published as ${slug}.`);
      }
      const asked = {
        method: request.method,
        path: request.url.slice(origin.length),
        header: (header: string) => request.headers.get(header) ?? undefined,
      };
      return siteAnswer(asked, { deployment: project.current }, contents);
    });
  }
}

function failure(request: Request, cause: unknown): SiteAnswer {
  return cause instanceof Problem && cause.status === 503
    ? inWords(request, 503, "This site cannot be shown right now.", { "retry-after": "2" })
    : inWords(request, 500, "This site cannot be shown because of a fault of ours.");
}

function responseOf({ status, headers, body }: SiteAnswer): Response {
  return new Response(body ?? null, { status, headers });
}
