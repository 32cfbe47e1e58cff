import type { Clock } from "./clock.ts";

/** The queue is full, or the wait timed out. The task did not start. */
export class SemaphoreFull extends Error {
  constructor() {
    super("Too many tasks are running and waiting.");
    this.name = "SemaphoreFull";
  }
}

/** Runs a bounded number of tasks at once. Others wait in order of arrival. */
export class Semaphore {
  readonly #waitingMax: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(atOnceMax: number, waitingMax = Number.POSITIVE_INFINITY) {
    this.#free = atOnceMax;
    this.#waitingMax = waitingMax;
  }

  /** Throws SemaphoreFull if too many are waiting, or after `timeout`. */
  async run<T>(
    task: () => Promise<T>,
    timeout?: { readonly clock: Clock; readonly afterMs: number },
  ): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(timeout);
    try {
      return await task();
    } finally {
      const [next] = this.#waiting;
      // Passed on directly, so that no later call overtakes it.
      if (next === undefined) this.#free++;
      else next();
    }
  }

  #turn(timeout: { readonly clock: Clock; readonly afterMs: number } | undefined): Promise<void> {
    if (this.#waiting.size >= this.#waitingMax) throw new SemaphoreFull();
    return new Promise((resolve, reject) => {
      const admit = () => {
        cancel?.();
        this.#waiting.delete(admit);
        resolve();
      };
      const cancel = timeout?.clock.after(timeout.afterMs, () => {
        this.#waiting.delete(admit);
        reject(new SemaphoreFull());
      });
      this.#waiting.add(admit);
    });
  }
}
