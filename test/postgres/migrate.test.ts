/** What docs/guide/postgresql.md promises of `petstore migrate --check`, by the command itself. */
import { describe, expect, test } from "bun:test";
import { latestVersion } from "../../src/storage/postgres/migrations.ts";
import { petstore } from "../../testkit/serviceProcess.ts";
import { usePostgres } from "./useServer.ts";

describe("petstore migrate --check on PostgreSQL", () => {
  const database = usePostgres();
  const query = (text: string) => database.server.query(text, database.address);
  const check = (variables: Record<string, string> = {}) =>
    petstore(["migrate", "--check", "--json"], { DATABASE_URL: database.address, ...variables });
  const meta = () => query("SELECT name, value FROM meta ORDER BY name");

  async function migrated(): Promise<void> {
    await (await database.open()).close();
  }

  test("exits with 1 where there is nothing yet, and makes nothing", async () => {
    const { code, stdout, stderr } = await check();
    expect([code, stderr]).toEqual([1, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ version: null, pending: latestVersion });
    const tables = "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema()";
    expect(await query(tables)).toEqual([]);
  });

  test("exits with 1 where steps are pending, names both versions and takes no step", async () => {
    await migrated();
    await query("UPDATE meta SET value = '1' WHERE name = 'version'");
    const before = await meta();
    const { code, stdout, stderr } = await check();
    expect([code, stderr]).toEqual([1, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      latest: latestVersion,
      pending: latestVersion - 1,
    });
    expect(await meta()).toEqual(before);
  });

  test("exits with 0 where nothing is to be done", async () => {
    await migrated();
    const { code, stdout } = await check();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ version: latestVersion, pending: 0 });
  });

  for (const [what, prepare, variables, reason] of [
    ["of another program", () => query("CREATE TABLE theirs (x int)"), {}, "another program"],
    ["of the other environment", migrated, { PETSTORE_ENV: "staging" }, "PETSTORE_ENV=production"],
    [
      "of a newer release",
      async () => {
        await migrated();
        await query("UPDATE meta SET value = '1000' WHERE name = 'version'");
      },
      {},
      "newer release",
    ],
  ] as const) {
    test(`refuses a database ${what} on stderr, with 1`, async () => {
      await prepare();
      const { code, stdout, stderr } = await check(variables);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(reason);
    });
  }
});
