/** Ctrl-C in the middle of long work. */
import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CliContext } from "../../src/cli/context.ts";
import { run } from "../../src/cli/run.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { petstore } from "../../testkit/serviceProcess.ts";
import { CapturedOutput, CliFixture, chunks } from "./cliFixture.ts";

/** Runs a command that is interrupted at the nth call of its catalogue. */
async function interrupted(
  cli: CliFixture,
  argv: string[],
  call: number,
  parts: Partial<CliContext> = {},
) {
  const stdout = new CapturedOutput();
  const stderr = new CapturedOutput();
  const openStores = async (): Promise<Stores> => {
    const stores = await cli.context().openStores();
    const { catalogue } = stores;
    let calls = 0;
    const tick = () => {
      if (++calls === call) cli.interrupt();
    };
    return {
      ...stores,
      catalogue: {
        add: catalogue.add.bind(catalogue),
        update: catalogue.update,
        delete: catalogue.delete,
        get: catalogue.get.bind(catalogue),
        count: catalogue.count.bind(catalogue),
        changes: catalogue.changes,
        revision: () => catalogue.revision(),
        list(query) {
          tick();
          return catalogue.list(query);
        },
        import(pets) {
          tick();
          return catalogue.import(pets);
        },
      },
    };
  };
  const code = await run(argv, cli.context({ openStores, stdout, stderr, ...parts }));
  return { code, out: stdout.text, err: stderr.text };
}

async function petCount(cli: CliFixture): Promise<number> {
  await using after = new CliFixture({ store: false });
  const openStores = () => cli.context().openStores();
  const stdout = new CapturedOutput();
  const locateStore = () => ({ path: cli.database, exists: true });
  await run(["pets", "export"], after.context({ openStores, locateStore, stdout }));
  return stdout.text.split("\n").length - 1;
}

describe("told to stop", () => {
  test("pets seed says what is stored", async () => {
    await using cli = new CliFixture();
    expect(await interrupted(cli, ["pets", "seed", "--count", "100000"], 4)).toEqual({
      code: 130,
      out: "",
      err: "petstore: Stopped. 40,000 pets were stored, of 100,000.\n",
    });
    expect(await petCount(cli)).toBe(40_000);
  });

  test("pets import says what is stored and how to go on", async () => {
    await using cli = new CliFixture();
    const lines = Array.from(
      { length: 60_000 },
      (_, n) => `{"id":${n + 1},"name":"x","categoryId":1}\n`,
    );
    const file = cli.path("pets.ndjson");
    writeFileSync(file, lines.join(""));
    const { code, out, err } = await interrupted(cli, ["pets", "import", file], 2);
    const [, stored = ""] = /Stopped\. ([\d,]+) pets were stored\. /.exec(err) ?? [];
    expect(err).toEndWith("Run the import again: pets that are stored already are skipped.\n");
    expect([code, out]).toEqual([130, ""]);
    expect(await petCount(cli)).toBe(Number(stored.replace(",", "")));
    expect(await petCount(cli)).toBeLessThan(60_000);
  });

  test("pets import of pets without ids says which of them to leave out next time", async () => {
    await using cli = new CliFixture();
    async function* stdin() {
      yield* chunks(`name,categoryId\n${"x,1\n".repeat(10_500)}`);
      cli.interrupt();
      yield* chunks("x,1\n");
    }
    const argv = ["pets", "import", "-", "--format", "csv", "--json"];
    const { code, err } = await interrupted(cli, argv, 9, { stdin: stdin() });
    expect(JSON.parse(err)).toEqual({
      error:
        "Stopped. 10,000 pets were stored. Remove what comes up to the pet of line 10001, except the header, and run the import again: pets without an id would be added a second time.",
      exitCode: 130,
    });
    expect(code).toBe(130);
    expect(await petCount(cli)).toBe(10_000);
  });

  test("a dry run has stored nothing", async () => {
    await using cli = new CliFixture();
    const file = cli.path("pets.ndjson");
    writeFileSync(file, '{"id":1,"name":"x","categoryId":1}\n');
    cli.interrupt();
    expect(await interrupted(cli, ["pets", "import", file, "--dry-run"], 0)).toEqual({
      code: 130,
      out: "",
      err: "petstore: Stopped. Nothing was stored.\n",
    });
  });

  test("pets export leaves no file, and says that stdout has not all of it", async () => {
    await using cli = new CliFixture();
    await cli.json("pets", "seed", "--count", "50000");
    const before = readdirSync(cli.folder).sort();
    const file = cli.path("pets.csv");
    expect(await interrupted(cli, ["pets", "export", "--output", file], 2)).toEqual({
      code: 130,
      out: "",
      err: `petstore: Stopped. Nothing was written to ${file}.\n`,
    });
    expect(readdirSync(cli.folder).sort()).toEqual(before);
    await using other = new CliFixture();
    await other.json("pets", "seed", "--count", "50000");
    const { code, out, err } = await interrupted(other, ["pets", "export"], 2);
    expect(err).toBe("petstore: Stopped. What was written is not all of the pets.\n");
    expect(out.split("\n")).toHaveLength(20_001);
    expect(code).toBe(130);
  });

  test("pets export does not wait for a reader that takes nothing", async () => {
    await using cli = new CliFixture();
    await cli.json("pets", "seed", "--count", "3");
    const stdout = {
      write: () => false,
      drained() {
        cli.interrupt();
        return new Promise<void>(() => {});
      },
    };
    expect((await interrupted(cli, ["pets", "export"], 0, { stdout })).code).toBe(130);
  });

  test("backup leaves no file", async () => {
    await using cli = new CliFixture();
    await cli.json("pets", "seed", "--count", "200000");
    const stopping = interrupted(cli, ["backup", cli.path("copy.db")], 0);
    while (!readdirSync(cli.folder).some((name) => name.endsWith(".partial"))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    cli.interrupt();
    expect(await stopping).toEqual({
      code: 130,
      out: "",
      err: "petstore: Stopped. No backup was made.\n",
    });
    expect(readdirSync(cli.folder).filter((name) => name.startsWith("copy.db"))).toEqual([]);
  });
});

describe("the program itself", () => {
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("ends on %s with %i, even while it waits for the keyboard", async (signal, code) => {
    await using cli = new CliFixture({ store: false });
    const child = spawn(process.execPath, [main, "pets", "import", "-"], {
      env: { PATH: process.env["PATH"], PETSTORE_DATA: cli.path("data") },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const closed = once(child, "close");
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    child.stdin.write('{"name":"x","categoryId":1}\n');
    while (!said.includes("Made a new store")) await once(child.stderr, "data");
    child.kill(signal);
    expect(await closed).toEqual([code, null]);
    expect(said).toContain("\npetstore: Stopped. Nothing was stored. Run the import again.\n");
    const list = await petstore(["pets", "export"], { PETSTORE_DATA: cli.path("data") });
    expect([list.code, list.stdout]).toEqual([0, ""]);
    expect(existsSync(cli.path("data"))).toBe(true);
  });
});
