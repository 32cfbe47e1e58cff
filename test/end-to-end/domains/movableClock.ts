/** The system's clock, with hands that can be moved forward: days pass without waiting for them. */
import { type Clock, systemClock } from "../../../src/clock.ts";

export interface MovableClock extends Clock {
  skip(durationMs: number): void;
}

/** Timers run in real time; what is looked up by the calendar, such as due work, sees the skip. */
export function movableClock(): MovableClock {
  let aheadMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + aheadMs,
    skip(durationMs) {
      aheadMs += durationMs;
    },
  };
}
