/** The RateLimit fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers). */

import { Problem } from "../core/problems.ts";
import type { RateLimiter, Verdict } from "../petstore/keys/rateLimiter.ts";

export function quotaHeaders({ quota }: RateLimiter, verdict: Verdict): Record<string, string> {
  return {
    "ratelimit-policy": `"default";q=${quota.requests};w=${quota.windowSeconds}`,
    ratelimit: `"default";r=${verdict.remaining};t=${verdict.secondsUntilWhole}`,
  };
}

export function refuseBeyondQuota({ allowed, secondsUntilNext }: Verdict): void {
  if (allowed) return;
  const unit = secondsUntilNext === 1 ? "second" : "seconds";
  throw new Problem("rate_limited", {
    detail: `This API key has exceeded its quota of requests. Try again in ${secondsUntilNext} ${unit}.`,
    retryAfterSeconds: secondsUntilNext,
  });
}
