import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/problems.ts";

const askedEveryMs = 1_000;
/** A probe gives up sooner than a writer that waits for its turn, and must hear why. */
const patienceMs = 2_000;

/** Asks at most once a second: the question costs a write to the disk, and anybody may ask it. */
export function askedSeldom(ask: () => Promise<void>, clock: Clock): () => Promise<void> {
  let askedMs = Number.NEGATIVE_INFINITY;
  let answer = Promise.resolve();
  return () => {
    if (clock.elapsed() - askedMs >= askedEveryMs) {
      askedMs = clock.elapsed();
      answer = inTime(ask, clock);
    }
    return answer;
  };
}

function inTime(ask: () => Promise<void>, clock: Clock): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const settled = clock.after(patienceMs, () =>
    reject(new Problem("store_unavailable", { detail: "The store takes too long to answer." })),
  );
  return Promise.race([ask(), late]).finally(settled);
}
