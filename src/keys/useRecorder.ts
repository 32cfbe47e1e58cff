import type { Clock } from "../clock.ts";
import type { OperationId } from "../contract/operations.ts";
import type { KeyStore, KeyUse } from "./keys.ts";

const flushEveryMs = 5_000;
/** Keys times operations held between two flushes; past it, uses are written down earlier. */
const heldMax = 50_000;

/** Counts who calls what in memory and writes it down every few seconds, off the hot path. */
export class UseRecorder {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #failed: (cause: unknown) => void;
  #held = new Map<string, { use: KeyUse; count: number; lastAtMs: number }>();
  readonly #stop: () => void;

  constructor(store: KeyStore, clock: Clock, failed: (cause: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#failed = failed;
    this.#stop = clock.every(flushEveryMs, () => void this.flush());
  }

  count(keyId: string, operation: OperationId): void {
    const name = `${keyId} ${operation}`;
    const lastAtMs = this.#clock.now();
    const held = this.#held.get(name);
    if (held === undefined) {
      const day = new Date(lastAtMs).toISOString().slice(0, 10);
      this.#held.set(name, {
        use: { keyId, operation, day, count: 1, lastAtMs },
        count: 1,
        lastAtMs,
      });
      if (this.#held.size >= heldMax) void this.flush();
    } else {
      held.count++;
      held.lastAtMs = lastAtMs;
    }
  }

  /** What cannot be written down is reported and dropped: counts are no reason to stop serving. */
  async flush(): Promise<void> {
    if (this.#held.size === 0) return;
    const uses = [...this.#held.values()].map(({ use, count, lastAtMs }) => ({
      ...use,
      count,
      lastAtMs,
    }));
    this.#held = new Map();
    await this.#store.recordUses(uses).catch(this.#failed);
  }

  async close(): Promise<void> {
    this.#stop();
    await this.flush();
  }
}
