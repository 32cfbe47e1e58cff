import { type Clock, pause } from "../core/clock.ts";
import { Semaphore } from "../core/semaphore.ts";
import { NotApplicable } from "./check.ts";
import type { HttpExchange } from "./exchange.ts";

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
export interface RateLimitPacer {
  /** Whether the service has limited this run. */
  readonly limited: boolean;
  /** Asks until the answer is another than "come back later". Throws RateLimited out of time. */
  run(ask: () => Promise<HttpExchange>): Promise<HttpExchange>;
}

/** `endMs` is as `elapsed` of the clock has it. */
export function rateLimitPacer(clock: Clock, over: AbortSignal, endMs: number): RateLimitPacer {
  const oneByOne = new Semaphore(1);
  let notBeforeMs: number | undefined;

  const wait = async (untilMs: number) => {
    // Waiting for what comes too late would only make the run longer.
    if (untilMs >= endMs) throw new RateLimited();
    const ms = untilMs - clock.elapsed();
    if (ms > 0 && !over.aborted) await pause(clock, ms, over);
    if (over.aborted) throw new RateLimited();
  };

  /** Undefined where it is to be asked again later. */
  const askOnce = async (ask: () => Promise<HttpExchange>) => {
    if (notBeforeMs !== undefined) await wait(notBeforeMs);
    const answer = await ask();
    const seconds = Number(answer.headers.get("retry-after"));
    // A limited rate is no fault of the service that says when to come back.
    if (answer.status !== 429 || !(seconds >= 1)) return answer;
    notBeforeMs = Math.max(clock.elapsed() + seconds * 1_000, notBeforeMs ?? 0);
    return undefined;
  };

  return {
    get limited() {
      return notBeforeMs !== undefined;
    },
    async run(ask) {
      const first = notBeforeMs === undefined ? await askOnce(ask) : undefined;
      if (first !== undefined) return first;
      return oneByOne.run(async () => {
        for (;;) {
          const answer = await askOnce(ask);
          if (answer !== undefined) return answer;
        }
      });
    },
  };
}
