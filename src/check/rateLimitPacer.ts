import type { Clock } from "../core/clock.ts";
import { Semaphore } from "../core/semaphore.ts";
import { NotApplicable } from "./check.ts";

/** The service limits the rate, and the time of the run was over before it let us in. */
export class RateLimited extends NotApplicable {
  constructor() {
    super("rate limited");
  }
}

/**
 * How fast a run may ask. From the first 429 on, all callers share one instant before which none
 * of them asks again, and they ask one by one: together they would only take it from each other.
 */
export class RateLimitPacer {
  readonly #clock: Clock;
  readonly #over: AbortSignal;
  /** As `elapsed` of the clock has it. */
  readonly #endMs: number;
  readonly #oneByOne = new Semaphore(1);
  #notBeforeMs: number | undefined;

  constructor(clock: Clock, over: AbortSignal, endMs: number) {
    this.#clock = clock;
    this.#over = over;
    this.#endMs = endMs;
  }

  /** Whether the service has limited this run. */
  get limited(): boolean {
    return this.#notBeforeMs !== undefined;
  }

  /** Asks until the answer is another than "come back later". Throws RateLimited out of time. */
  async run<T>(ask: () => Promise<T>, secondsToWait: (answer: T) => number | undefined) {
    if (!this.limited) {
      const answer = await ask();
      const seconds = secondsToWait(answer);
      if (seconds === undefined) return answer;
      this.#hold(seconds);
    }
    return this.#oneByOne.run(async () => {
      for (;;) {
        await this.#wait();
        const answer = await ask();
        const seconds = secondsToWait(answer);
        if (seconds === undefined) return answer;
        this.#hold(seconds);
      }
    });
  }

  #hold(seconds: number): void {
    const untilMs = this.#clock.elapsed() + seconds * 1_000;
    this.#notBeforeMs = Math.max(untilMs, this.#notBeforeMs ?? untilMs);
  }

  async #wait(): Promise<void> {
    const untilMs = this.#notBeforeMs ?? 0;
    // Waiting for what comes too late would only make the run longer.
    if (untilMs >= this.#endMs) throw new RateLimited();
    const ms = untilMs - this.#clock.elapsed();
    if (ms > 0 && !this.#over.aborted) await this.#pause(ms);
    if (this.#over.aborted) throw new RateLimited();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.#over.removeEventListener("abort", done);
        resolve();
      };
      const cancel = this.#clock.after(ms, done);
      this.#over.addEventListener("abort", done, { once: true });
    });
  }
}
