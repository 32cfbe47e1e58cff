import { describe, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { run } from "../../src/cli/run.ts";
import { CapturedOutput, CliFixture } from "./cliFixture.ts";

describe("migrate", () => {
  test("--check makes no store where there is none, and says what would be made", async () => {
    await using cli = new CliFixture();
    rmSync(cli.database);
    const { code, out, err } = await cli.run(["migrate", "--check"]);
    expect([code, err]).toEqual([1, ""]);
    expect(out).toContain(`There is no store at ${cli.database} yet.`);
    const read = await cli.run(["migrate", "--check", "--json"]);
    expect([read.code, read.err]).toEqual([1, ""]);
    expect(existsSync(cli.database)).toBe(false);
    const { latest } = await cli.json("migrate");
    expect(latest).toBeGreaterThan(0);
    expect(JSON.parse(read.out)).toEqual({
      store: cli.database,
      version: null,
      latest,
      pending: latest,
    });
  });

  test("makes the store or brings it up to date, and then has nothing to do", async () => {
    await using cli = new CliFixture();
    rmSync(cli.database);
    const made = await cli.json("migrate");
    expect(made).toMatchObject({ version: made.latest, pending: 0 });
    expect((await cli.run(["migrate"])).out).toContain("Nothing is to be done.");
    expect((await cli.run(["migrate", "--check"])).code).toBe(0);
    expect(await cli.json("migrate", "--check")).toEqual(made);
  });

  test("--check on an older store names both versions and leaves it as it is", async () => {
    await using cli = new CliFixture();
    const { latest } = await cli.json("migrate");
    const db = new DatabaseSync(cli.database);
    db.exec(`PRAGMA user_version = ${latest - 1}`);
    const { code, out } = await cli.run(["migrate", "--check"]);
    expect(code).toBe(1);
    expect(out).toContain(`is at version ${latest - 1}.`);
    expect(out).toContain(`would bring it to version ${latest}.`);
    expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: latest - 1 });
    db.close();
  });

  test("refuses a store of a newer release", async () => {
    await using cli = new CliFixture();
    await cli.json("migrate");
    const db = new DatabaseSync(cli.database);
    db.exec("PRAGMA user_version = 1000");
    db.close();
    for (const argv of [["migrate"], ["migrate", "--check"]]) {
      const { code, err } = await cli.run(argv);
      expect(code).toBe(1);
      expect(err).toContain("newer release");
    }
  });
});

describe("a store on a server", () => {
  test("is neither backed up nor restored, and the way to do it is named", async () => {
    await using cli = new CliFixture();
    const locateStore = () => ({
      path: "postgres://db.example.com/pets",
      exists: true,
      copiedBy: "pg_dump" as const,
    });
    for (const [argv, instead] of [
      [["backup", "copy.dump"], "pg_dump"],
      [["restore", "copy.dump", "--yes"], "pg_restore"],
    ] as const) {
      const stderr = new CapturedOutput();
      expect(await run(argv, cli.context({ locateStore, stderr }))).toBe(1);
      expect(stderr.text).toContain("postgres://db.example.com/pets is a PostgreSQL database");
      expect(stderr.text).toContain(instead);
    }
  });
});
