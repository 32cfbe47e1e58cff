import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { isBusy } from "./failures.ts";
import { makeFile, makeFolder } from "./files.ts";
import { termsOf } from "./petTerms.ts";

/** How long a connection waits for the write lock. */
export const lockMsMax = 5_000;
/** A checkpoint truncates a log to this after a large import or restore. */
const logBytesMax = 64 * 1024 * 1024;
const walAttemptsMax = 20;

/** Opens an existing database, with the settings of a connection. */
export function connect(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: lockMsMax });
  // FULL syncs the log at every commit: a power cut loses nothing that was acknowledged. Temporary
  // tables and statement journals stay in memory: with a read-only root and no /tmp, SQLite could
  // not create their files, and publishing a site would fail.
  db.exec(
    `PRAGMA synchronous = FULL;
     PRAGMA foreign_keys = ON;
     PRAGMA temp_store = MEMORY;
     PRAGMA journal_size_limit = ${logBytesMax};`,
  );
  // For the triggers on pets.
  db.function(
    "pet_terms_of",
    { deterministic: true, useBigIntArguments: true },
    (name, categoryId) => termsOf(name as string, categoryId as bigint),
  );
  return db;
}

/** Opens a database, and creates an empty one, readable only by its owner, if there is none. */
export function connectOrCreate(path: string): DatabaseSync {
  makeFolder(dirname(path));
  // SQLite would create a file that everyone can read. The log inherits its mode.
  makeFile(path);
  const db = connect(path);
  try {
    useWriteAheadLog(db);
  } catch (cause) {
    db.close();
    throw cause;
  }
  return db;
}

/** With it, readers and the writer do not wait for each other. The setting is persistent. */
function useWriteAheadLog(db: DatabaseSync): void {
  for (let attempt = 1; ; attempt++) {
    try {
      db.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (cause) {
      if (!isBusy(cause) || attempt === walAttemptsMax) throw cause;
      // Several processes are creating the database. SQLite does not wait for the lock here, but it
      // does when a transaction begins.
      db.exec("BEGIN IMMEDIATE; ROLLBACK");
    }
  }
}

/** Closes the connection of the writer. */
export function closeWriting(db: DatabaseSync): void {
  try {
    db.exec(`PRAGMA busy_timeout = ${lockMsMax}; PRAGMA wal_checkpoint(TRUNCATE)`);
  } catch {
    // Harmless: the log is durable, and is read when the database is opened next.
  }
  db.close();
}

export function closing<T>(db: DatabaseSync, work: (db: DatabaseSync) => T): T {
  try {
    return work(db);
  } finally {
    db.close();
  }
}

export function rollBack(db: DatabaseSync): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has already rolled back, as it does when the disk fails.
  }
}

/** A statement whose rows are arrays of its columns. Integers are exact. */
export interface RowStatement<Row> {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
}

/** The row's type is the caller's claim: it follows from the text, which is not checked. */
export function prepareRows<Row extends unknown[]>(
  db: DatabaseSync,
  text: string,
): RowStatement<Row> {
  const statement = db.prepare(text);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const untyped: unknown = statement;
  return untyped as RowStatement<Row>;
}
