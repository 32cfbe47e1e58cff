import {
  chmodSync,
  copyFileSync,
  existsSync,
  constants as fileConstants,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { type AuditHead, chained, emptyLog } from "../../audit/auditLog.ts";
import { currentOrigin, service } from "../../audit/origin.ts";
import type { Clock } from "../../core/clock.ts";
import type { Environment } from "../../petstore/keys/token.ts";
import { insertEntry, valuesOf } from "../repositories/audit.ts";
import { openOrder } from "../repositories/tables.ts";
import type { CopyReport } from "../stores.ts";
import { closing, connect, rollBack } from "./connection.ts";
import type { CopyReply, CopyThreadData } from "./copyThread.ts";
import { failureOf } from "./failures.ts";
import { makeFile, makeFolder, publish, refuseToOverwrite, withTemporary } from "./files.ts";
import { environmentOf, migrate, requirePetstoreDatabase } from "./migrations.ts";
import { openDatabase } from "./store.ts";

/** Copies a consistent snapshot of a database into a new file while it is in use. */
export async function backupSqlite(
  databasePath: string,
  file: string,
  clock: Clock,
): Promise<CopyReport> {
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
    withTemporary(target, clock, (temporary) => {
      // SQLite writes into an existing empty file and keeps its mode.
      makeFile(temporary);
      closing(connect(source), (db) => {
        ownerOf(db, source);
        db.prepare("VACUUM INTO ?").run(temporary);
      });
      const report = closing(connect(temporary), (db) => {
        requireSound(db, temporary);
        return reportOn(db, temporary);
      });
      publish(temporary, target);
      return report;
    }),
  );
}

/**
 * Replaces the contents of a database with those of a backup, in one commit, while it is in use. A
 * failure changes nothing.
 */
export async function restoreSqlite(
  databasePath: string,
  file: string,
  environment: Environment,
  clock: Clock,
): Promise<CopyReport> {
  const target = resolve(databasePath);
  const source = resolve(file);
  if (!existsSync(source)) throw new Error(`There is no file ${source} to restore from.`);
  if (existsSync(`${source}-wal`)) {
    throw new Error(
      `${source} is a database in use, and its latest changes are still in ${source}-wal. Restore from a file that \`petstore backup\` made.`,
    );
  }
  const folders = missingFolders(dirname(target));
  makeFolder(dirname(target));
  try {
    return explaining(`${source} could not be restored, and nothing was changed`, () =>
      withTemporary(target, clock, (temporary) => {
        // A copy can be migrated, and does not change between the check and its use.
        copyFileSync(source, temporary, fileConstants.COPYFILE_FICLONE);
        chmodSync(temporary, 0o600);
        closing(connect(temporary), (db) => makeRestorable(db, source, environment));
        return closing(openDatabase(target, environment), (db) => {
          replaceContents(db, temporary, () => recordRestore(db, source, clock));
          return reportOn(db, temporary);
        });
      }),
    );
  } catch (cause) {
    for (const folder of folders) removeEmpty(folder);
    throw cause;
  }
}

/** The innermost first. */
function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))];
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is not empty: another process has begun to use it.
  }
}

function makeRestorable(db: DatabaseSync, source: string, environment: Environment): void {
  const owner = ownerOf(db, source);
  if (owner !== environment) {
    throw new Error(
      `${source} is a backup of ${owner}, and this is ${environment}. Restore a backup of ${environment}.`,
    );
  }
  requireSound(db, source);
  // A database that was copied by hand may be in WAL mode.
  db.exec("PRAGMA journal_mode = DELETE");
  migrate(db, source);
  requirePetsOfOrders(db, source);
}

/** Not a foreign key: an order outlives its pet, but never while it is open. */
function requirePetsOfOrders(db: DatabaseSync, path: string): void {
  const [row] = db.prepare(findOrderWithoutPet).all();
  if (row !== undefined) throw new Error(`${path} is damaged: ${JSON.stringify(row)} has no pet.`);
}

const findOrderWithoutPet = `SELECT CAST(id AS TEXT) AS orderId FROM orders
  WHERE ${openOrder} AND pet_id NOT IN (SELECT id FROM pets) LIMIT 1`;

/** The environment of a database. Throws for a file that is not a Pet Store database. */
function ownerOf(db: DatabaseSync, path: string): string {
  requirePetstoreDatabase(db, path);
  const owner = environmentOf(db);
  if (owner === undefined) throw new Error(`${path} is empty: it is no Pet Store database yet.`);
  return owner;
}

/** Adds to SQLite's message what failed, and for which file. */
function explaining<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const { message, errcode } = failureOf(cause);
    if (errcode === undefined) throw cause;
    throw new Error(`${what}: ${message} (SQLite ${errcode}).`, { cause });
  }
}

