/**
 * Responses that need not be made again, by the whole address of their request. One is fresh as long
 * as none of the pets it depends on has changed, so it is never older than the request.
 */

import type { Operation } from "../contract/operations.ts";
import { RecentMap } from "../core/recentMap.ts";
import type { PetExtent } from "../petstore/catalogue/petChanges.ts";
import type { HttpRequest, HttpResponse } from "../wire/message.ts";
import type { PreparedResponse } from "../wire/response.ts";

export interface CachedResponse {
  /** Of the pets, from before the response was made, or when it was last found fresh. */
  revision: number;
  readonly dependsOn: PetExtent;
  readonly operation: Operation;
  readonly response: HttpResponse & { readonly body: string };
  /** The same as bytes, once a request was seen that can be recognised by its bytes. */
  prepared?: PreparedResponse;
}

export const entriesMax = 20_480;
const weightMax = 12 * 1024 * 1024;
/** A power of two. */
const seenMax = 65_536;
/** What a response weighs beside its address and its body: its headers, as objects and as bytes. */
const headersWeight = 300;
/** Longer ones are rare, and are not worth the room. */
const addressCharactersMax = 512;

export class ResponseCache {
  readonly #responses = new RecentMap<CachedResponse>({ entries: entriesMax, weight: weightMax });
  /** Hashes of addresses that were asked for lately, each where its hash says. */
  readonly #seen = new Int32Array(seenMax);

  /** Whether it is fresh has to be asked. */
  find(url: string): CachedResponse | undefined {
    return this.#responses.get(url);
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

  add(url: string, cached: CachedResponse): void {
    this.#responses.set(url, cached, weightOf(url, cached));
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

/** With its body as text and as bytes. */
export function weightOf(key: string, { response }: CachedResponse): number {
  return key.length + 2 * response.body.length + headersWeight;
}

/** The address that the client asked for: links in the response depend on all of it. */
export function cacheKeyOf({ scheme, authority, path, query }: HttpRequest): string {
  return `${scheme}://${authority}${path}${query}`;
}
