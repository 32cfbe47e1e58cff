import type { DatabaseSync } from "node:sqlite";
import {
  type WriteArgument,
  type WriteName,
  type WriteResult,
  writes,
} from "../repositories/repositories.ts";
import { Counter } from "./counter.ts";
import { petCommands } from "./petTransaction.ts";
import { SqliteTransaction } from "./storage.ts";

type EngineCommands = ReturnType<typeof petCommands> & ReturnType<typeof probeCommands>;
type RepositoryCommands = {
  [Name in WriteName]: (argument: WriteArgument<Name>) => Promise<WriteResult<Name>>;
};

/**
 * Every write by name. Each decides whether it refuses before it writes anything, and refuses by
 * what it returns: throwing takes back the whole transaction.
 */
export type Commands = EngineCommands & RepositoryCommands;
export type CommandName = keyof Commands;
export type Argument<Name extends CommandName> = Parameters<Commands[Name]>[0];
export type Result<Name extends CommandName> = Awaited<ReturnType<Commands[Name]>>;

export function prepareCommands(db: DatabaseSync): {
  readonly commands: Commands;
  readonly counters: readonly Counter[];
} {
  const lastPetId = new Counter(db, "last_pet_id");
  const lastOrderId = new Counter(db, "last_order_id");
  const keyRevision = new Counter(db, "key_revision");
  const siteRevision = new Counter(db, "site_revision");
  const edgeRevision = new Counter(db, "edge_revision");
  const lastFence = new Counter(db, "last_fence");
  const transaction = new SqliteTransaction(db, {
    key_revision: keyRevision,
    site_revision: siteRevision,
    edge_revision: edgeRevision,
    last_fence: lastFence,
  });
  return {
    commands: {
      ...petCommands(db, lastPetId, lastOrderId),
      ...probeCommands(db),
      ...repositoryCommands(transaction),
    },
    counters: [lastPetId, lastOrderId, keyRevision, siteRevision, edgeRevision, lastFence],
  };
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
     * Only a write that reaches the disk proves that one can, and SQLite writes no page whose bytes
     * stay as they are.
     */
    probe(_nothing: undefined): void {
      write.run();
    },
  };
}
