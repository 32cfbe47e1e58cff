/** Whether the service can do its work, as `/readyz` says. */
import { type Clock, inTime } from "../core/clock.ts";
import { Problem } from "../core/problems.ts";

const readinessIntervalMs = 1_000;
/** Probes time out sooner than a queued write, and should get the reason. */
const readinessMsMax = 2_000;

/** Checks readiness at most once a second: each check writes to the disk, and anybody may ask for it. */
export function throttledReadiness(ask: () => Promise<void>, clock: Clock): () => Promise<void> {
  let askedMs = Number.NEGATIVE_INFINITY;
  let answer = Promise.resolve();
  return () => {
    if (clock.elapsed() - askedMs >= readinessIntervalMs) {
      askedMs = clock.elapsed();
      answer = inTime(clock, readinessMsMax, ask(), tooSlow);
    }
    return answer;
  };
}

const tooSlow = () =>
  new Problem("store_unavailable", { detail: "The store takes too long to answer." });
