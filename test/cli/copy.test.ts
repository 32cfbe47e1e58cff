import { describe, expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { CliFixture } from "./cliFixture.ts";

async function stocked(pets: number): Promise<CliFixture> {
  const cli = new CliFixture();
  await cli.json("pets", "seed", "--count", String(pets));
  await cli.json("keys", "create", "--name", "ci");
  return cli;
}

async function petCount(cli: CliFixture): Promise<number> {
  return (await cli.json("pets", "export")).length;
}

describe("backup", () => {
  test("copies the store and says what is in the copy", async () => {
    await using cli = await stocked(12);
    const file = cli.path("copy.db");
    const { code, out, err } = await cli.run(["backup", file]);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toMatch(/^Copied 12 pets and 1 key to .*copy\.db \([\d.]+ KiB\)\.\n$/);
    const other = cli.path("other.db");
    expect(await cli.json("backup", other)).toEqual({
      file: other,
      bytes: statSync(other).size,
      pets: 12,
      keys: 1,
    });
  });

  test("refuses to overwrite", async () => {
    await using cli = await stocked(1);
    const file = cli.path("precious");
    writeFileSync(file, "precious");
    const { code, out, err } = await cli.run(["backup", file]);
    expect(err).toContain(file);
    expect(err).not.toContain("fault of the program");
    expect(out).toBe("");
    expect(code).toBe(1);
    expect(statSync(file).size).toBe(8);
  });
});

describe("restore", () => {
  test("into an empty store needs no confirmation", async () => {
    await using cli = await stocked(12);
    await using empty = new CliFixture();
    const file = cli.path("copy.db");
    await cli.json("backup", file);
    expect(await empty.run(["restore", file])).toEqual({
      code: 0,
      out: `Restored 12 pets and 1 key from ${file}.\n`,
      err: "",
    });
    expect(await petCount(empty)).toBe(12);
    expect(await empty.json("keys", "list")).toEqual(await cli.json("keys", "list"));
  });

  test("says what it would replace and refuses without --yes", async () => {
    await using cli = await stocked(12);
    await using other = await stocked(3);
    const file = cli.path("copy.db");
    await cli.json("backup", file);
    const { code, out, err } = await other.run(["restore", file]);
    expect(err).toContain("The store holds 3 pets and 1 key.");
    expect(err).toContain("with --yes");
    expect(out).toBe("");
    expect(code).toBe(1);
    expect(await petCount(other)).toBe(3);
    const replaced = await other.run(["restore", file, "--yes"]);
    expect(replaced.out).toBe(
      `Restored 12 pets and 1 key from ${file}, in place of 3 pets and 1 key.\n`,
    );
    expect(await petCount(other)).toBe(12);
    expect(await other.json("restore", file, "--yes")).toMatchObject({ file, pets: 12, keys: 1 });
  });

  test("a key alone is enough to be asked", async () => {
    await using cli = new CliFixture();
    await cli.json("keys", "create");
    await cli.json("backup", cli.path("copy.db"));
    const { code, err } = await cli.run(["restore", cli.path("copy.db")]);
    expect(err).toContain("The store holds 0 pets and 1 key.");
    expect(code).toBe(1);
  });

  test("categories alone are enough to be asked", async () => {
    await using cli = new CliFixture();
    await cli.json("categories", "add", "Dogs");
    await cli.json("backup", cli.path("copy.db"));
    const { code, err } = await cli.run(["restore", cli.path("copy.db")]);
    expect(err).toContain("The store holds 0 pets and 0 keys, and categories.");
    expect(code).toBe(1);
  });

  test("brings categories and orders back", async () => {
    await using cli = new CliFixture();
    await using empty = new CliFixture();
    await cli.json("categories", "add", "Dogs");
    await cli.withStores(async ({ catalogue, orders }) => {
      await catalogue.import([{ id: 1n, name: "Rex", categoryId: 1n, status: "available" }]);
      await orders.place({ petId: 1n, quantity: 2 }, cli.clock.now());
    });
    const file = cli.path("copy.db");
    await cli.json("backup", file);
    await empty.json("restore", file);
    for (const noun of ["categories", "orders"]) {
      expect(await empty.json(noun, "list")).toEqual(await cli.json(noun, "list"));
    }
    expect((await empty.json("orders", "list")).orders).toHaveLength(1);
  });

  test("refuses what is no backup, and changes nothing", async () => {
    await using cli = await stocked(3);
    const file = cli.path("letter.txt");
    writeFileSync(file, "Dear shop,");
    for (const wrong of [file, cli.path("nowhere.db")]) {
      const { code, out, err } = await cli.run(["restore", wrong, "--yes"]);
      expect(err).toContain(wrong);
      expect(err).not.toContain("fault of the program");
      expect(out).toBe("");
      expect(code).toBe(1);
    }
    expect(await petCount(cli)).toBe(3);
    expect(readdirSync(cli.folder)).not.toContain("nowhere.db");
  });
});
