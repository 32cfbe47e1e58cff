import type { Clock } from "../clock.ts";
import type { MaybePromise } from "../maybePromise.ts";

/** How many requests a key may make in how many seconds. */
export interface Quota {
  readonly requests: number;
  readonly windowSeconds: number;
}

export interface Verdict {
  readonly allowed: boolean;
  /** Whole requests that are left now. */
  readonly remaining: number;
  readonly secondsUntilWhole: number;
  /** 0 when allowed. */
  readonly secondsUntilNext: number;
}

/** Counts requests by key. Where several processes share a store, they share the count there. */
export interface RateLimiter {
  readonly quota: Quota;
  /** Takes one request out of the key's quota if one is left. */
  take(keyId: string): MaybePromise<Verdict>;
  /** Undoes a `take` for a request that should not count, and tells what is left then. */
  giveBack(keyId: string): MaybePromise<Verdict>;
}

/** A wait as long as we said must be enough, whatever the arithmetic makes of it. */
const roundingError = 1e-9;

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** Full buckets need not be remembered; past this many, those that filled up are let go. */
const bucketsMin = 10_000;

/**
 * Token buckets in memory: each key may spend its whole quota at once, and it grows back evenly.
 * Measured by the clock that never goes back.
 */
export class TokenBuckets implements RateLimiter {
  readonly quota: Quota;
  readonly #clock: Clock;
  readonly #tokensPerMs: number;
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = bucketsMin;

  constructor(quota: Quota, clock: Clock) {
    this.quota = quota;
    this.#clock = clock;
    this.#tokensPerMs = quota.requests / (quota.windowSeconds * 1000);
  }

  take(keyId: string): Verdict {
    const bucket = this.#filled(keyId);
    const allowed = bucket.tokens >= 1 - roundingError;
    if (allowed) bucket.tokens = Math.max(0, bucket.tokens - 1);
    return this.#verdict(bucket, allowed);
  }

  giveBack(keyId: string): Verdict {
    const bucket = this.#filled(keyId);
    bucket.tokens = Math.min(this.quota.requests, bucket.tokens + 1);
    return this.#verdict(bucket, true);
  }

  #verdict({ tokens }: Bucket, allowed: boolean): Verdict {
    return {
      allowed,
      remaining: Math.floor(tokens),
      secondsUntilWhole: this.#secondsFor(this.quota.requests - tokens),
      secondsUntilNext: allowed ? 0 : this.#secondsFor(1 - tokens),
    };
  }

  #filled(keyId: string): Bucket {
    const nowMs = this.#clock.elapsed();
    let bucket = this.#buckets.get(keyId);
    if (bucket === undefined) {
      if (this.#buckets.size >= this.#sweepAt) this.#sweep(nowMs);
      bucket = { tokens: this.quota.requests, filledMs: nowMs };
      this.#buckets.set(keyId, bucket);
    }
    const grown = (nowMs - bucket.filledMs) * this.#tokensPerMs;
    bucket.tokens = Math.min(this.quota.requests, bucket.tokens + grown);
    bucket.filledMs = nowMs;
    return bucket;
  }

  #sweep(nowMs: number): void {
    const windowMs = this.quota.windowSeconds * 1000;
    for (const [keyId, { filledMs }] of this.#buckets) {
      if (nowMs - filledMs >= windowMs) this.#buckets.delete(keyId);
    }
    this.#sweepAt = Math.max(bucketsMin, this.#buckets.size * 2);
  }

  #secondsFor(tokens: number): number {
    return Math.ceil(tokens / this.#tokensPerMs / 1000);
  }
}
