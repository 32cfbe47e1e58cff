/** What a database holds, as a whole. */
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { CopyReport } from "../stores.ts";
import { rollBack } from "./connection.ts";

/** Which database this is, and how far its numbers have grown: no part of the contents. */
const keptTables = ["meta", "counters", "pet_changes", "sign_in_tries"];

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
       CREATE TEMP TABLE ends AS SELECT id, revoked_at_ms, expires_at_ms FROM main.keys;
       CREATE TEMP TABLE passwords AS SELECT * FROM main.accounts WHERE password IS NOT NULL;
       CREATE TEMP TABLE access_ends AS SELECT id, revoked_at_ms FROM main.access_tokens;
       CREATE TEMP TABLE domain_ends AS SELECT * FROM main.domains WHERE ended_at_ms IS NOT NULL;`,
    );
    for (const table of tablesOf(db)) {
      const columns = columnsOf(db, table).join(", ");
      db.exec(
        `DELETE FROM main.${table};
         INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM other.${table};`,
      );
    }
    // What was ended since the backup stays ended, keys, domains and old passwords: whoever did that
    // relies on it. Sessions and links of a backup would come back from the dead, so all of them end.
    db.exec(
      `UPDATE main.keys SET
         revoked_at_ms = coalesce(ends.revoked_at_ms, keys.revoked_at_ms),
         expires_at_ms = min(
           coalesce(keys.expires_at_ms, ends.expires_at_ms),
           coalesce(ends.expires_at_ms, keys.expires_at_ms))
       FROM temp.ends WHERE ends.id = keys.id;
       DROP TABLE temp.ends;
       UPDATE main.access_tokens SET
         revoked_at_ms = coalesce(access_ends.revoked_at_ms, access_tokens.revoked_at_ms)
       FROM temp.access_ends WHERE access_ends.id = access_tokens.id;
       DROP TABLE temp.access_ends;
       UPDATE main.accounts SET (password, password_version, password_set_at_ms) =
         (newer.password, newer.password_version, newer.password_set_at_ms)
       FROM temp.passwords AS newer WHERE newer.name = accounts.name
         AND newer.password_set_at_ms > coalesce(accounts.password_set_at_ms, 0);
       DROP TABLE temp.passwords;
       DELETE FROM main.sessions;
       DELETE FROM main.one_time_links;
       UPDATE main.domains SET (ownership, ended_at_ms, served, certificate_id, state, due_at_ms) =
         (ends.ownership, ends.ended_at_ms, ends.served, ends.certificate_id, ends.state, ends.due_at_ms)
       FROM temp.domain_ends AS ends WHERE ends.id = domains.id;
       DROP TABLE temp.domain_ends;`,
    );
    // Counters only grow: no id is given out twice, and every process notices what is other now.
    db.exec(
      `UPDATE main.counters SET value = max(value, coalesce(
         (SELECT theirs.value FROM other.counters AS theirs WHERE theirs.name = counters.name), 0));
       UPDATE main.counters SET value = value + 1 WHERE name GLOB '*_revision';
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
