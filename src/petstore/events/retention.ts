import type { Clock } from "../../core/clock.ts";
import type { EventStore } from "./events.ts";

const pruneEveryMs = 10 * 60_000;
const dayMs = 24 * 60 * 60_000;

/**
 * Takes a step, and more of them as long as one resolves with true, after every interval. A failure
 * is reported and retried the next time. Resolves, once stopped, when no step is under way.
 */
export function repeatEvery(
  everyMs: number,
  step: () => Promise<boolean>,
  clock: Clock,
  failed: (cause: unknown) => void,
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let stopped = false;
  const run = async () => {
    try {
      while (!stopped && (await step())) {
        // Each step does a little, so that other writes do not wait.
      }
    } catch (cause) {
      failed(cause);
    }
  };
  const cancel = clock.every(everyMs, () => {
    running ??= run().finally(() => {
      running = undefined;
    });
  });
  return {
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
}

/** Removes events that are older than so many days, every ten minutes. */
export function keepEventsFor(
  days: number,
  store: Pick<EventStore, "prune">,
  clock: Clock,
  failed: (cause: unknown) => void,
): { stop(): Promise<void> } {
  return repeatEvery(pruneEveryMs, () => store.prune(clock.now() - days * dayMs), clock, failed);
}
