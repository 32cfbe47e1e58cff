import type { Clock } from "../src/core/clock.ts";

export interface FakeClock extends Clock {
  /** Moves time forward and runs the timers that fall due on the way. */
  advance(ms: number): void;
}

interface Timer {
  dueMs: number;
  readonly againMs: number | undefined;
  readonly action: () => void;
}

/** Time that stands still until it is moved, and randomness that repeats. */
export function fakeClock(startMs: number, seed = 1): FakeClock {
  let nowMs = startMs;
  let state = seed;
  const timers = new Set<Timer>();

  function set(delayMs: number, againMs: number | undefined, action: () => void): () => void {
    const timer = { dueMs: nowMs + delayMs, againMs, action };
    timers.add(timer);
    return () => void timers.delete(timer);
  }

  return {
    now: () => nowMs,
    elapsed: () => nowMs - startMs,
    after: (delayMs, action) => set(delayMs, undefined, action),
    // Real: what has arrived over the network is not the fake's to tell.
    next: (action) => void setImmediate(action),
    every: (intervalMs, action) => set(intervalMs, intervalMs, action),
    random(count) {
      // A linear congruential generator: evenly spread and repeatable, which is all a test needs.
      return Uint8Array.from({ length: count }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state >>> 24;
      });
    },
    advance(ms) {
      const untilMs = nowMs + ms;
      for (;;) {
        const due = [...timers].filter(({ dueMs }) => dueMs <= untilMs);
        const next = due.sort((a, b) => a.dueMs - b.dueMs)[0];
        if (next === undefined) break;
        nowMs = next.dueMs;
        if (next.againMs === undefined) timers.delete(next);
        else next.dueMs += next.againMs;
        next.action();
      }
      nowMs = untilMs;
    },
  };
}
