import { statSync } from "node:fs";
import { resolve } from "node:path";
import { repositoriesOn } from "../repositories/repositories.ts";
import type { Stores, StoresOptions } from "../stores.ts";
import { SqliteCatalogue } from "./catalogue.ts";
import { openDatabase } from "./database.ts";
import { sqliteOrders } from "./orders.ts";
import { RevisionReader } from "./revisions.ts";
import { SqliteStorage } from "./storage.ts";
import { startWriterThread, Writer, type WriterWorker } from "./writer.ts";

/**
 * Opens the database in a file, making it and its folders if they are not there. Any number of
 * processes may have it open. Reads run here and now, writes in a thread of their own.
 */
export async function openSqlite(
  path: string,
  options: StoresOptions,
  startThread: (path: string) => WriterWorker = startWriterThread,
): Promise<Stores> {
  const file = resolve(path);
  const db = openDatabase(file, options.environment);
  // This connection only reads from here on.
  db.exec("PRAGMA query_only = ON");
  const writer = new Writer(() => startThread(file), options.clock, options.onCommit);
  const revisions = new RevisionReader(db, file);
  const catalogue = new SqliteCatalogue(db, writer, revisions);
  return {
    ...repositoriesOn(new SqliteStorage(db, writer, revisions)),
    catalogue,
    orders: sqliteOrders(db, writer),
    revisions() {
      const { key_revision } = revisions.read();
      return { keys: key_revision, pets: revisions.petChanges.revision, exact: true };
    },
    async ready() {
      catalogue.get(1n);
      await writer.submit("probe", undefined);
    },
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
