import type { Clock } from "../../core/clock.ts";
import type { CommitReport } from "../stores.ts";
import { type Argument, BatchRunner, type CommandName, type Result, type Write } from "./batch.ts";
import type { Database } from "./database.ts";
import { errorFrom, refused } from "./failures.ts";

/** Writes submitted and not yet on disk. Beyond it a write is rejected: it would wait too long. */
export const writesPendingMax = 10_000;
/** Keeps a transaction, and the wait of the writes behind it, short. */
const batchWritesMax = 1_000;

interface Pending extends Write {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/**
 * Sends writes to the database, one batch at a time. Writes that arrive meanwhile form the next
 * batch: the busier the store, the more writes share a round trip and a commit.
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

  /** After this turn of the event loop: in a microtask the first write would be sent alone. */
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
      // Before the results are delivered: the database need not wait for that.
      this.#send();
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.kind === "result") batch[index]?.resolve(outcome.result);
        else batch[index]?.reject(errorFrom(outcome.cause));
      }
      if (this.#pendingCount === 0) this.#drained?.();
    });
  }
}
