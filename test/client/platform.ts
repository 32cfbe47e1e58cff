import type { Platform } from "../../src/client/platform.ts";

export interface FakePlatform extends Omit<Platform, "fetch"> {
  /** How long the client paused before each further attempt. */
  readonly pauses: number[];
  /** The time limits of the attempts so far. */
  readonly limits: number[];
  readonly warnings: string[];
  /** Lets the time limits of all attempts under way run out. */
  expire(): void;
}

/** Pauses take no time but move the clock; time limits run out only when told to. */
export function fakePlatform(
  options: { readonly random?: number; readonly startMs?: number } = {},
): FakePlatform {
  let nowMs = options.startMs ?? Date.UTC(2026, 10, 15);
  let made = 0;
  const pauses: number[] = [];
  const limits: number[] = [];
  const warnings: string[] = [];
  const running = new Set<{ readonly delayMs: number; readonly action: () => void }>();
  return {
    pauses,
    limits,
    warnings,
    now: () => nowMs,
    random: () => options.random ?? 0.5,
    unique: () => `unique-${++made}`,
    async sleep(delayMs, signal) {
      signal?.throwIfAborted();
      pauses.push(delayMs);
      nowMs += delayMs;
    },
    after(delayMs, action) {
      limits.push(delayMs);
      const timer = { delayMs, action };
      running.add(timer);
      return () => void running.delete(timer);
    },
    warn: (message) => void warnings.push(message),
    expire() {
      for (const timer of running) {
        running.delete(timer);
        nowMs += timer.delayMs;
        timer.action();
      }
    },
  };
}
