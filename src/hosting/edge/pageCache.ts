/** The latest whole responses of sites, for as long as nothing that is served has changed. */

import { type MaybePromise, then } from "../../core/maybePromise.ts";
import { RecentMap } from "../../core/recentMap.ts";
import type { HttpResponse } from "../../wire/message.ts";
import { PreparedResponse } from "../../wire/response.ts";
import type { EdgeView } from "../domains/edgeView.ts";
import type { EdgeRequest } from "./requestHandler.ts";

/** Of pages, and of the texts of requests for them, each with what it holds of a body. */
export const cacheMax = { entries: 4_096, weight: 16 * 1024 * 1024 };
/** Larger ones take longer to send than to make. */
const bodyBytesMax = 64 * 1024;
/** Both the path and what a client accepts are for it to choose. */
const keyCharactersMax = 1_024;

type Page = HttpResponse & { readonly body: Uint8Array };

/** A cached response as HTTP/1.1 sends it. */
export interface CachedPage {
  readonly host: string;
  readonly path: string;
  readonly response: Page;
  /** What it holds: the response as it was made, and once more as HTTP/1.1 sends it. */
  readonly bytes: number;
  prepared: PreparedResponse | undefined;
}

export class PageCache {
  readonly #view: Pick<EdgeView, "revisionNow">;
  #pages = new RecentMap<CachedPage>(cacheMax);
  /** By the whole text of a request, of which nothing is then read again. */
  #byText = new RecentMap<CachedPage>(cacheMax);
  /** The state of the domains and sites that all of them are of. */
  #revision: number | undefined;

  constructor(view: Pick<EdgeView, "revisionNow">) {
    this.#view = view;
  }

  /** The response that was made for the same request, or what `make` gives. */
  get(request: EdgeRequest, make: () => MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
    // Before anything else is read: what changes meanwhile is noticed by the next request.
    const revision = this.#view.revisionNow?.();
    const key = revision === undefined ? undefined : keyOf(request);
    if (key === undefined) return make();
    this.#dropUnless(revision);
    const cached = this.#pages.get(key);
    if (cached !== undefined) {
      const { text } = request;
      if (text !== undefined && request.header("traceparent") === undefined)
        this.#byText.set(text, cached, text.length + cached.bytes);
      return cached.response;
    }
    return then(make(), (response) => {
      if (revision === this.#revision && isCacheable(response)) {
        const { host, path } = request;
        const page = { host, path, response, bytes: bytesOf(response), prepared: undefined };
        this.#pages.set(key, page, key.length + page.bytes);
      }
      return response;
    });
  }

  /** The response to a request of exactly this text, for a host. */
  findByText(text: string, host: string, nowMs: number): CachedPage | undefined {
    try {
      this.#dropUnless(this.#view.revisionNow?.());
    } catch {
      // The store cannot be read. Handling the request says so.
      return undefined;
    }
    const found = this.#byText.get(text);
    if (found?.host !== host) return undefined;
    found.prepared ??= new PreparedResponse(found.response, nowMs);
    return found;
  }

  #dropUnless(revision: number | undefined): void {
    if (revision === this.#revision) return;
    this.#pages = new RecentMap(cacheMax);
    this.#byText = new RecentMap(cacheMax);
    this.#revision = revision;
  }
}

function bytesOf({ body, headers }: Page): number {
  const entries = Object.entries(headers);
  const head = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return 2 * (head + body.byteLength);
}

/** Undefined where a request may get less than the whole. A query changes nothing of a file. */
function keyOf({ method, host, path, header }: EdgeRequest): string | undefined {
  if (method !== "GET") return undefined;
  if (header("if-none-match") !== undefined || header("range") !== undefined) return undefined;
  const key = `${host}${path}\n${header("accept-encoding") ?? ""}`;
  return key.length <= keyCharactersMax ? key : undefined;
}

function isCacheable(response: HttpResponse): response is Page {
  const { status, body, close } = response;
  if (status !== 200 || close === true || !(body instanceof Uint8Array)) return false;
  return body.byteLength <= bodyBytesMax;
}
