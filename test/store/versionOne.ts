/**
 * A database as the release that knew only version 1 left it, with something in every table. Kept
 * as it was then: it must not follow when the steps of today are changed.
 */
import { DatabaseSync } from "node:sqlite";

const schema = `
  PRAGMA application_id = 0x50455453;

  CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL CHECK (value >= 0)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO counters (name, value) VALUES ('last_pet_id', 0), ('key_revision', 0);

  CREATE TABLE pets (
    id INTEGER PRIMARY KEY CHECK (id > 0),
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
    json TEXT NOT NULL
  ) STRICT;
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
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = 1;
`;

const contents = `
  INSERT INTO meta VALUES ('environment', 'production');
  UPDATE counters SET value = 9007199254740994 WHERE name = 'last_pet_id';
  UPDATE counters SET value = 7 WHERE name = 'key_revision';
  INSERT INTO pets VALUES
    (1, 'Bella', 3, 'available', '{"id":1,"name":"Bella","categoryId":3,"status":"available"}'),
    (2, 'Rex', -9223372036854775808, 'sold',
      '{"id":2,"name":"Rex","categoryId":-9223372036854775808,"status":"sold"}'),
    (9007199254740993, 'far', 1, 'available',
      '{"id":9007199254740993,"name":"far","categoryId":1,"status":"available"}');
  INSERT INTO keys VALUES
    (1, 'key_b', 'b', 'production', 'hash of b', 'pet_live_…b', '"all"', 5, NULL, NULL, NULL, 6),
    (2, 'key_a', 'a', 'production', 'hash of a', 'pet_live_…a', '["pets:read"]', 4, 99, NULL,
      'key_b', NULL);
  INSERT INTO key_uses VALUES ('key_b', 'getPet', '2026-11-15', 4, 6);
`;

export function makeVersionOne(path: string): void {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL");
  db.exec(`BEGIN; ${schema} ${contents} COMMIT;`);
  db.close();
}

/** What a client sees of its pets. */
export const petsOfVersionOne: readonly string[] = [
  '{"id":1,"name":"Bella","categoryId":3,"status":"available"}',
  '{"id":2,"name":"Rex","categoryId":-9223372036854775808,"status":"sold"}',
  '{"id":9007199254740993,"name":"far","categoryId":1,"status":"available"}',
];
