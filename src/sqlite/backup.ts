import { chmodSync, copyFileSync, existsSync, constants as fileConstants } from "node:fs";
import { dirname, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../keys/token.ts";
import type { CopyReport } from "../stores.ts";
import { connect } from "./connection.ts";
import { replaceContents, reportOn, requireSound } from "./contents.ts";
import { openDatabase } from "./database.ts";
import { failureOf } from "./failures.ts";
import { makeFile, makeFolder, publish, refuseToOverwrite, withTemporary } from "./files.ts";
import { environmentOf, migrate, refuseStrangers } from "./migrations.ts";

/** Copies a database, as it is at one instant, into a new file while it is in use. */
export async function backupSqlite(databasePath: string, file: string): Promise<CopyReport> {
  const source = resolve(databasePath);
  const target = resolve(file);
  if (!existsSync(source)) {
    throw new Error(`There is nothing to back up: ${source} does not exist. Check PETSTORE_DATA.`);
  }
  refuseToOverwrite(target);
  if (!existsSync(dirname(target))) {
    throw new Error(`There is no folder ${dirname(target)} to back up to. Make it first.`);
  }
  return explaining(`${source} could not be backed up to ${target}`, () =>
    withTemporary(target, (temporary) => {
      // SQLite fills an empty file that is there, and leaves its mode as it is.
      makeFile(temporary);
      withDatabase(source, (db) => {
        ownerOf(db, source);
        db.prepare("VACUUM INTO ?").run(temporary);
      });
      const report = withDatabase(temporary, (db) => {
        requireSound(db, temporary);
        return reportOn(db, temporary);
      });
      publish(temporary, target);
      return report;
    }),
  );
}

/**
 * Replaces what a database holds by what a backup holds, in one commit, while it is in use. When
 * it fails, nothing was changed.
 */
export async function restoreSqlite(
  databasePath: string,
  file: string,
  environment: Environment,
): Promise<CopyReport> {
  const target = resolve(databasePath);
  const source = resolve(file);
  if (!existsSync(source)) throw new Error(`There is no file ${source} to restore from.`);
  if (existsSync(`${source}-wal`)) {
    throw new Error(
      `${source} is a database in use, and its latest changes are still in ${source}-wal. Restore from a file that \`petstore backup\` made.`,
    );
  }
  makeFolder(dirname(target));
  const failed = `${source} could not be restored, and nothing was changed`;
  return explaining(failed, () =>
    withTemporary(target, (temporary) => {
      // A copy can be brought up to date, and nobody changes it between the check and the use.
      copyFileSync(source, temporary, fileConstants.COPYFILE_FICLONE);
      chmodSync(temporary, 0o600);
      withDatabase(temporary, (db) => makeRestorable(db, source, environment));
      return restoreFrom(temporary, target, environment);
    }),
  );
}

function makeRestorable(db: DatabaseSync, source: string, environment: Environment): void {
  const owner = ownerOf(db, source);
  if (owner !== environment) {
    throw new Error(
      `${source} is a backup of ${owner}, and this is ${environment}. Restore a backup of ${environment}.`,
    );
  }
  requireSound(db, source);
  // A database that was copied by hand would keep a log beside it.
  db.exec("PRAGMA journal_mode = DELETE");
  migrate(db, source);
}

function restoreFrom(backup: string, target: string, environment: Environment): CopyReport {
  const db = openDatabase(target, environment);
  try {
    replaceContents(db, backup);
    return reportOn(db, backup);
  } finally {
    db.close();
  }
}

/** The environment that a database belongs to. Throws for a file that is no database of ours. */
function ownerOf(db: DatabaseSync, path: string): string {
  refuseStrangers(db, path);
  const owner = environmentOf(db);
  if (owner === undefined) throw new Error(`${path} is empty: it is no Pet Store database yet.`);
  return owner;
}

function withDatabase<T>(path: string, work: (db: DatabaseSync) => T): T {
  const db = connect(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** SQLite says in a few words what happened, and never to which file. */
function explaining<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const { message, errcode } = failureOf(cause);
    if (errcode === undefined) throw cause;
    throw new Error(`${what}: ${message} (SQLite ${errcode}).`, { cause });
  }
}
