import { describe, expect, test } from "bun:test";
import { forPostgres, forSqlite, forSqliteOne } from "../../src/storage/repositories/storage.ts";
import {
  tablesForPostgres,
  tablesForSqlite,
} from "../../src/storage/repositories/tableNotation.ts";

const list = "SELECT id FROM keys WHERE id = ANY(?1) AND name <> ?12 ORDER BY id FOR UPDATE";
const pairs = "SELECT hash FROM files WHERE (deployment, path) = ANY(?1, ?2)";

describe("a statement of the repositories", () => {
  test("has numbered parameters, lists and locks for PostgreSQL", () => {
    expect(forPostgres(list)).toBe(
      "SELECT id FROM keys WHERE id = ANY($1) AND name <> $12 ORDER BY id FOR UPDATE",
    );
  });

  test("takes a list as JSON and locks nothing on SQLite", () => {
    expect(forSqlite(list)).toBe(
      "SELECT id FROM keys WHERE id IN (SELECT value FROM json_each(?1)) AND name <> ?12 ORDER BY id",
    );
    for (const lock of ["FOR UPDATE SKIP LOCKED", "\n  FOR UPDATE OF domains SKIP LOCKED"]) {
      expect(forSqlite(`SELECT 1 FROM domains LIMIT ?1 ${lock}`)).toBe(
        "SELECT 1 FROM domains LIMIT ?1",
      );
    }
  });

  test("looks up many pairs at once on PostgreSQL, and one on SQLite", () => {
    expect(forPostgres(pairs)).toBe(
      "SELECT hash FROM files WHERE (deployment, path) IN (SELECT * FROM unnest($1::text[], $2::text[]))",
    );
    expect(forSqliteOne(pairs)).toBe("SELECT hash FROM files WHERE (deployment, path) = (?1, ?2)");
    expect(forSqliteOne("SELECT 1 FROM keys WHERE hash = ANY(?1)")).toBe(
      "SELECT 1 FROM keys WHERE hash = ?1",
    );
  });
});

describe("a declaration of tables", () => {
  const tables = [
    "INSERT INTO counters (name, value) VALUES ('probe', 0)",
    `CREATE TABLE notes (
  id text PRIMARY KEY,
  text text NOT NULL CHECK (text IN ('a', 'b')),
  read boolean NOT NULL[sqlite:  CHECK (read < 2)]
) WITHOUT ROWID`,
    "CREATE TABLE parts (\n  data bytea,\n  bytes int8\n)",
    "CREATE UNIQUE INDEX held ON notes (text[postgres: , id]) WHERE text IN ('a', 'b')",
    "[postgres: ALTER TABLE notes ADD COLUMN IF NOT EXISTS other int8]",
  ];

  test("is a script of strict tables for SQLite, whose checks compare without a list", () => {
    expect(tablesForSqlite(tables)).toBe(`INSERT INTO counters (name, value) VALUES ('probe', 0);
CREATE TABLE notes (
  id TEXT PRIMARY KEY,
  text TEXT NOT NULL CHECK (text = 'a' OR text = 'b'),
  read INTEGER NOT NULL CHECK (read < 2)
) STRICT, WITHOUT ROWID;
CREATE TABLE parts (
  data BLOB,
  bytes INTEGER
) STRICT;
CREATE UNIQUE INDEX held ON notes (text) WHERE text IN ('a', 'b');`);
  });

  test("is statements for PostgreSQL that may be run again", () => {
    expect(tablesForPostgres(tables)).toEqual([
      "INSERT INTO counters (name, value) VALUES ('probe', 0) ON CONFLICT (name) DO NOTHING",
      `CREATE TABLE IF NOT EXISTS notes (
  id text PRIMARY KEY,
  text text NOT NULL CHECK (text IN ('a', 'b')),
  read boolean NOT NULL
)`,
      "CREATE TABLE IF NOT EXISTS parts (\n  data bytea,\n  bytes int8\n)",
      "CREATE UNIQUE INDEX IF NOT EXISTS held ON notes (text, id) WHERE text IN ('a', 'b')",
      "ALTER TABLE notes ADD COLUMN IF NOT EXISTS other int8",
    ]);
  });
});
