import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../keys/token.ts";
import { connectOrCreate } from "./connection.ts";
import { failureOf } from "./failures.ts";
import { claimEnvironment, migrate } from "./migrations.ts";

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
