/** The latest whole responses of sites, for as long as nothing that is served has changed. */
import type { EdgeView } from "../domains/edgeView.ts";
import { type MaybePromise, then } from "../maybePromise.ts";
import type { EdgeRequest } from "./answering.ts";
import type { SiteAnswer } from "./siteAnswer.ts";

export const cachedResponsesMax = 256;
/** Larger ones take longer to send than to make. */
const bodyBytesMax = 64 * 1024;
/** Both the path and what a client accepts are for it to choose. */
const keyCharactersMax = 1_024;

export class ResponseCache {
  readonly #view: Pick<EdgeView, "revisionNow">;
  /** The oldest first. */
  readonly #responses = new Map<string, SiteAnswer>();
  /** The state of the domains and sites that all of them are of. */
  #revision: number | undefined;

  constructor(view: Pick<EdgeView, "revisionNow">) {
    this.#view = view;
  }

  /** The response that was made for the same request, or what `make` gives. */
  get(request: EdgeRequest, make: () => MaybePromise<SiteAnswer>): MaybePromise<SiteAnswer> {
    // Before anything else is read: what changes meanwhile is noticed by the next request.
    const revision = this.#view.revisionNow?.();
    const key = revision === undefined ? undefined : keyOf(request);
    if (key === undefined) return make();
    if (revision !== this.#revision) {
      this.#responses.clear();
      this.#revision = revision;
    }
    const cached = this.#responses.get(key);
    if (cached !== undefined) return cached;
    return then(make(), (response) => {
      if (revision === this.#revision && isCacheable(response)) this.#add(key, response);
      return response;
    });
  }

  #add(key: string, response: SiteAnswer): void {
    this.#responses.set(key, response);
    const [oldest] = this.#responses.keys();
    if (this.#responses.size > cachedResponsesMax && oldest !== undefined) {
      this.#responses.delete(oldest);
    }
  }
}

/** Undefined where a request may get less than the whole. A query changes nothing of a file. */
function keyOf({ method, host, path, header }: EdgeRequest): string | undefined {
  if (method !== "GET") return undefined;
  if (header("if-none-match") !== undefined || header("range") !== undefined) return undefined;
  const key = `${host}${path}\n${header("accept-encoding") ?? ""}`;
  return key.length <= keyCharactersMax ? key : undefined;
}

function isCacheable({ status, body, close }: SiteAnswer): boolean {
  if (status !== 200 || close === true || !(body instanceof Uint8Array)) return false;
  return body.byteLength <= bodyBytesMax;
}
