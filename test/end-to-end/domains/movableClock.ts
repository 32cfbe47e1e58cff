/** The system's clock, with hands that can be moved forward: days pass without waiting for them. */
import { type Clock, systemClock } from "../../../src/core/clock.ts";

export interface MovableClock extends Clock {
  skip(durationMs: number): void;
  /** While the work lasts, the calendar moves by `skip` alone, however slow the machine is. */
  still(work: () => Promise<void>): Promise<void>;
}

/** Timers run in real time; what is looked up by the calendar, such as due work, sees the skip. */
export function movableClock(): MovableClock {
  let aheadMs = 0;
  let stillAtMs: number | undefined;
  return {
    ...systemClock,
    now: () => (stillAtMs ?? systemClock.now()) + aheadMs,
    skip(durationMs) {
      aheadMs += durationMs;
    },
    async still(work) {
      stillAtMs = systemClock.now();
      try {
        await work();
      } finally {
        stillAtMs = undefined;
      }
    },
  };
}
