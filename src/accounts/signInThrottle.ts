/** Rate limits of sign-in attempts. */
import { createHash } from "node:crypto";
import type { Quota } from "../petstore/keys/rateLimiter.ts";
import type { SignInAttempt } from "./accounts.ts";

/** The capacity of a bucket in the store, and the time in which one attempt is refilled. */
type Allowance = Pick<SignInAttempt, "burst" | "intervalMs">;

/**
 * For each name, over all processes. Sign-in has a larger bucket, refilled faster than one address
 * can use it up: an attacker who keeps trying a name does not lock out its owner.
 */
const allowances = {
  "sign in": { burst: 50, intervalMs: 15_000 },
  password: { burst: 10, intervalMs: 60_000 },
} as const satisfies Readonly<Record<string, Allowance>>;

/** For each client address, over the processes of one service. Many people may share one. */
export const addressQuota: Quota = { requests: 30, windowSeconds: 600 };

/** For each name at each client address, over the processes of one service. */
export const nameAtAddressQuota: Quota = { requests: 10, windowSeconds: 600 };

/**
 * Attempts are counted by 16 bits of a hash, so the number of buckets is bounded, and what was typed,
 * which is sometimes a password, is not stored. Unknown names count the same.
 */
export function bucketOf(purpose: string, text: string): string {
  return createHash("sha256").update(`${purpose} ${text}`).digest("hex").slice(0, 4);
}

export type Purpose = keyof typeof allowances;

export function attemptFor(purpose: Purpose, name: string, atMs: number): SignInAttempt {
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
