import { describe, expect, test } from "bun:test";
import { forPostgres, forSqlite, forSqliteOne } from "../../src/storage/repositories/storage.ts";

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