/** A backup that can be stopped: it then leaves nothing behind and throws the signal's reason. */
export function backupStoppable(
  databasePath: string,
  file: string,
  signal: AbortSignal,
): Promise<CopyReport> {
  const workerData: CopyThreadData = { databasePath, file };
  const worker = new Worker(new URL("./copyThread.ts", import.meta.url), { workerData });
  return new Promise((done, fail) => {
    const stop = () => {
      void worker.terminate();
      removePartial(resolve(file));
      fail(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    worker.on("message", (reply: CopyReply) => {
      if ("report" in reply) done(reply.report);
      else fail(Object.assign(new Error(reply.failure.message), reply.failure));
    });
    worker.on("error", fail);
    worker.on("exit", () => {
      signal.removeEventListener("abort", stop);
      fail(new Error(`The thread that was to make ${file} ended before it was done.`));
    });
  });
}

/** Removes the files of `withTemporary`, whose thread was terminated. */
function removePartial(file: string): void {
  for (const name of readdirSync(dirname(file))) {
    const rest = name.startsWith(`${basename(file)}.`) ? name.slice(basename(file).length) : "";
    if (/^\.[0-9a-f]{12}\.partial(-journal|-wal|-shm)?$/.test(rest)) {
      rmSync(join(dirname(file), name), { force: true });
    }
  }
}

/** What identifies the database, its counters, and its audit log: not restored. */
const keptTables = [
  ...["meta", "counters", "retired_pet_ids", "pet_changes", "sign_in_tries", "audit_log"],
];

/** Throws unless all pages, indexes and references of the database are intact. */
function requireSound(db: DatabaseSync, path: string): void {
  const faults = [
    ...db.prepare("PRAGMA integrity_check(1)").all(),
    ...db.prepare("PRAGMA foreign_key_check").all(),
  ].filter((row) => row["integrity_check"] !== "ok");
  if (faults.length > 0) throw new Error(`${path} is damaged: ${JSON.stringify(faults[0])}.`);
}

function reportOn(db: DatabaseSync, file: string): CopyReport {
  const row = db
    .prepare("SELECT (SELECT count(*) FROM pets) AS pets, (SELECT count(*) FROM keys) AS keys")
    .get();
  return { bytes: statSync(file).size, pets: Number(row?.["pets"]), keys: Number(row?.["keys"]) };
}

/** Replaces the contents with those of another database of the same version, in one commit. */
function replaceContents(db: DatabaseSync, other: string, record: () => void): void {
  db.prepare("ATTACH ? AS other").run(other);
  db.exec("BEGIN IMMEDIATE");
  try {
    db.exec(
      `PRAGMA defer_foreign_keys = ON;
       CREATE TEMP TABLE ends AS SELECT id, revoked_at_ms, expires_at_ms FROM main.keys;
       CREATE TEMP TABLE passwords AS SELECT * FROM main.accounts WHERE password IS NOT NULL;
       CREATE TEMP TABLE disabled AS SELECT name, disabled_at_ms FROM main.accounts;
       CREATE TEMP TABLE newer_factors AS SELECT name, factors_changed_at_ms FROM main.accounts AS ours
         WHERE EXISTS (SELECT 1 FROM other.accounts AS theirs WHERE theirs.name = ours.name
           AND ours.factors_changed_at_ms > coalesce(theirs.factors_changed_at_ms, 0));
       ${factorTables.map((table) => `CREATE TEMP TABLE newer_${table} AS SELECT * FROM main.${table} WHERE account IN (SELECT name FROM newer_factors);`).join("\n")}
       CREATE TEMP TABLE access_ends AS SELECT id, revoked_at_ms FROM main.access_tokens;
       CREATE TEMP TABLE webhooks AS SELECT id, secrets, disabled, disabled_at_ms
         FROM main.webhook_endpoints;
       CREATE TEMP TABLE domain_ends AS SELECT * FROM main.domains WHERE ended_at_ms IS NOT NULL;`,
    );
    // Filled again below: its own tables must not be written to.
    db.exec("INSERT INTO main.pet_terms (pet_terms) VALUES ('delete-all')");
    for (const table of tablesOf(db)) {
      const columns = columnsOf(db, table).join(", ");
      db.exec(
        `DELETE FROM main.${table};
         INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM other.${table};`,
      );
    }
    // What was revoked or ended since the backup stays so: keys, tokens, domains, accounts, webhooks,
    // old passwords and second factors. Sessions, leases and links of the backup may have ended since,
    // so all of them are removed, and no link is mailed. What is left of a webhook that was removed
    // may be nothing but the entry in the audit log.
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
       UPDATE main.accounts SET
         disabled_at_ms = coalesce(disabled.disabled_at_ms, accounts.disabled_at_ms)
       FROM temp.disabled WHERE disabled.name = accounts.name;
       DROP TABLE temp.disabled;
       UPDATE main.accounts SET factors_changed_at_ms = newer.factors_changed_at_ms
       FROM temp.newer_factors AS newer WHERE newer.name = accounts.name;
       ${factorTables.map(replaceFactors).join("\n")}
       DROP TABLE temp.newer_factors;
       DELETE FROM main.sessions;
       DELETE FROM main.pending_sign_ins;
       DELETE FROM main.passkey_challenges;
       DELETE FROM main.one_time_links;
       DELETE FROM main.mails WHERE sealed IS NOT NULL;
       UPDATE main.webhook_endpoints SET lease_holder = NULL, lease_until_ms = NULL;
       UPDATE main.webhook_endpoints SET (secrets, disabled, disabled_at_ms) =
         (ours.secrets, coalesce(ours.disabled, webhook_endpoints.disabled),
          coalesce(ours.disabled_at_ms, webhook_endpoints.disabled_at_ms))
       FROM temp.webhooks AS ours WHERE ours.id = webhook_endpoints.id;
       DROP TABLE temp.webhooks;
       UPDATE main.webhook_endpoints SET disabled = 'removed' WHERE 'webhooks/' || id IN (
         SELECT subject FROM main.audit_log WHERE action = 'webhook.remove');
       UPDATE main.domains SET
         (ownership, ended_at_ms, served, certificate_id, state, due_at_ms, milestone) =
         (ends.ownership, ends.ended_at_ms, ends.served, ends.certificate_id, ends.state,
          ends.due_at_ms, ends.milestone)
       FROM temp.domain_ends AS ends WHERE ends.id = domains.id;
       DROP TABLE temp.domain_ends;
       INSERT INTO main.pet_terms (rowid, terms)
         SELECT id, pet_terms_of(name, category_id) FROM main.pets;`,
    );
    // Counters only grow: no id is assigned twice, and every process notices the change.
    db.exec(
      `UPDATE main.counters SET value = max(value, coalesce(
         (SELECT theirs.value FROM other.counters AS theirs WHERE theirs.name = counters.name), 0))
         WHERE name <> 'last_audit_number';
       INSERT OR IGNORE INTO main.retired_pet_ids SELECT id FROM other.retired_pet_ids;
       UPDATE main.counters SET value = value + 1
         WHERE name GLOB '*_revision' OR name = 'last_event_id';
       -- The events do not lead to what was restored: whoever follows them has to read all again.
       DELETE FROM main.events;
       UPDATE main.counters SET value =
         (SELECT value FROM main.counters WHERE name = 'last_event_id')
         WHERE name = 'removed_event_id';`,
    );
    record();
    db.exec("COMMIT");
  } catch (cause) {
    rollBack(db);
    throw cause;
  }
}

/**
 * Records a restore in the audit log, which no restore takes back: where it is the beginning of the
 * backup's log, it first continues with the rest of that. Otherwise the entry names the other head.
 */
function recordRestore(db: DatabaseSync, file: string, clock: Clock): void {
  const [own, theirs] = [auditHead(db, "main"), auditHead(db, "other")];
  const continues =
    own.number === 0 ||
    db.prepare("SELECT 1 FROM other.audit_log WHERE hash = ?").get(own.hash) !== undefined;
  if (continues) {
    const columns = columnsOf(db, "audit_log").join(", ");
    db.exec(
      `INSERT INTO main.audit_log (${columns})
         SELECT ${columns} FROM other.audit_log WHERE number > ${own.number};
       UPDATE main.counters SET value = max(value, (SELECT theirs.value
           FROM other.counters AS theirs WHERE theirs.name = counters.name))
         WHERE name = 'last_audit_number';`,
    );
  }
  const { actor = "anonymous", source, requestId } = currentOrigin() ?? service;
  const counted = db
    .prepare(
      "UPDATE main.counters SET value = value + 1 WHERE name = 'last_audit_number' RETURNING value",
    )
    .get();
  const entry = chained(auditHead(db, "main"), {
    number: Number(counted?.["value"]),
    atMs: clock.now(),
    actor,
    action: "store.restore",
    subject: "store",
    source: JSON.stringify(source),
    requestId,
    before: undefined,
    after: JSON.stringify({ file, head: `${theirs.number}:${theirs.hash}` }),
  });
  db.prepare(insertEntry).run(...valuesOf(entry).map((value) => value ?? null));
}

function auditHead(db: DatabaseSync, schema: "main" | "other"): AuditHead {
  const row = db
    .prepare(`SELECT number, hash FROM ${schema}.audit_log ORDER BY number DESC LIMIT 1`)
    .get();
  return row === undefined
    ? emptyLog
    : { number: Number(row["number"]), hash: row["hash"] as string };
}

/** Of an account, those of the database or of the backup: what was changed later. */
const factorTables = ["passkeys", "totp_secrets", "recovery_codes"];
const replaceFactors = (table: string) =>
  `DELETE FROM main.${table} WHERE account IN (SELECT name FROM temp.newer_factors);
   INSERT INTO main.${table} SELECT * FROM temp.newer_${table};
   DROP TABLE temp.newer_${table};`;

/** From the schema, so that tables and columns added later are included. */
function tablesOf(db: DatabaseSync): string[] {
  const rows = db.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table'").all();
  const names = rows.map((row) => row["name"] as string);
  return names.filter((name) => !/^(?:sqlite_|pet_terms)/.test(name) && !keptTables.includes(name));
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  const rows = db.prepare("SELECT name FROM pragma_table_info(?, 'main')").all(table);
  return rows.map((row) => row["name"] as string);
}
