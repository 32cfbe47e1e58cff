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
import { chunks, Page, Shop } from "./shop.ts";

/** Runs a command that is interrupted at the nth call of its catalogue. */
async function interrupted(
  shop: Shop,
  argv: string[],
  call: number,
  parts: Partial<CliContext> = {},
) {
  const stdout = new Page();
  const stderr = new Page();
  const openStores = async (): Promise<Stores> => {
    const stores = await shop.world().openStores();
    const { catalogue } = stores;
    let calls = 0;
    const count = () => {
      if (++calls === call) shop.interrupt();
    };
    return {
      ...stores,
      catalogue: {
        add: catalogue.add.bind(catalogue),
        get: catalogue.get.bind(catalogue),
        changes: catalogue.changes,
        revision: () => catalogue.revision(),
        list(query) {
          count();
          return catalogue.list(query);
        },
        import(pets) {
          count();
          return catalogue.import(pets);
        },
      },
    };
  };
  const code = await run(argv, shop.world({ openStores, stdout, stderr, ...parts }));
  return { code, out: stdout.text, err: stderr.text };
}

async function petCount(shop: Shop): Promise<number> {
  await using after = new Shop({ store: false });
  const openStores = () => shop.world().openStores();
  const stdout = new Page();
  const locateStore = () => ({ path: shop.database, exists: true });
  await run(["pets", "export"], after.world({ openStores, locateStore, stdout }));
  return stdout.text.split("\n").length - 1;
}

describe("told to stop", () => {
  test("pets seed says what is stored", async () => {
    await using shop = new Shop();
    expect(await interrupted(shop, ["pets", "seed", "--count", "100000"], 4)).toEqual({
      code: 130,
      out: "",
      err: "petstore: Stopped. 40,000 pets were stored, of 100,000.\n",
    });
    expect(await petCount(shop)).toBe(40_000);
  });

  test("pets import says what is stored and how to go on", async () => {
    await using shop = new Shop();
    const lines = Array.from(
      { length: 60_000 },
      (_, n) => `{"id":${n + 1},"name":"x","categoryId":1}\n`,
    );
    const file = shop.path("pets.ndjson");
    writeFileSync(file, lines.join(""));
    const { code, out, err } = await interrupted(shop, ["pets", "import", file], 2);
    const [, stored = ""] = /Stopped\. ([\d,]+) pets were stored\. /.exec(err) ?? [];
    expect(err).toEndWith("Run the import again: pets that are stored already are skipped.\n");
    expect([code, out]).toEqual([130, ""]);
    expect(await petCount(shop)).toBe(Number(stored.replace(",", "")));
    expect(await petCount(shop)).toBeLessThan(60_000);
  });

  test("pets import of pets without ids says which of them to leave out next time", async () => {
    await using shop = new Shop();
    async function* stdin() {
      yield* chunks(`name,categoryId\n${"x,1\n".repeat(10_500)}`);
      shop.interrupt();
      yield* chunks("x,1\n");
    }
    const argv = ["pets", "import", "-", "--format", "csv", "--json"];
    const { code, err } = await interrupted(shop, argv, 9, { stdin: stdin() });
    expect(JSON.parse(err)).toEqual({
      error:
        "Stopped. 10,000 pets were stored. Remove what comes up to the pet of line 10001, except the header, and run the import again: pets without an id would be added a second time.",
      exitCode: 130,
    });
    expect(code).toBe(130);
    expect(await petCount(shop)).toBe(10_000);
  });

  test("a dry run has stored nothing", async () => {
    await using shop = new Shop();
    const file = shop.path("pets.ndjson");
    writeFileSync(file, '{"id":1,"name":"x","categoryId":1}\n');
    shop.interrupt();
    expect(await interrupted(shop, ["pets", "import", file, "--dry-run"], 0)).toEqual({
      code: 130,
      out: "",
      err: "petstore: Stopped. Nothing was stored.\n",
    });
  });

  test("pets export leaves no file, and says that stdout has not all of it", async () => {
    await using shop = new Shop();
    await shop.json("pets", "seed", "--count", "50000");
    const before = readdirSync(shop.folder).sort();
    const file = shop.path("pets.csv");
    expect(await interrupted(shop, ["pets", "export", "--output", file], 2)).toEqual({
      code: 130,
      out: "",
      err: `petstore: Stopped. Nothing was written to ${file}.\n`,
    });
    expect(readdirSync(shop.folder).sort()).toEqual(before);
    await using other = new Shop();
    await other.json("pets", "seed", "--count", "50000");
    const { code, out, err } = await interrupted(other, ["pets", "export"], 2);
    expect(err).toBe("petstore: Stopped. What was written is not all of the pets.\n");
    expect(out.split("\n")).toHaveLength(20_001);
    expect(code).toBe(130);
  });

  test("pets export does not wait for a reader that takes nothing", async () => {
    await using shop = new Shop();
    await shop.json("pets", "seed", "--count", "3");
    const stdout = {
      write: () => false,
      drained() {
        shop.interrupt();
        return new Promise<void>(() => {});
      },
    };
    expect((await interrupted(shop, ["pets", "export"], 0, { stdout })).code).toBe(130);
  });

  test("backup leaves no file", async () => {
    await using shop = new Shop();
    await shop.json("pets", "seed", "--count", "200000");
    const stopping = interrupted(shop, ["backup", shop.path("copy.db")], 0);
    while (!readdirSync(shop.folder).some((name) => name.endsWith(".partial"))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    shop.interrupt();
    expect(await stopping).toEqual({
      code: 130,
      out: "",
      err: "petstore: Stopped. No backup was made.\n",
    });
    expect(readdirSync(shop.folder).filter((name) => name.startsWith("copy.db"))).toEqual([]);
  });
});

describe("the program itself", () => {
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("ends on %s with %i, even while it waits for the keyboard", async (signal, code) => {
    await using shop = new Shop({ store: false });
    const child = spawn(process.execPath, [main, "pets", "import", "-"], {
      env: { PATH: process.env["PATH"], PETSTORE_DATA: shop.path("data") },
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
    const list = await petstore(["pets", "export"], { PETSTORE_DATA: shop.path("data") });
    expect([list.code, list.stdout]).toEqual([0, ""]);
    expect(existsSync(shop.path("data"))).toBe(true);
  });
});
