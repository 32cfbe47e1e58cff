/** Rate limits of sign-in attempts. */
import { createHash } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/problems.ts";
import type { Quota, RateLimiter, SharedCounts } from "../petstore/keys/rateLimiter.ts";
import type { AccountStore, SignInAttempt } from "./accounts.ts";

/** The capacity of a bucket in the store, and the time in which one attempt is refilled. */
type Allowance = Pick<SignInAttempt, "burst" | "intervalMs">;

/**
 * For each name, over all processes. Sign-in has a larger bucket, refilled faster than one address
 * can use it up: an attacker who keeps trying a name does not lock out its owner.
 */
const allowances = {
  "sign in": { burst: 50, intervalMs: 15_000 },
  password: { burst: 10, intervalMs: 60_000 },
  // Slow: whoever gets here knows the password, and of a million codes three are right at a time.
  "second factor": { burst: 10, intervalMs: 15 * 60_000 },
} as const satisfies Readonly<Record<string, Allowance>>;

/** For each client address, over the processes of one service. Many people may share one. */
const addressQuota: Quota = { requests: 30, windowSeconds: 600 };

/** For each name at each client address, over the processes of one service. */
const nameAtAddressQuota: Quota = { requests: 10, windowSeconds: 600 };

/**
 * Attempts are counted by 16 bits of a hash, so the number of buckets is bounded, and what was typed,
 * which is sometimes a password, is not stored. Unknown names count the same.
 */
export function bucketOf(purpose: string, text: string): string {
  return createHash("sha256").update(`${purpose} ${text}`).digest("hex").slice(0, 4);
}

type Purpose = keyof typeof allowances;

function attemptFor(purpose: Purpose, name: string, atMs: number): SignInAttempt {
  return { bucket: bucketOf(purpose, name), atMs, ...allowances[purpose] };
}

type Taken =
  | { readonly kind: "taken"; readonly fullAtMs: number }
  | { readonly kind: "wait"; readonly waitMs: number };

/** Takes one out of a bucket that is full again at an instant. */
export function takeAttempt(fullAtMs: number, { atMs, burst, intervalMs }: SignInAttempt): Taken {
  const emptyMs = atMs + burst * intervalMs;
  // Never below an empty bucket: a clock that was ahead must not cause a lockout.
  const takenMs = Math.min(Math.max(fullAtMs, atMs), emptyMs) + intervalMs;
  return takenMs > emptyMs
    ? { kind: "wait", waitMs: takenMs - emptyMs }
    : { kind: "taken", fullAtMs: takenMs };
}

/** Undoes an attempt that succeeded, so that it does not count. */
export type GiveBack = () => Promise<void>;

interface ThrottleParts {
  readonly store: Pick<AccountStore, "take" | "giveBack">;
  readonly counts: SharedCounts;
  readonly clock: Clock;
}

/** Counts attempts. Each throws a Problem where there were too many. */
export class SignInThrottle {
  readonly #store: ThrottleParts["store"];
  readonly #clock: Clock;
  readonly #addresses: RateLimiter;
  readonly #namesAtAddresses: RateLimiter;
  /** Keeps attackers from finding a name that shares a bucket with another name and address. */
  readonly #salt: string;

  constructor({ store, counts, clock }: ThrottleParts) {
    this.#store = store;
    this.#clock = clock;
    this.#addresses = counts.limiter("sign in: address", addressQuota);
    this.#namesAtAddresses = counts.limiter("sign in: name at address", nameAtAddressQuota);
    this.#salt = counts.salt;
  }

  /** Of a password, from an address. */
  async signIn(name: string, address: string): Promise<GiveBack> {
    const given = [await this.address(address)];
    // By the bucket of the name: otherwise one address could exhaust it with names that share it.
    const pair = bucketOf(this.#salt, `${address} ${bucketOf("sign in", name)}`);
    given.push(await take(this.#namesAtAddresses, pair));
    given.push(await this.byName("sign in", name));
    return async () => {
      for (const giveBack of given) await giveBack();
    };
  }

  address(address: string): Promise<GiveBack> {
    return take(this.#addresses, bucketOf("address", address));
  }

  /** For an attempt that another request began, and this one completed. */
  async giveBackAddress(address: string): Promise<void> {
    await this.#addresses.giveBack(bucketOf("address", address));
  }

  async byName(purpose: Purpose, name: string): Promise<GiveBack> {
    const attempt = attemptFor(purpose, name, this.#clock.now());
    const waitMs = await this.#store.take(attempt);
    if (waitMs > 0) throw limited(Math.ceil(waitMs / 1000));
    return () => this.#store.giveBack(attempt);
  }
}

async function take(limiter: RateLimiter, bucket: string): Promise<GiveBack> {
  const { allowed, secondsUntilNext } = await limiter.take(bucket);
  if (!allowed) throw limited(secondsUntilNext);
  return async () => {
    await limiter.giveBack(bucket);
  };
}

function limited(seconds: number): Problem {
  const message = `Too many attempts. Try again in ${seconds} seconds.`;
  return new Problem("sign_in_limited", { detail: message, retryAfterSeconds: seconds });
}
