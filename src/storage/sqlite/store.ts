import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../../petstore/keys/token.ts";
import { repositoriesOn } from "../repositories/repositories.ts";
import type { Stores, StoresOptions, StoreVersion } from "../stores.ts";
import { SqliteCatalogue, sqliteOrders } from "./catalogue.ts";
import { closing, connect, connectOrCreate } from "./connection.ts";
import { StepwiseCounter } from "./counting.ts";
import { failureOf } from "./failures.ts";
import {
  claimEnvironment,
  environmentOf,
  latestVersion,
  migrate,
  requirePetstoreDatabase,
  versionOf,
} from "./migrations.ts";
import { RevisionReader } from "./revisions.ts";
import { SqliteStorage } from "./storage.ts";
import { startWriterThread, Writer, type WriterWorker } from "./writer.ts";

/**
 * Opens the database in a file, and creates it and its folders if necessary. Any number of
 * processes may have it open. Reads are synchronous; writes run in a thread.
 */
export async function openSqlite(
  path: string,
  options: StoresOptions,
  startThread: (path: string) => WriterWorker = startWriterThread,
): Promise<Stores> {
  const file = resolve(path);
  const db = openDatabase(file, options.environment);
  // From here on this connection only reads.
  db.exec("PRAGMA query_only = ON");
  const writer = new Writer(() => startThread(file), options.clock, options.onCommit);
  const revisions = new RevisionReader(db, file);
  const counter = new StepwiseCounter(file, options.clock);
  const catalogue = new SqliteCatalogue(db, writer, revisions, counter, options.clock);
  return {
    ...repositoriesOn(new SqliteStorage(db, writer, revisions)),
    catalogue,
    orders: sqliteOrders(db, writer, counter),
    revisions() {
      const { key_revision } = revisions.read();
      return { keys: key_revision, pets: revisions.petChanges.revision, exact: true };
    },
    async ready() {
      catalogue.get(1n);
      await writer.submit("probe", undefined);
    },
    queues: () => ({ writes: writer.queued }),
    size: () => ({ database: bytesOf(file), log: bytesOf(`${file}-wal`) }),
    async close() {
      await writer.close();
      db.close();
    },
  };
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Opens the database of an environment, and creates or migrates it if necessary. */
export function openDatabase(path: string, environment: Environment): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = connectOrCreate(path);
    migrate(db, path);
    claimEnvironment(db, path, environment);
    return db;
  } catch (cause) {
    db?.close();
    const { message, errcode } = failureOf(cause);
    if (errcode === undefined) throw cause;
    throw new Error(
      `${path} cannot be opened as a database: ${message} (SQLite ${errcode}). Check that it is a database of this program, that its folder can be written to, and that the disk has room.`,
      { cause },
    );
  }
}

/** The version of the database in a file, or of none. Throws where opening it would throw. */
export function sqliteVersion(path: string | undefined, environment: Environment): StoreVersion {
  if (path === undefined) return { version: undefined, latest: latestVersion };
  return closing(connect(path), (db) => {
    requirePetstoreDatabase(db, path);
    const version = versionOf(db);
    if (version === 0) return { version: undefined, latest: latestVersion };
    if (environmentOf(db) !== undefined) claimEnvironment(db, path, environment);
    return { version, latest: latestVersion };
  });
}
