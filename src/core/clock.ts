import { randomBytes } from "node:crypto";

/** Where time, timers and randomness come from, so that a test can control all three. */
export interface Clock {
  /** Milliseconds since 1970, as the calendar has it. It may jump. */
  now(): number;
  /** Milliseconds since some instant. It never goes back: for measuring only. */
  elapsed(): number;
  /** Runs the action once, unless the returned function is called before. */
  after(delayMs: number, action: () => void): () => void;
  /** Runs the action when all that has arrived by now is worked off, before anything newer. */
  next(action: () => void): void;
  /** Runs the action again and again until the returned function is called. */
  every(intervalMs: number, action: () => void): () => void;
  /** Cryptographically random bytes. */
  random(count: number): Uint8Array;
}

/** Ends early, without an error, when the signal aborts. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** What the work resolves with; rejects when it takes longer. The work itself goes on. */
export function inTime<T>(
  clock: Clock,
  msMax: number,
  work: Promise<T>,
  late: () => Error,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(msMax, () => reject(late()));
  return Promise.race([work, promise]).finally(cancel);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
  next: (action) => void setImmediate(action),
  every(intervalMs, action) {
    const timer = setInterval(action, intervalMs);
    timer.unref();
    return () => clearInterval(timer);
  },
  random: (count) => randomBytes(count),
};
