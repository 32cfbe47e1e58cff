/** Finds the cached response to a request, if its key is authorized and the response still fresh. */
import type { Operation } from "../contract/operations.ts";
import type { Clock } from "../core/clock.ts";
import { RecentMap } from "../core/recentMap.ts";
import type { Catalogue } from "../petstore/catalogue/catalogue.ts";
import type { PetExtent } from "../petstore/catalogue/petChanges.ts";
import type { Authenticator } from "../petstore/keys/authenticator.ts";
import { allows } from "../petstore/keys/lifecycle.ts";
import type { Stores } from "../storage/stores.ts";
import type { HttpRequest, HttpResponse } from "../wire/message.ts";
import { PreparedResponse } from "../wire/response.ts";
import { plainToken } from "./authorize.ts";
import { isRemoved } from "./deprecation.ts";

export interface CacheParts {
  readonly authenticator: Authenticator;
  readonly revisions: Stores["revisions"];
  /** Queried for its revision if `revisions` is not exact. */
  readonly catalogue: Pick<Catalogue, "changes" | "revision">;
  readonly clock: Clock;
}

type CacheableResponse = HttpResponse & { readonly body: string };

export interface CacheHit {
  readonly response: CacheableResponse;
  readonly operation: Operation;
  readonly keyId: string;
  /** Undefined if the response is known to be fresh; otherwise this must be awaited. */
  readonly asksFreshness: (() => Promise<boolean>) | undefined;
}

interface PreparedHit extends Pick<CacheHit, "operation" | "keyId"> {
  readonly prepared: PreparedResponse;
}

/** Request headers that make the response differ from the shared one. */
const variations = ["if-none-match", "origin", "prefer", "x-request-id"];
/** With their responses, which stay in memory after the cache itself has evicted them. */
const requestsWeightMax = 20 * 1024 * 1024;

export class CacheLookup {
  readonly #parts: CacheParts;
  readonly #responses = new ResponseCache();
  /** By the whole text of a request, which then need not be parsed. */
  readonly #requests = new RecentMap<{ readonly cached: CachedResponse; readonly token: string }>({
    entries: entriesMax,
    weight: requestsWeightMax,
  });

  #last: { readonly request: HttpRequest; readonly key: string } | undefined;

  constructor(parts: CacheParts) {
    this.#parts = parts;
  }

  /** Finds only plain requests with a key that was authenticated recently. */
  find(request: HttpRequest): CacheHit | undefined {
    const cached = this.#responses.get(this.#keyOf(request));
    if (cached === undefined) return undefined;
    const token = plainToken(request);
    if (token === undefined) return undefined;
    if (variations.some((name) => request.header(name) !== undefined)) return undefined;
    const revisions = this.#revisions();
    if (revisions === undefined) return undefined;
    const keyId = this.#keyFor(cached, token, revisions.keys);
    if (keyId === undefined || !this.#isFresh(cached)) return undefined;
    const { operation } = cached;
    const response =
      cached.response instanceof PreparedResponse ? cached.response.parsed() : cached.response;
    if (!revisions.exact) {
      const asksFreshness = async () => {
        await this.#parts.catalogue.revision();
        return this.#isFresh(cached);
      };
      return { response, operation, keyId, asksFreshness };
    }
    const { text } = request;
    // A request of a trace is never repeated.
    if (text !== undefined && request.header("traceparent") === undefined) {
      this.#requests.set(text, { cached, token }, text.length + cached.weight);
    }
    return { response, operation, keyId, asksFreshness: undefined };
  }

  /** For the same bytes as before, without parsing them. */
  findByText(text: string): PreparedHit | undefined {
    const found = this.#requests.get(text);
    if (found === undefined) return undefined;
    const { cached, token } = found;
    const revisions = this.#revisions();
    const keyId = revisions?.exact ? this.#keyFor(cached, token, revisions.keys) : undefined;
    if (keyId === undefined || !this.#isFresh(cached)) {
      this.#requests.delete(text);
      return undefined;
    }
    if (!(cached.response instanceof PreparedResponse)) {
      cached.response = new PreparedResponse(cached.response, this.#parts.clock.now());
    }
    return { prepared: cached.response, operation: cached.operation, keyId };
  }

  /** `made` is called if caching is worthwhile. `revision` is from before the response was made. */
  add(
    request: HttpRequest,
    operation: Operation,
    revision: number,
    dependsOn: PetExtent,
    made: () => CacheableResponse,
  ): void {
    const key = this.#keyOf(request);
    if (!this.#responses.isWorthCaching(key)) return;
    this.#responses.add(key, made(), { revision, dependsOn, operation });
  }

  /** Made once for the look-up and for caching the response that was not found. */
  #keyOf(request: HttpRequest): string {
    if (this.#last?.request !== request) this.#last = { request, key: cacheKeyOf(request) };
    return this.#last.key;
  }

  #keyFor({ operation }: CachedResponse, token: string, revision: number): string | undefined {
    const nowMs = this.#parts.clock.now();
    const key = this.#parts.authenticator.recall(token, revision, nowMs);
    return key && allows(key, operation.scope) && !isRemoved(operation, nowMs) ? key.id : undefined;
  }

  /** According to the known changes. */
  #isFresh(cached: CachedResponse): boolean {
    const { changes } = this.#parts.catalogue;
    if (changes.affect(cached.dependsOn, cached.revision)) return false;
    cached.revision = changes.revision;
    return true;
  }

  #revisions(): ReturnType<Stores["revisions"]> | undefined {
    try {
      return this.#parts.revisions();
    } catch {
      // The store is unavailable. Handling the request without the cache reports that.
      return undefined;
    }
  }
}

