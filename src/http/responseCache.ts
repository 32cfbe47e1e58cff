/** Finds the cached response to a request that may have it: allowed to its key, and still fresh. */
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
  /** Asked for its revision where `revisions` is not exact. */
  readonly catalogue: Pick<Catalogue, "changes" | "revision">;
  readonly clock: Clock;
}

type CacheableResponse = HttpResponse & { readonly body: string };

export interface CacheHit {
  readonly response: CacheableResponse;
  readonly operation: Operation;
  readonly keyId: string;
  /** Undefined where it is known to be fresh; else it has to be asked. */
  readonly asksFreshness: (() => Promise<boolean>) | undefined;
}

interface PreparedHit extends Pick<CacheHit, "operation" | "keyId"> {
  readonly prepared: PreparedResponse;
}

/** Headers by which a request makes its response another than the one that all get. */
const variations = ["if-none-match", "origin", "prefer", "x-request-id"];
/** With their responses, which they keep in memory after the cache itself has dropped them. */
const requestsWeightMax = 20 * 1024 * 1024;

export class CacheLookup {
  readonly #parts: CacheParts;
  readonly #responses = new ResponseCache();
  /** By the whole text of a request, of which nothing is then read again. */
  readonly #requests = new RecentMap<{ readonly cached: CachedResponse; readonly token: string }>({
    entries: entriesMax,
    weight: requestsWeightMax,
  });

  constructor(parts: CacheParts) {
    this.#parts = parts;
  }

  /** Whatever is not plain, a key that is not remembered among it, is not found here. */
  find(request: HttpRequest): CacheHit | undefined {
    const cached = this.#responses.get(cacheKeyOf(request));
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
    if (text !== undefined) {
      this.#requests.set(text, { cached, token }, text.length + cached.weight);
    }
    return { response, operation, keyId, asksFreshness: undefined };
  }

  /** The same bytes as before, and nothing of them is read. */
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

  /** `made` is called where it is worth it. `revision` is from before the response was made. */
  add(
    request: HttpRequest,
    operation: Operation,
    revision: number,
    dependsOn: PetExtent,
    made: () => CacheableResponse,
  ): void {
    const key = cacheKeyOf(request);
    if (!this.#responses.isWorthCaching(key)) return;
    this.#responses.add(key, made(), { revision, dependsOn, operation });
  }

  #keyFor({ operation }: CachedResponse, token: string, revision: number): string | undefined {
    const nowMs = this.#parts.clock.now();
    const key = this.#parts.authenticator.recall(token, revision, nowMs);
    return key && allows(key, operation.scope) && !isRemoved(operation, nowMs) ? key.id : undefined;
  }

  /** By the changes that are known. */
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
      // The store cannot be read. Handling the request without the cache says so.
      return undefined;
    }
  }
}

export interface CachedResponse {
  /** Of the pets, from before the response was made, or when it was last found fresh. */
  revision: number;
  readonly dependsOn: PetExtent;
  readonly operation: Operation;
  /** As bytes alone, which take less memory, once a request for it was recognised by its own. */
  response: CacheableResponse | PreparedResponse;
  readonly weight: number;
}

const entriesMax = 20_480;
const weightMax = 16 * 1024 * 1024;
/** A power of two. */
const seenMax = 65_536;
/** What a response weighs beside its body: its headers, and what keeps it. */
const headersWeight = 600;
/** Longer ones are rare, and are not worth the room. */
const addressCharactersMax = 512;

/**
 * Responses that need not be made again, by the whole address of their request. One is fresh as long
 * as none of the pets it depends on has changed, which has to be checked.
 */
export class ResponseCache extends RecentMap<CachedResponse> {
  /** Hashes of addresses that were asked for lately, each where its hash says. */
  readonly #seen = new Int32Array(seenMax);

  constructor() {
    super({ entries: entriesMax, weight: weightMax });
  }

  /**
   * False the first time: where everything is asked for once, caching it would cost more than
   * making it, and would drive out what is asked for often.
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

/** FNV-1a. Two addresses with one hash cost a place in the cache, and nothing else. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash;
}

/** The address that the client asked for: links in the response depend on all of it. */
function cacheKeyOf({ scheme, authority, path, query }: HttpRequest): string {
  return `${scheme}://${authority}${path}${query}`;
}
