/**
 * Kept answers as whole responses, by the whole text of the request: no part of such a request is
 * read again. That its key, its answer and its date still hold is asked every time.
 */
import type { PreparedResponse } from "../wire/preparedResponse.ts";
import type { KeptAnswer } from "./keptAnswers.ts";

export interface RecalledRequest {
  readonly kept: KeptAnswer;
  readonly token: string;
  readonly prepared: PreparedResponse;
}

const bytesMax = 4 * 1024 * 1024;
const requestsMax = 4_096;

/** Two halves, as with the answers themselves. */
export class RecalledRequests {
  #young = new Map<string, RecalledRequest>();
  #old = new Map<string, RecalledRequest>();
  #youngBytes = 0;

  find(text: string): RecalledRequest | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.add(text, old);
    return old;
  }

  add(text: string, request: RecalledRequest): void {
    if (this.#young.size >= requestsMax / 2 || this.#youngBytes > bytesMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(text, request);
    this.#youngBytes += text.length + request.prepared.byteLength;
  }

  delete(text: string): void {
    this.#young.delete(text);
    this.#old.delete(text);
  }
}