export interface CachedResponse {
  /** The revision of the pets before the response was made, or when it was last found fresh. */
  revision: number;
  readonly dependsOn: PetExtent;
  readonly operation: Operation;
  /** Only bytes, which take less memory, once a request for it was recognised by its text. */
  response: CacheableResponse | PreparedResponse;
  readonly weight: number;
}

const entriesMax = 20_480;
const weightMax = 16 * 1024 * 1024;
/** A power of two. */
const seenMax = 65_536;
/** The memory of a response in addition to its body: headers and bookkeeping. */
const headersWeight = 600;
/** Longer ones are rare, and not worth the memory. */
const addressCharactersMax = 512;

/**
 * Cached responses by the whole URL of their request. One is fresh as long as none of the pets it
 * depends on has changed, which the caller has to check.
 */
export class ResponseCache extends RecentMap<CachedResponse> {
  /** Hashes of recently requested URLs, each at the index that its hash determines. */
  readonly #seen = new Int32Array(seenMax);

  constructor() {
    super({ entries: entriesMax, weight: weightMax });
  }

  /**
   * False the first time: caching what is requested only once would cost more than making it, and
   * would evict what is requested often.
   */
  isWorthCaching(url: string): boolean {
    if (url.length > addressCharactersMax) return false;
    const hash = hashOf(url);
    const at = hash & (seenMax - 1);
    if (this.#seen[at] === hash) return true;
    this.#seen[at] = hash;
    return false;
  }

  add(
    url: string,
    response: CacheableResponse,
    made: Pick<CachedResponse, "revision" | "dependsOn" | "operation">,
  ): void {
    const weight = response.body.length + headersWeight;
    this.set(url, { ...made, response, weight }, url.length + weight);
  }
}

/** What differs between addresses is mostly at their end. */
const hashedCharacters = 32;

/** FNV-1a. A collision only costs a place in the cache. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = Math.max(0, text.length - hashedCharacters); at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash;
}

/** The URL that the client requested: links in the response depend on all of it. */
function cacheKeyOf({ scheme, authority, path, query }: HttpRequest): string {
  return `${scheme}://${authority}${path}${query}`;
}
