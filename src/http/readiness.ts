/** Whether the service is operational, as `/readyz` reports. */
import { type Clock, inTime } from "../core/clock.ts";
import { Problem } from "../core/problems.ts";

const readinessIntervalMs = 1_000;
/** Probes time out sooner than a queued write, and should get the reason. */
const readinessMsMax = 2_000;

/** Checks at most once a second: each check writes to the disk, and needs no authentication. */
export function throttledReadiness(check: () => Promise<void>, clock: Clock): () => Promise<void> {
  let checkedMs = Number.NEGATIVE_INFINITY;
  let result = Promise.resolve();
  return () => {
    if (clock.elapsed() - checkedMs >= readinessIntervalMs) {
      checkedMs = clock.elapsed();
      result = inTime(clock, readinessMsMax, check(), tooSlow);
    }
    return result;
  };
}

const tooSlow = () =>
  new Problem("store_unavailable", { detail: "The store takes too long to answer." });
