import type { Clock } from "../../core/clock.ts";
import type { EventStore } from "./events.ts";

const pruneEveryMs = 10 * 60_000;
const dayMs = 24 * 60 * 60_000;

/**
 * Removes events that are older than so many days, every ten minutes. A failure is reported and
 * retried the next time. Resolves, once stopped, when it makes no further call to the store.
 */
export function keepEventsFor(
  days: number,
  store: Pick<EventStore, "prune">,
  clock: Clock,
  failed: (cause: unknown) => void,
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let stopped = false;
  const prune = async () => {
    try {
      while (!stopped && (await store.prune(clock.now() - days * dayMs))) {
        // Each call removes a few, so that other writes do not wait.
      }
    } catch (cause) {
      failed(cause);
    }
  };
  const cancel = clock.every(pruneEveryMs, () => {
    running ??= prune().finally(() => {
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
