import type { Clock } from "../clock.ts";
import { type Quota, type RateLimiter, TokenBuckets } from "./rateLimiter.ts";

/** Counts that all processes of one service keep together, beside the store. */
export interface SharedCounts {
  /** Nobody outside can guess it, and all processes have the same. */
  readonly salt: string;
  /** The same for the same purpose and quota. */
  limiter(purpose: string, quota: Quota): RateLimiter;
}

/** In the memory of this process: of the only one, or of the one that supervises the others. */
export class OwnCounts implements SharedCounts {
  readonly salt: string;
  readonly #clock: Clock;
  readonly #limiters = new Map<string, RateLimiter>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.salt = Buffer.from(clock.random(16)).toString("hex");
  }

  limiter(purpose: string, quota: Quota): RateLimiter {
    // A quota that was changed is counted anew.
    const name = `${purpose} ${quota.requests}/${quota.windowSeconds}`;
    const limiter = this.#limiters.get(name) ?? new TokenBuckets(quota, this.#clock);
    this.#limiters.set(name, limiter);
    return limiter;
  }
}
