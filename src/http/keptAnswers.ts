/**
 * Answers that need not be made again, by the whole address of their request. An answer stands only
 * while the pets are at the revision it was made at, so it is never older than the request: who
 * asks for a revision and finds the same one knows that making the answer now would make the same.
 */
import type { Revision } from "../catalogue/catalogue.ts";
import type { Operation } from "../contract/operations.ts";
import type { HttpRequest, HttpResponse } from "../wire/message.ts";
import type { PreparedResponse } from "../wire/preparedResponse.ts";

export interface KeptAnswer {
  /** Of the pets, read before the answer was made. */
  readonly revision: Revision;
  readonly operation: Operation;
  readonly response: HttpResponse & { readonly body: string };
  /** The same as bytes, once a request was seen that can be recalled. */
  prepared?: PreparedResponse;
}

/** Of addresses and bodies. With their objects around them, small answers take several times it. */
const charactersMax = 8 * 1024 * 1024;
const answersMax = 20_480;
/** Longer ones are rare, and are not worth the room. */
const addressCharactersMax = 512;

/**
 * Two halves: what is asked for moves to the young one, and when that is full the old one is
 * dropped whole. So what is asked for often stays, and no hit has to keep an order up to date.
 */
export class KeptAnswers {
  #young = new Map<string, KeptAnswer>();
  #old = new Map<string, KeptAnswer>();
  #youngCharacters = 0;
  /** Addresses asked for once of late. */
  #seen = new Set<string>();

  /** Whether it still stands is told by its revision alone. */
  find(url: string): KeptAnswer | undefined {
    const young = this.#young.get(url);
    if (young !== undefined) return young;
    const old = this.#old.get(url);
    if (old !== undefined) this.keep(url, old);
    return old;
  }

  /**
   * False the first time: where everything is asked for once, keeping it would cost more than
   * making it, and would drive out what is asked for often.
   */
  isWorthKeeping(url: string): boolean {
    if (url.length > addressCharactersMax) return false;
    if (this.#seen.has(url)) return true;
    if (this.#seen.size >= answersMax) this.#seen.clear();
    this.#seen.add(url);
    return false;
  }

  keep(url: string, answer: KeptAnswer): void {
    const characters = url.length + answer.response.body.length;
    const before = this.#young.get(url);
    if (before !== undefined) this.#youngCharacters -= url.length + before.response.body.length;
    if (
      this.#young.size >= answersMax / 2 ||
      this.#youngCharacters + characters > charactersMax / 2
    ) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngCharacters = 0;
    }
    this.#young.set(url, answer);
    this.#youngCharacters += characters;
  }
}

/** The address that the client asked for: links in the response depend on all of it. */
export function cacheKeyOf({ scheme, authority, path, query }: HttpRequest): string {
  return `${scheme}://${authority}${path}${query}`;
}
