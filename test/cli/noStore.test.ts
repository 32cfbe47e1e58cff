import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { petstore } from "../../testkit/serviceProcess.ts";
import { CliFixture } from "./cliFixture.ts";

const nowhere = () => new CliFixture({ store: false });

describe("where there is no store", () => {
  test.each([
    "keys list",
    "keys usage",
    "keys rotate ci",
    "keys revoke ci",
    "pets show 1",
    "pets update 1 --name Rex",
    "pets delete 1",
    "pets export",
    "pets export --output OUT.csv",
    "orders list",
    "orders show 1",
    "orders approve 1",
    "orders deliver 1",
    "orders cancel 1",
    "categories list",
    "categories remove 1",
    "backup OUT.db",
  ])("%s refuses, says where it looked, and makes nothing", async (line) => {
    await using cli = nowhere();
    const { code, out, err } = await cli.run(
      line.split(" ").map((word) => word.replace("OUT", cli.path("out"))),
    );
    expect(err).toStartWith(
      `petstore: There is no store at ${cli.database}. Check PETSTORE_DATA and PETSTORE_ENV,`,
    );
    expect(out).toBe("");
    expect(code).toBe(1);
    expect(readdirSync(cli.folder)).toEqual([]);
  });

  test.each([
    ["keys create --name ci", { name: "ci" }],
    ["pets seed --count 3", { added: 3 }],
    ["pets import PETS.csv", { added: 1 }],
    ["categories add Dogs", { name: "Dogs" }],
    ["restore BACKUP.db", { pets: 0 }],
  ])("%s makes one and says so", async (line, result) => {
    await using full = new CliFixture();
    await full.json("backup", full.path("BACKUP.db"));
    writeFileSync(full.path("PETS.csv"), "name,categoryId\nRex,1\n");
    const argv = line.split(" ").map((word) => word.replace(/^[A-Z]+\./, full.path("$&")));

    await using cli = nowhere();
    const first = await cli.run(argv);
    expect(first).toMatchObject({ code: 0, err: `Made a new store at ${cli.database}.\n` });
    const second = await cli.run(argv[0] === "categories" ? [...argv, "--id", "9"] : argv);
    expect(second.err).not.toContain("Made a new store");

    await using other = nowhere();
    expect(await other.json(...argv)).toMatchObject({ ...result, store: other.database });
    const again = argv.map((word) => word.replace("Dogs", "Cats"));
    expect(
      await other.json(...again, ...(argv[0] === "restore" ? ["--yes"] : [])),
    ).not.toHaveProperty("store");
  });

  test("a dry run checks the file alone, and says so", async () => {
    await using cli = nowhere();
    writeFileSync(cli.path("pets.csv"), "id,name,categoryId\n1,Rex,1\n");
    const { code, out, err } = await cli.run(["pets", "import", cli.path("pets.csv"), "--dry-run"]);
    expect(err).toBe(`There is no store at ${cli.database} yet; an import would make one.\n`);
    expect(out).toContain("can be imported: 1 new pet.");
    expect(code).toBe(0);
    expect(existsSync(cli.database)).toBe(false);
  });
});

describe("the program itself", () => {
  test("looks where the settings say, and a refusal leaves no folder", async () => {
    await using cli = nowhere();
    const variables = { PETSTORE_DATA: cli.path("data"), PETSTORE_ENV: "staging" };
    const path = join(cli.path("data"), "staging", "petstore.db");
    const list = await petstore(["keys", "list"], variables);
    expect(list.stderr).toContain(`There is no store at ${path}.`);
    expect(list.code).toBe(1);
    // No backup, a backup of the other environment, a folder.
    writeFileSync(cli.path("letter.txt"), "Dear shop,");
    await using production = new CliFixture();
    await production.json("backup", cli.path("production.db"));
    mkdirSync(cli.path("folder"));
    for (const name of ["letter.txt", "production.db", "folder", "absent.db"]) {
      const { code, stdout, stderr } = await petstore(["restore", cli.path(name)], variables);
      expect([name, code, stdout]).toEqual([name, 1, ""]);
      expect(stderr).toContain(cli.path(name));
      expect(existsSync(cli.path("data"))).toBe(false);
    }
    const made = await petstore(["keys", "create"], variables);
    expect(made.stderr).toBe(`Made a new store at ${path}.\n`);
  });
});
