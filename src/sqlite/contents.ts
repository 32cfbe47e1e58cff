/** What a database holds, as a whole. */
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { CopyReport } from "../stores.ts";
import { rollBack } from "./connection.ts";

/** Which database this is, and how far its numbers have grown: no part of the contents. */
const keptTables = ["meta", "counters"];

/** Throws unless every page, index and reference of the database is as it should be. */
export function requireSound(db: DatabaseSync, path: string): void {
  const faults = [
    ...db.prepare("PRAGMA integrity_check(1)").all(),
    ...db.prepare("PRAGMA foreign_key_check").all(),
  ].filter((row) => row.integrity_check !== "ok");
  if (faults.length > 0) throw new Error(`${path} is damaged: ${JSON.stringify(faults[0])}.`);
}

export function reportOn(db: DatabaseSync, file: string): CopyReport {
  const row = db
    .prepare("SELECT (SELECT count(*) FROM pets) AS pets, (SELECT count(*) FROM keys) AS keys")
    .get();
  return { bytes: statSync(file).size, pets: Number(row?.pets), keys: Number(row?.keys) };
}

/** Takes the contents of another database of the same version, in one commit. */
export function replaceContents(db: DatabaseSync, other: string): void {
  db.prepare("ATTACH ? AS other").run(other);
  db.exec("BEGIN IMMEDIATE");
  try {
    db.exec(
      `PRAGMA defer_foreign_keys = ON;
       CREATE TEMP TABLE ends AS SELECT id, revoked_at_ms, expires_at_ms FROM main.keys;`,
    );
    for (const table of tablesOf(db)) {
      const columns = columnsOf(db, table).join(", ");
      db.exec(
        `DELETE FROM main.${table};
         INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM other.${table};`,
      );
    }
    // A key that was ended since the backup stays ended: whoever revoked it relies on that.
    db.exec(
      `UPDATE main.keys SET
         revoked_at_ms = coalesce(ends.revoked_at_ms, keys.revoked_at_ms),
         expires_at_ms = min(
           coalesce(keys.expires_at_ms, ends.expires_at_ms),
           coalesce(ends.expires_at_ms, keys.expires_at_ms))
       FROM temp.ends WHERE ends.id = keys.id;
       DROP TABLE temp.ends;`,
    );
    // Counters only grow: no id is given out twice, and every process notices the other keys.
    db.exec(
      `UPDATE main.counters SET value = max(value, coalesce(
         (SELECT theirs.value FROM other.counters AS theirs WHERE theirs.name = counters.name), 0));
       UPDATE main.counters SET value = value + 1 WHERE name = 'key_revision';
       COMMIT;`,
    );
  } catch (cause) {
    rollBack(db);
    throw cause;
  }
}

/** Asked of the schema, so that a table or column added later is not forgotten here. */
function tablesOf(db: DatabaseSync): string[] {
  const rows = db.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table'").all();
  const names = rows.map((row) => row.name as string);
  return names.filter((name) => !name.startsWith("sqlite_") && !keptTables.includes(name));
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  const rows = db.prepare("SELECT name FROM pragma_table_info(?, 'main')").all(table);
  return rows.map((row) => row.name as string);
}
