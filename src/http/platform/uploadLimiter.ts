/** How many large bodies are received at once: each is in memory as a whole until it is stored. */

import { Problem } from "../../core/problems.ts";
import { Semaphore, SemaphoreFull } from "../../core/semaphore.ts";

const atOnceMax = 8;
/** So that an owner who sends slowly delays only themselves. */
const atOncePerOwnerMax = 2;
const waitingMax = 64;

export class UploadLimiter {
  readonly #all = new Semaphore(atOnceMax, waitingMax);
  /** As many as there are owners, whom only the operator makes. */
  readonly #byOwner = new Map<string, Semaphore>();

  run<T>(ownerId: string, upload: () => Promise<T>): Promise<T> {
    return this.#of(ownerId)
      .run(() => this.#all.run(upload))
      .catch((cause: unknown) => {
        if (!(cause instanceof SemaphoreFull)) throw cause;
        throw new Problem("uploads_exhausted", {
          detail: "Too many uploads are in progress. Try again shortly.",
        });
      });
  }

  #of(ownerId: string): Semaphore {
    const known = this.#byOwner.get(ownerId);
    if (known !== undefined) return known;
    const semaphore = new Semaphore(atOncePerOwnerMax, waitingMax);
    this.#byOwner.set(ownerId, semaphore);
    return semaphore;
  }
}
