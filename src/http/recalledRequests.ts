/**
 * Kept answers as whole responses, by the whole text of the request: no part of such a request is
 * read again. That its key, its answer and its date still hold is asked every time.
 */
import type { KeptAnswer } from "./keptAnswers.ts";

export interface RecalledRequest {
  readonly kept: KeptAnswer;
  readonly token: string;
}

/** Of the texts. */
const charactersMax = 8 * 1024 * 1024;
const requestsMax = 20_480;

/** Two halves, as with the answers themselves. */
export class RecalledRequests {
  #young = new Map<string, RecalledRequest>();
  #old = new Map<string, RecalledRequest>();
  #youngCharacters = 0;

  find(text: string): RecalledRequest | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.add(text, old);
    return old;
  }

  add(text: string, request: RecalledRequest): void {
    if (this.#young.size >= requestsMax / 2 || this.#youngCharacters > charactersMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngCharacters = 0;
    }
    this.#young.set(text, request);
    this.#youngCharacters += text.length;
  }

  delete(text: string): void {
    this.#young.delete(text);
    this.#old.delete(text);
  }
}
