import type { Clock } from "../../core/clock.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";

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

/** Counts requests by key. Processes that share a PostgreSQL store share the counts. */
export interface RateLimiter {
  readonly quota: Quota;
  /** Takes one request out of the key's quota if one is left. */
  take(keyId: string): MaybePromise<Verdict>;
  /** Undoes a `take` for a request that should not count. */
  giveBack(keyId: string): MaybePromise<Verdict>;
}

/** A client that waits for `secondsUntilNext` must succeed, despite rounding. */
export const roundingError = 1e-9;

export function tokensPerMs({ requests, windowSeconds }: Quota): number {
  return requests / (windowSeconds * 1000);
}

/** The verdict for a bucket with this many tokens after the request. */
export function verdictOf(quota: Quota, tokens: number, allowed: boolean): Verdict {
  const secondsFor = (missing: number) => Math.ceil(missing / tokensPerMs(quota) / 1000);
  return {
    allowed,
    remaining: Math.floor(tokens + roundingError),
    secondsUntilWhole: secondsFor(quota.requests - tokens),
    secondsUntilNext: allowed ? 0 : secondsFor(1 - tokens),
  };
}

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** Beyond this many buckets, full ones are removed: they carry no information. */
const bucketsMin = 10_000;

/**
 * Token buckets in memory: a key may use its whole quota at once, and it refills evenly, by the
 * monotonic clock.
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
    this.#tokensPerMs = tokensPerMs(quota);
  }

  /** How many keys it has a bucket for. */
  get size(): number {
    return this.#buckets.size;
  }

  take(keyId: string): Verdict {
    const bucket = this.#filled(keyId);
    const allowed = bucket.tokens >= 1 - roundingError;
    if (allowed) bucket.tokens = Math.max(0, bucket.tokens - 1);
    return verdictOf(this.quota, bucket.tokens, allowed);
  }

  giveBack(keyId: string): Verdict {
    const bucket = this.#filled(keyId);
    bucket.tokens = Math.min(this.quota.requests, bucket.tokens + 1);
    return verdictOf(this.quota, bucket.tokens, true);
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
}

/** Counts shared by all processes of one service, outside the store. */
export interface SharedCounts {
  /** Secret, and the same in all processes. */
  readonly salt: string;
  /** The same for the same purpose and quota. */
  limiter(purpose: string, quota: Quota): RateLimiter;
}

/** In the memory of this process: the only one, or the supervisor. */
export class OwnCounts implements SharedCounts {
  readonly salt: string;
  readonly #clock: Clock;
  readonly #limiters = new Map<string, RateLimiter>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.salt = Buffer.from(clock.random(16)).toString("hex");
  }

  limiter(purpose: string, quota: Quota): RateLimiter {
    // A changed quota starts with full buckets.
    const name = `${purpose} ${quota.requests}/${quota.windowSeconds}`;
    const limiter = this.#limiters.get(name) ?? new TokenBuckets(quota, this.#clock);
    this.#limiters.set(name, limiter);
    return limiter;
  }
}
