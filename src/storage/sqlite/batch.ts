import type { DatabaseSync } from "node:sqlite";
import type { Origin } from "../../audit/origin.ts";
import type { Clock } from "../../core/clock.ts";
import type { CarriedTrace } from "../../core/tracing.ts";
import { CatalogueChanges } from "../repositories/audit.ts";
import { perform } from "../repositories/audited.ts";
import {
  type WriteArgument,
  type WriteName,
  type WriteResult,
  writes,
} from "../repositories/repositories.ts";
import { type BatchReply, runBatch, type Write } from "../repositories/writeQueue.ts";
import { lockMsMax, rollBack } from "./connection.ts";
import { type Failure, failureOf, isBusy, isUnavailable } from "./failures.ts";
import { petCommands } from "./petTransaction.ts";
import { type CurrentWrite, countersOf, SqliteTransaction } from "./storage.ts";

/** Commands and their arguments side by side: as pairs they would take twice as long to send. */
export interface Batch {
  readonly names: readonly CommandName[];
  readonly arguments: readonly unknown[];
  /** Left out if no person is known to make any of them. */
  readonly origins?: readonly (Origin | undefined)[];
  /** Left out if none of them has one. */
  readonly traces?: readonly (CarriedTrace | undefined)[];
  /** By the clock of the process: that of this thread cannot be chosen. */
  readonly nowMs: number;
}

/** How often a process that waits for the write lock tries again. */
const lockRetryMs = 0.5;
const pause = new Int32Array(new SharedArrayBuffer(4));

export class BatchRunner {
  readonly #db: DatabaseSync;
  readonly #begin;
  readonly #commit;
  readonly #prepared;
  readonly #clock: Clock;
  readonly #lockMsMax: number;
  readonly #current: CurrentWrite = { nowMs: 0, trace: undefined };

  constructor(db: DatabaseSync, clock: Clock, waitMsMax = lockMsMax) {
    this.#db = db;
    this.#clock = clock;
    this.#lockMsMax = waitMsMax;
    db.exec("PRAGMA busy_timeout = 0");
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#prepared = prepareCommands(db, this.#current);
  }

  run({ names, arguments: given, origins, traces, nowMs }: Batch): Promise<BatchReply<Failure>> {
    this.#current.nowMs = nowMs;
    const writes = names.map((name, index) => {
      return { name, argument: given[index], origin: origins?.[index], trace: traces?.[index] };
    });
    const transact = (some: typeof writes) => this.#transact(some);
    return runBatch(writes, { clock: this.#clock, transact, failureOf, isUnavailable });
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
  async #transact(writes: readonly Write<CommandName>[]): Promise<unknown[]> {
    const { commands, counters, changes, transaction } = this.#prepared;
    try {
      this.#lock();
      const results: unknown[] = [];
      for (const { name, argument, origin, trace } of writes) {
        const command = commands[name] as (argument: unknown, origin?: Origin) => unknown;
        changes.begin(origin);
        this.#current.trace = trace;
        const result = command(argument, origin);
        results.push(result instanceof Promise ? await result : result);
      }
      await changes.append(transaction);
      for (const counter of counters) counter.save();
      this.#commit.run();
      return results;
    } catch (cause) {
      rollBack(this.#db);
      changes.discard();
      throw cause;
    } finally {
      for (const counter of counters) counter.forget();
    }
  }
}

type EngineCommands = ReturnType<typeof petCommands> & ReturnType<typeof probeCommands>;
type RepositoryCommands = {
  [Name in WriteName]: (argument: WriteArgument<Name>) => Promise<WriteResult<Name>>;
};

/**
 * Every write by name. Each returns a refusal rather than throwing, which rolls back the whole
 * transaction.
 */
export type Commands = EngineCommands & RepositoryCommands;
export type CommandName = keyof Commands;

function prepareCommands(db: DatabaseSync, current: CurrentWrite) {
  const counters = countersOf(db);
  const transaction = new SqliteTransaction(db, counters, current);
  const changes = new CatalogueChanges();
  const commands: Commands = {
    ...petCommands(db, counters, current, changes),
    ...probeCommands(db),
    ...repositoryCommands(transaction),
  };
  return { commands, counters: Object.values(counters), changes, transaction };
}

function repositoryCommands(transaction: SqliteTransaction): RepositoryCommands {
  const bound = (Object.keys(writes) as WriteName[]).map((name) => [
    name,
    (argument: unknown, origin?: Origin) => perform(transaction, name, argument, origin),
  ]);
  return Object.fromEntries(bound);
}

function probeCommands(db: DatabaseSync) {
  const write = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'probe'");
  return {
    /**
     * Only a write that reaches the disk proves that writes do, and SQLite does not write a page
     * that did not change.
     */
    probe(_nothing: undefined): void {
      write.run();
    },
  };
}
