import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../../petstore/keys/token.ts";
import { rollBack } from "./connection.ts";
import { accessTables, accountTables, domainTables, siteTables, uploadTables } from "./tables.ts";

/** "PETS": tells our databases from other programs'. */
const applicationId = 0x50455453;

/** Within a trigger on the pets. A few thousand changes are enough for who asks often. */
const notePetChange = `
     UPDATE counters SET value = value + 1 WHERE name = 'pet_revision';
     INSERT INTO pet_changes (revision, pet_id)
       SELECT value, old.id FROM counters WHERE name = 'pet_revision';
     DELETE FROM pet_changes WHERE revision <=
       (SELECT value - 4096 FROM counters WHERE name = 'pet_revision');
   `;

/**
 * What takes a database from each version to the next. Only ever added to: a step that was
 * released has run somewhere.
 */
const steps: readonly string[] = [
  `PRAGMA application_id = ${applicationId};

   CREATE TABLE meta (
     name TEXT PRIMARY KEY,
     value TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;

   -- Numbers that only grow, in a restore too.
   CREATE TABLE counters (
     name TEXT PRIMARY KEY,
     value INTEGER NOT NULL CHECK (value >= 0)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO counters (name, value) VALUES ('last_pet_id', 0), ('key_revision', 0);

   -- json is the pet as clients get it, so that a read neither builds nor rounds anything.
   -- Older databases check the status with IN, for which SQLite fills a table at every insert: it
   -- means the same and took a quarter of the time of adding a pet.
   CREATE TABLE pets (
     id INTEGER PRIMARY KEY CHECK (id > 0),
     name TEXT NOT NULL,
     category_id INTEGER NOT NULL,
     status TEXT NOT NULL
       CHECK (status = 'available' OR status = 'pending' OR status = 'sold'),
     json TEXT NOT NULL
   ) STRICT;
   -- Ends with the id, as every index of SQLite does: pets of a status come in the order of ids.
   CREATE INDEX pets_by_status ON pets (status);

   CREATE TABLE keys (
     ordinal INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     environment TEXT NOT NULL CHECK (environment IN ('production', 'staging')),
     hash TEXT NOT NULL UNIQUE,
     hint TEXT NOT NULL,
     scopes TEXT NOT NULL CHECK (json_valid(scopes)),
     created_at_ms INTEGER NOT NULL,
     expires_at_ms INTEGER,
     revoked_at_ms INTEGER,
     replaced_by TEXT REFERENCES keys (id),
     last_used_at_ms INTEGER
   ) STRICT;

   CREATE TABLE key_uses (
     key_id TEXT NOT NULL REFERENCES keys (id),
     operation TEXT NOT NULL,
     day TEXT NOT NULL,
     count INTEGER NOT NULL CHECK (count > 0),
     last_at_ms INTEGER NOT NULL,
     PRIMARY KEY (key_id, operation, day)
   ) STRICT, WITHOUT ROWID;`,

  `INSERT INTO counters (name, value) VALUES ('last_order_id', 0);

   -- A pet is ordered at most once, because an order ends with the pet being sold.
   CREATE TABLE orders (
     id INTEGER PRIMARY KEY CHECK (id > 0),
     pet_id INTEGER NOT NULL UNIQUE REFERENCES pets (id),
     quantity INTEGER NOT NULL CHECK (quantity > 0),
     status TEXT NOT NULL
       CHECK (status = 'placed' OR status = 'approved' OR status = 'delivered'),
     placed_at_ms INTEGER NOT NULL,
     json TEXT NOT NULL
   ) STRICT;
   CREATE INDEX orders_by_status ON orders (status);

   CREATE TABLE categories (
     id INTEGER PRIMARY KEY,
     name TEXT NOT NULL UNIQUE
   ) STRICT;

   -- Refers neither to keys nor to what was done: a restore may take a key away under a request.
   CREATE TABLE idempotency_keys (
     key_id TEXT NOT NULL,
     idempotency_key TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     entity_id INTEGER NOT NULL,
     text TEXT NOT NULL,
     created_at_ms INTEGER NOT NULL,
     PRIMARY KEY (key_id, idempotency_key)
   ) STRICT;
   CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at_ms);`,

  siteTables,

  domainTables,

  accessTables,

  accountTables,

  // By the database itself, so that no way to change a pet can forget it.
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

  uploadTables,
];

export const latestVersion = steps.length;

/** Brings a database up to date. Processes that start together wait for the one that does it. */
export function migrate(db: DatabaseSync, path: string): void {
  refuseStrangers(db, path);
  while (versionOf(db) < steps.length) {
    db.exec("BEGIN IMMEDIATE");
    try {
      // Asked again: another process may have taken this step while we waited for our turn.
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

/** Throws unless the database is empty or one of ours that this program knows how to read. */
export function refuseStrangers(db: DatabaseSync, path: string): void {
  const { ours, empty, version } = identityOf(db);
  if (!ours && !empty) {
    throw new Error(
      `${path} is a database of another program. Name a path where no file is, or one that this program made.`,
    );
  }
  if (version > steps.length) {
    throw new Error(
      `${path} was written by a newer release: its version is ${version}, and this program knows versions up to ${steps.length}. Run that release or a later one.`,
    );
  }
}

function identityOf(db: DatabaseSync): { ours: boolean; empty: boolean; version: number } {
  // All of it at one instant: a database that is being made must not look half like a stranger's.
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
    // Whoever else opens the new database at this moment may be first.
    db.prepare("INSERT OR IGNORE INTO meta (name, value) VALUES ('environment', ?)").run(
      environment,
    );
  }
  const owner = environmentOf(db);
  if (owner !== environment) {
    throw new Error(
      `${path} holds the data of ${owner}, and this is ${environment}. Set PETSTORE_ENV=${owner}, or give ${environment} a database of its own.`,
    );
  }
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
