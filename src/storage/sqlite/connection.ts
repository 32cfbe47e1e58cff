import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { isBusy } from "./failures.ts";
import { makeFile, makeFolder } from "./files.ts";

/** How long a connection waits for its turn to write before it gives up. */
export const lockMsMax = 5_000;
/** What a large import or restore leaves behind is cut back to this at the next checkpoint. */
const logBytesMax = 64 * 1024 * 1024;
const walAttemptsMax = 20;

/** Opens a database that is there, with the settings that hold for each connection apart. */
export function connect(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: lockMsMax });
  // FULL syncs the log at every commit: a power cut loses nothing that was acknowledged.
  // Temporary tables and the journals of statements stay in memory: with a read-only root and no
  // /tmp, SQLite would find no place for their files, and refuse to publish a site.
  db.exec(
    `PRAGMA synchronous = FULL;
     PRAGMA foreign_keys = ON;
     PRAGMA temp_store = MEMORY;
     PRAGMA journal_size_limit = ${logBytesMax};`,
  );
  return db;
}

/** Opens a database for good, making an empty one, for its owner's eyes only, if none is there. */
export function connectOrCreate(path: string): DatabaseSync {
  makeFolder(dirname(path));
  // SQLite would create the file readable for all; its log takes after it.
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

/** Readers and the writer do not wait for each other with it. The database remembers it. */
function useWriteAheadLog(db: DatabaseSync): void {
  for (let attempt = 1; ; attempt++) {
    try {
      db.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (cause) {
      if (!isBusy(cause) || attempt === walAttemptsMax) throw cause;
      // SQLite does not wait for its turn here, where several processes make the database at
      // once. It does wait to begin a transaction.
      db.exec("BEGIN IMMEDIATE; ROLLBACK");
    }
  }
}

/** Of the connection that wrote. */
export function closeWriting(db: DatabaseSync): void {
  try {
    db.exec(`PRAGMA busy_timeout = ${lockMsMax}; PRAGMA wal_checkpoint(TRUNCATE)`);
  } catch {
    // Only tidiness: what is in the log is as safe there, and the next one to open reads it.
  }
  db.close();
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

/** The type of a row is that of the text, which only whoever wrote it can know. */
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
