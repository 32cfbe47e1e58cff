/** The RateLimit fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers). */
import type { RateLimiter, Verdict } from "../keys/rateLimiter.ts";
import { Problem } from "../problems.ts";

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
    detail: `This API key has used up its quota of requests. Try again in ${secondsUntilNext} ${unit}.`,
    headers: { "retry-after": String(secondsUntilNext) },
  });
}
