import type { DatabaseSync } from "node:sqlite";
import {
  type WriteArgument,
  type WriteName,
  type WriteResult,
  writes,
} from "../repositories/repositories.ts";
import { countersOf } from "./counter.ts";
import { petCommands } from "./petTransaction.ts";
import { SqliteTransaction } from "./storage.ts";

type EngineCommands = ReturnType<typeof petCommands> & ReturnType<typeof probeCommands>;
type RepositoryCommands = {
  [Name in WriteName]: (argument: WriteArgument<Name>) => Promise<WriteResult<Name>>;
};

/**
 * Every write by name. Each decides before it writes anything, and returns a refusal: throwing
 * rolls back the whole transaction.
 */
export type Commands = EngineCommands & RepositoryCommands;
export type CommandName = keyof Commands;

export function prepareCommands(db: DatabaseSync) {
  const counters = countersOf(db);
  const transaction = new SqliteTransaction(db, counters);
  const commands: Commands = {
    ...petCommands(db, counters),
    ...probeCommands(db),
    ...repositoryCommands(transaction),
  };
  return { commands, counters: Object.values(counters) };
}

function repositoryCommands(transaction: SqliteTransaction): RepositoryCommands {
  const bound = Object.entries(writes).map(([name, write]) => [
    name,
    (argument: never) => write(transaction, argument),
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
