import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../../petstore/keys/token.ts";
import { accountEmailTables, disabledAccountTables } from "../repositories/accounts.ts";
import { auditTables } from "../repositories/audit.ts";
import { recordedTables, traceTables } from "../repositories/events.ts";
import { mailTables } from "../repositories/mails.ts";
import { secondFactorTables } from "../repositories/secondFactors.ts";
import { tablesForSqlite } from "../repositories/tableNotation.ts";
import {
  accessTables,
  accountTables,
  domainListTables,
  domainTables,
  eventTables,
  keyTables,
  orderTables,
  petTables,
  searchTables,
  siteTables,
  uploadTables,
  webhookTables,
} from "../repositories/tables.ts";
import { requireEnvironment, requireKnownVersion } from "../stores.ts";
import { rollBack } from "./connection.ts";
import { petTermsIndex } from "./petTerms.ts";

/** "PETS": distinguishes our databases from those of other programs. */
const applicationId = 0x50455453;

/** Part of the triggers on pets. A few thousand changes suffice for processes that poll often. */
const notePetChange = `
     UPDATE counters SET value = value + 1 WHERE name = 'pet_revision';
     INSERT INTO pet_changes (revision, pet_id)
       SELECT value, old.id FROM counters WHERE name = 'pet_revision';
     DELETE FROM pet_changes WHERE revision <=
       (SELECT value - 4096 FROM counters WHERE name = 'pet_revision');
   `;

/**
 * The steps from each version to the next. Append only: a released step has already run on some
 * databases.
 */
const steps: readonly string[] = [
  `PRAGMA application_id = ${applicationId};
   CREATE TABLE meta (
     name TEXT PRIMARY KEY,
     value TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   ${tablesForSqlite([...petTables, ...keyTables])}`,
  tablesForSqlite(orderTables),
  tablesForSqlite(siteTables),
  tablesForSqlite(domainTables),
  tablesForSqlite(accessTables),
  tablesForSqlite(accountTables),

  // Triggers, so that every way of changing a pet is covered.
  `INSERT INTO counters (name, value) VALUES ('pet_revision', 0);
   CREATE TRIGGER pets_updated AFTER UPDATE ON pets BEGIN
     UPDATE counters SET value = value + 1 WHERE name = 'pet_revision';
   END;
   CREATE TRIGGER pets_deleted AFTER DELETE ON pets BEGIN
     UPDATE counters SET value = value + 1 WHERE name = 'pet_revision';
   END;`,

  `CREATE TABLE pet_changes (
     revision INTEGER PRIMARY KEY,
     pet_id INTEGER NOT NULL
   ) STRICT;
   DROP TRIGGER pets_updated;
   DROP TRIGGER pets_deleted;
   CREATE TRIGGER pets_updated AFTER UPDATE ON pets BEGIN ${notePetChange} END;
   CREATE TRIGGER pets_deleted AFTER DELETE ON pets BEGIN ${notePetChange} END;
   CREATE TRIGGER pets_renumbered AFTER UPDATE OF id ON pets WHEN new.id <> old.id BEGIN
     UPDATE counters SET value = value + 1 WHERE name = 'pet_revision';
   END;`,

  "INSERT INTO counters (name, value) VALUES ('probe', 0);",

  `${tablesForSqlite(uploadTables)}
   CREATE TRIGGER deployment_ended AFTER UPDATE OF state ON deployments
     WHEN NEW.state = 'ready' OR NEW.state = 'failed' BEGIN
       DELETE FROM deployment_manifests WHERE deployment = NEW.id;
   END;`,

  `${tablesForSqlite(searchTables)}
   ${petTermsIndex}`,

  tablesForSqlite(eventTables),
  tablesForSqlite(domainListTables),
  tablesForSqlite(webhookTables),
  tablesForSqlite(accountEmailTables),
  tablesForSqlite(auditTables),
  tablesForSqlite(disabledAccountTables),
  tablesForSqlite(recordedTables),
  tablesForSqlite(mailTables),
  tablesForSqlite(secondFactorTables),
  tablesForSqlite(traceTables),
];

export const latestVersion = steps.length;

/** Migrates a database. Processes that start at the same time wait for the one that does it. */
export function migrate(db: DatabaseSync, path: string): void {
  requirePetstoreDatabase(db, path);
  while (versionOf(db) < steps.length) {
    db.exec("BEGIN IMMEDIATE");
    try {
      // Read again: another process may have run this step while this one waited for the lock.
      const version = versionOf(db);
      const step = steps[version];
      if (step !== undefined) db.exec(`${step}\nPRAGMA user_version = ${version + 1};`);
      db.exec("COMMIT");
    } catch (cause) {
      rollBack(db);
      throw cause;
    }
  }
}

/** Throws unless the database is empty, or ours and of a version that this release supports. */
export function requirePetstoreDatabase(db: DatabaseSync, path: string): void {
  const { ours, empty, version } = identityOf(db);
  if (!ours && !empty) {
    throw new Error(
      `${path} is a database of another program. Name a path where no file is, or one that this program made.`,
    );
  }
  requireKnownVersion(path, version, latestVersion);
}

function identityOf(db: DatabaseSync): { ours: boolean; empty: boolean; version: number } {
  // In one transaction: a database that is being created must not look like another program's.
  db.exec("BEGIN");
  try {
    return {
      ours: numberOf(db, "SELECT application_id FROM pragma_application_id") === applicationId,
      empty: numberOf(db, "SELECT count(*) FROM sqlite_schema") === 0,
      version: versionOf(db),
    };
  } finally {
    rollBack(db);
  }
}

/** A database belongs to the first environment that opens it, and to no other. */
export function claimEnvironment(db: DatabaseSync, path: string, environment: Environment): void {
  if (environmentOf(db) === undefined) {
    // Another process that opens the new database now may be first.
    db.prepare("INSERT OR IGNORE INTO meta (name, value) VALUES ('environment', ?)").run(
      environment,
    );
  }
  requireEnvironment(path, environmentOf(db), environment);
}

/** Undefined for an empty database. */
export function environmentOf(db: DatabaseSync): string | undefined {
  if (versionOf(db) === 0) return undefined;
  const row = db.prepare("SELECT value FROM meta WHERE name = 'environment'").get();
  return row?.["value"] as string | undefined;
}

export function versionOf(db: DatabaseSync): number {
  return numberOf(db, "SELECT user_version FROM pragma_user_version");
}

function numberOf(db: DatabaseSync, query: string): number {
  const [value] = Object.values(db.prepare(query).get() ?? {});
  return Number(value);
}
