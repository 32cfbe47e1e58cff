import { randomBytes } from "node:crypto";

/** The source of time, timers and randomness, so that a test can control all three. */
export interface Clock {
  /** Unix time in milliseconds. It may jump. */
  now(): number;
  /** Monotonic milliseconds since an arbitrary instant, for measuring only. */
  elapsed(): number;
  /** Runs the action once, unless the returned function is called first. */
  after(delayMs: number, action: () => void): () => void;
  /** Runs the action after all events that have already arrived, and before any newer one. */
  next(action: () => void): void;
  /** Runs the action repeatedly until the returned function is called. */
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

/** Resolves with the result of the work, or rejects after the timeout. The work is not cancelled. */
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
