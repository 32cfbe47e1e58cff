import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../../petstore/keys/token.ts";
import type { StoreVersion } from "../stores.ts";
import { connect, connectOrCreate } from "./connection.ts";
import { failureOf } from "./failures.ts";
import {
  claimEnvironment,
  environmentOf,
  latestVersion,
  migrate,
  refuseStrangers,
  versionOf,
} from "./migrations.ts";

/** The database of an environment, made or brought up to date where needed. */
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

/** Of the database in a file, or of none. Refuses what opening it would refuse. */
export function sqliteVersion(path: string | undefined, environment: Environment): StoreVersion {
  if (path === undefined) return { version: undefined, latest: latestVersion };
  const db = connect(path);
  try {
    refuseStrangers(db, path);
    const version = versionOf(db);
    if (version === 0) return { version: undefined, latest: latestVersion };
    if (environmentOf(db) !== undefined) claimEnvironment(db, path, environment);
    return { version, latest: latestVersion };
  } finally {
    db.close();
  }
}
