import type { Clock } from "../../core/clock.ts";
import type { CommitReport } from "../stores.ts";
import { type Argument, BatchRunner, type CommandName, type Result, type Write } from "./batch.ts";
import type { Database } from "./database.ts";
import { errorFrom, refused } from "./failures.ts";

/** Submitted and not yet on disk. Past it a write is refused at once: it would wait too long. */
export const writesPendingMax = 10_000;
/** Keeps one transaction, and with it the wait of those behind it, short. */
const batchWritesMax = 1_000;

interface Pending extends Write {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/**
 * Hands writes to the database, one batch at a time. What arrives while one is under way goes along
 * in the next, so the busier the store, the more writes share one round trip and one commit.
 */
export class Writer {
  readonly #runner: BatchRunner;
  readonly #clock: Clock;
  #waiting: Pending[] = [];
  #inFlight: Pending[] = [];
  #sendScheduled = false;
  #drained: (() => void) | undefined;
  #closed = false;

  constructor(database: Database, onCommit: (report: CommitReport) => void = () => {}) {
    this.#clock = database.clock;
    this.#runner = new BatchRunner(database, onCommit);
  }

  /** Resolves when the write is on disk. */
  submit<Name extends CommandName>(name: Name, argument: Argument<Name>): Promise<Result<Name>> {
    if (this.#closed) return Promise.reject(refused("The store was closed."));
    if (this.#pendingCount >= writesPendingMax) {
      return Promise.reject(refused(`${writesPendingMax} writes wait for the database.`));
    }
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ name, argument, resolve, reject });
      this.#scheduleSend();
    }) as Promise<Result<Name>>;
  }

  /** Waits for what was submitted. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#pendingCount === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  get #pendingCount(): number {
    return this.#waiting.length + this.#inFlight.length;
  }

  /** What arrived together leaves in one batch: a microtask would leave with the first of it. */
  #scheduleSend(): void {
    if (this.#sendScheduled) return;
    this.#sendScheduled = true;
    this.#clock.next(() => {
      this.#sendScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#inFlight.length > 0 || this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, batchWritesMax);
    this.#inFlight = batch;
    void this.#runner.run(batch).then((outcomes) => {
      this.#inFlight = [];
      // Before anybody hears of their result: the database need not wait for them.
      this.#send();
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.kind === "result") batch[index]?.resolve(outcome.result);
        else batch[index]?.reject(errorFrom(outcome.cause));
      }
      if (this.#pendingCount === 0) this.#drained?.();
    });
  }
}
