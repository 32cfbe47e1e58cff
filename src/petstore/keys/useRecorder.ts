import type { OperationId } from "../../contract/operations.ts";
import type { Clock } from "../../core/clock.ts";
import type { KeyStore, KeyUse } from "./keys.ts";
import { dayOf, keyRetention } from "./lifecycle.ts";

const flushEveryMs = 5_000;
/** Counts held between two flushes; beyond it, they are flushed early. */
const heldMax = 50_000;
const dayMs = 24 * 3_600_000;

type Counted = { -readonly [Member in keyof KeyUse]: KeyUse[Member] };

type ReportFailure = (event: "uses.lost" | "keys.prune_failed", cause: unknown) => void;

/** Counts calls by key in memory, and stores the counts every few seconds, off the hot path. */
export class UseRecorder {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #failed: ReportFailure;
  /** By key, operation and day. */
  #held = new Map<string, Counted>();
  /** The count that was increased last, and most likely will be next. */
  #last: Counted | undefined;
  #today = { number: Number.NaN, text: "" };
  #prunedOn = "";
  #flushing: Promise<unknown> = Promise.resolve();
  readonly #stop: () => void;

  constructor(store: KeyStore, clock: Clock, failed: ReportFailure) {
    this.#store = store;
    this.#clock = clock;
    this.#failed = failed;
    this.#stop = clock.every(flushEveryMs, () => void this.flush());
  }

  count(keyId: string, operation: OperationId): void {
    const lastAtMs = this.#clock.now();
    const day = this.#dayOf(lastAtMs);
    const last = this.#last;
    if (last?.keyId === keyId && last.operation === operation && last.day === day) {
      last.count++;
      last.lastAtMs = lastAtMs;
      return;
    }
    const name = `${keyId} ${operation} ${day}`;
    const held = this.#held.get(name) ?? { keyId, operation, day, count: 0, lastAtMs };
    held.count++;
    held.lastAtMs = lastAtMs;
    this.#last = held;
    if (held.count > 1) return;
    this.#held.set(name, held);
    if (this.#held.size >= heldMax) void this.flush();
  }

  /** Formats the date once a day, not for each request. */
  #dayOf(nowMs: number): string {
    const number = Math.floor(nowMs / dayMs);
    if (number !== this.#today.number) {
      this.#today = { number, text: dayOf(nowMs) };
    }
    return this.#today.text;
  }

  flush(): Promise<void> {
    const flushed = this.#flush();
    this.#flushing = Promise.all([this.#flushing, flushed]);
    return flushed;
  }

  /** Counts that cannot be stored are reported and dropped: they are no reason to stop serving. */
  async #flush(): Promise<void> {
    if (this.#held.size === 0) return;
    const uses = [...this.#held.values()];
    this.#held = new Map();
    this.#last = undefined;
    await this.#store.recordUses(uses).catch((cause) => this.#failed("uses.lost", cause));
    await this.#pruneDaily();
  }

  /** Runs with the first flush of a day. A failure is retried the next day. */
  async #pruneDaily(): Promise<void> {
    const nowMs = this.#clock.now();
    const today = this.#dayOf(nowMs);
    if (today === this.#prunedOn) return;
    this.#prunedOn = today;
    await this.#store
      .prune(keyRetention(nowMs))
      .catch((cause) => this.#failed("keys.prune_failed", cause));
  }

  /** Makes no call to the store afterwards, so that it can be closed. */
  async close(): Promise<void> {
    this.#stop();
    await this.flush();
    await this.#flushing;
  }
}
