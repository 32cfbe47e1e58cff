import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../core/clock.ts";
import type { CommitReport } from "../stores.ts";
import { type CommandName, prepareCommands } from "./commands.ts";
import { lockMsMax, rollBack } from "./connection.ts";
import { type Failure, failureOf, isBusy, isUnavailable } from "./failures.ts";

/** Commands and their arguments side by side: as pairs they would take twice as long to send. */
export interface Batch {
  readonly names: readonly CommandName[];
  readonly arguments: readonly unknown[];
}

export interface BatchReply {
  /** One for each command, in their order. What is not among the failures is on disk. */
  readonly results: readonly unknown[];
  readonly failures: readonly BatchFailure[];
  readonly commits: readonly CommitReport[];
}

interface BatchFailure {
  readonly index: number;
  readonly failure: Failure;
}

/** How often a process that waits for the write lock tries again. */
const lockRetryMs = 0.5;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Runs commands in as few transactions as possible: one, unless a command fails. */
export class BatchRunner {
  readonly #db: DatabaseSync;
  readonly #begin;
  readonly #commit;
  readonly #prepared;
  readonly #clock: Clock;
  readonly #lockMsMax: number;

  constructor(db: DatabaseSync, clock: Clock, waitMsMax = lockMsMax) {
    this.#db = db;
    this.#clock = clock;
    this.#lockMsMax = waitMsMax;
    db.exec("PRAGMA busy_timeout = 0");
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#prepared = prepareCommands(db);
  }

  async run(batch: Batch): Promise<BatchReply> {
    const startedMs = this.#clock.elapsed();
    try {
      const results = await this.#transact(batch);
      const durationMs = this.#clock.elapsed() - startedMs;
      return { results, failures: [], commits: [{ writes: results.length, durationMs }] };
    } catch (cause) {
      const failure = failureOf(cause);
      // If the disk is full or another process holds the lock, each command would fail the same
      // way, after the same wait.
      if (batch.names.length > 1 && !isUnavailable(failure)) return this.#runOneByOne(batch);
      const failures = batch.names.map((_, index) => ({ index, failure }));
      return { results: batch.names.map(() => undefined), failures, commits: [] };
    }
  }

  /** So that only the command that cannot be run fails. */
  async #runOneByOne(batch: Batch): Promise<BatchReply> {
    const results: unknown[] = [];
    const failures: BatchFailure[] = [];
    const commits: CommitReport[] = [];
    let outage: Failure | undefined;
    for (const [index, name] of batch.names.entries()) {
      const reply =
        outage === undefined &&
        (await this.run({ names: [name], arguments: [batch.arguments[index]] }));
      const failure = reply ? reply.failures[0]?.failure : outage;
      results.push(reply ? reply.results[0] : undefined);
      if (reply) commits.push(...reply.commits);
      if (failure !== undefined) failures.push({ index, failure });
      // The remaining commands would fail the same way.
      if (failure !== undefined && isUnavailable(failure)) outage = failure;
    }
    return { results, failures, commits };
  }

  /**
   * After a while SQLite itself would try ten times a second. Next to a process that writes
   * continuously and releases the lock only briefly between two commits, that means waiting for
   * seconds. This thread has nothing else to do.
   */
  #lock(): void {
    const giveUpMs = this.#clock.elapsed() + this.#lockMsMax;
    for (;;) {
      try {
        this.#begin.run();
        return;
      } catch (cause) {
        if (!isBusy(cause) || this.#clock.elapsed() >= giveUpMs) throw cause;
      }
      Atomics.wait(pause, 0, 0, lockRetryMs);
    }
  }

  /** Commands run one after the other and never interleave. */
  async #transact(batch: Batch): Promise<unknown[]> {
    const { commands, counters } = this.#prepared;
    try {
      this.#lock();
      const results: unknown[] = [];
      for (const [index, name] of batch.names.entries()) {
        // The pair was type-checked where it was submitted.
        const command = commands[name] as (argument: unknown) => unknown;
        const result = command(batch.arguments[index]);
        results.push(result instanceof Promise ? await result : result);
      }
      for (const counter of counters) counter.save();
      this.#commit.run();
      return results;
    } catch (cause) {
      rollBack(this.#db);
      throw cause;
    } finally {
      for (const counter of counters) counter.forget();
    }
  }
}
