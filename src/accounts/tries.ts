/** How often one may try, and how tries are told apart. */
import { createHash } from "node:crypto";
import type { Quota } from "../keys/rateLimiter.ts";
import type { Try } from "./accounts.ts";

/** For each name, over all processes: ten at once, then one a minute. */
const nameBurst = 10;
const nameIntervalMs = 60_000;

/** For each client address, in each process. Many people may share one. */
export const addressQuota: Quota = { requests: 30, windowSeconds: 600 };

/**
 * Tries count by 16 bits of a hash: so many buckets and no more, whatever is typed; and what was
 * typed, which now and then is a password, is not written down. Names of nobody count alike.
 */
export function bucketOf(purpose: string, text: string): string {
  return createHash("sha256").update(`${purpose} ${text}`).digest("hex").slice(0, 4);
}

export function tryOf(purpose: "sign in" | "password", name: string, atMs: number): Try {
  return {
    bucket: bucketOf(purpose, name),
    atMs,
    burst: nameBurst,
    intervalMs: nameIntervalMs,
  };
}
