import { type Clock, pause } from "../core/clock.ts";
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
    const first = this.limited ? undefined : await this.#ask(ask, secondsToWait);
    return (
      first ??
      this.#oneByOne.run(async () => {
        for (;;) {
          await this.#wait();
          const answer = await this.#ask(ask, secondsToWait);
          if (answer !== undefined) return answer;
        }
      })
    );
  }

  /** Undefined where it is to be asked again later. */
  async #ask<T>(ask: () => Promise<T>, secondsToWait: (answer: T) => number | undefined) {
    const answer = await ask();
    const seconds = secondsToWait(answer);
    if (seconds === undefined) return answer;
    const untilMs = this.#clock.elapsed() + seconds * 1_000;
    this.#notBeforeMs = Math.max(untilMs, this.#notBeforeMs ?? untilMs);
    return undefined;
  }

  async #wait(): Promise<void> {
    const untilMs = this.#notBeforeMs ?? 0;
    // Waiting for what comes too late would only make the run longer.
    if (untilMs >= this.#endMs) throw new RateLimited();
    const ms = untilMs - this.#clock.elapsed();
    if (ms > 0 && !this.#over.aborted) await pause(this.#clock, ms, this.#over);
    if (this.#over.aborted) throw new RateLimited();
  }
}
