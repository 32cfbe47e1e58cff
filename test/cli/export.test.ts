import { describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { Output } from "../../src/cli/output.ts";
import { run } from "../../src/cli/run.ts";
import { CapturedOutput, CliFixture } from "./cliFixture.ts";

const bella = { name: 'Bella "the" cat, or\r\ndog', categoryId: 9223372036854775807n } as const;

async function stocked(): Promise<CliFixture> {
  const cli = new CliFixture();
  await cli.withStores(({ catalogue }) =>
    catalogue.import([
      { ...bella, status: "sold", id: 7n },
      { name: "Rex", categoryId: -9223372036854775808n, status: "available", id: 2n },
      { name: "Łajka 🐕", categoryId: 0n, status: "pending", id: 9223372036854775807n },
    ]),
  );
  return cli;
}

const ndjson = [
  '{"id":2,"name":"Rex","categoryId":-9223372036854775808,"status":"available"}\n',
  '{"id":7,"name":"Bella \\"the\\" cat, or\\r\\ndog","categoryId":9223372036854775807,"status":"sold"}\n',
  '{"id":9223372036854775807,"name":"Łajka 🐕","categoryId":0,"status":"pending"}\n',
].join("");

const csv = [
  "id,name,categoryId,status\r\n",
  "2,Rex,-9223372036854775808,available\r\n",
  '7,"Bella ""the"" cat, or\r\ndog",9223372036854775807,sold\r\n',
  "9223372036854775807,Łajka 🐕,0,pending\r\n",
].join("");

describe("pets export", () => {
  test("writes one pet a line to stdout, every digit kept", async () => {
    await using cli = await stocked();
    expect(await cli.run(["pets", "export"])).toEqual({ code: 0, out: ndjson, err: "" });
    expect((await cli.run(["pets", "export", "--output", "-"])).out).toBe(ndjson);
  });

  test("writes CSV as RFC 4180 has it", async () => {
    await using cli = await stocked();
    const { out } = await cli.run(["pets", "export", "--format", "csv"]);
    expect(out).toBe(csv);
  });

  test("--json writes one JSON array", async () => {
    await using cli = await stocked();
    const { out } = await cli.run(["pets", "export", "--json"]);
    expect(out).toBe(`[${ndjson.trimEnd().replaceAll("\n", ",\n")}]\n`);
    await using empty = new CliFixture();
    expect((await empty.run(["pets", "export", "--json"])).out).toBe("[]\n");
    await empty.json("pets", "seed", "--count", "20001");
    expect(await empty.json("pets", "export")).toHaveLength(20_001);
  });

  test("of nothing is empty, or only the header", async () => {
    await using cli = new CliFixture();
    expect((await cli.run(["pets", "export"])).out).toBe("");
    const { out } = await cli.run(["pets", "export", "--format", "csv"]);
    expect(out).toBe("id,name,categoryId,status\r\n");
  });

  test("writes a file, whose name tells the format", async () => {
    await using cli = await stocked();
    const file = cli.path("pets.csv");
    const { code, out } = await cli.run(["pets", "export", "--output", file]);
    expect(code).toBe(0);
    expect(out).toBe(`Wrote 3 pets to ${file}.\n`);
    expect(readFileSync(file, "utf8")).toBe(csv);
    const lines = cli.path("pets.jsonl");
    expect(await cli.json("pets", "export", "--output", lines)).toEqual({
      file: lines,
      format: "ndjson",
      pets: 3,
    });
    expect(readFileSync(lines, "utf8")).toBe(ndjson);
    expect(readdirSync(cli.folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("refuses to overwrite unless forced to, and follows a link", async () => {
    await using cli = await stocked();
    const file = cli.path("pets.ndjson");
    writeFileSync(file, "precious");
    const { code, out, err } = await cli.run(["pets", "export", "--output", file]);
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toContain(`${file} is there already. Name another file, or add --force.`);
    expect(readFileSync(file, "utf8")).toBe("precious");
    const link = cli.path("link.ndjson");
    symlinkSync(file, link);
    expect((await cli.run(["pets", "export", "--output", link, "--force"])).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(ndjson);
  });

  test("never replaces what is no plain file", async () => {
    await using cli = await stocked();
    mkdirSync(cli.path("folder"));
    for (const target of [cli.path("folder"), "/dev/null"]) {
      const { code, err } = await cli.run([
        "pets",
        "export",
        "--output",
        target,
        "--format",
        "csv",
        "--force",
      ]);
      expect(code).toBe(1);
      expect(err).toContain(`${target} is there and is not a plain file.`);
    }
  });

  test("says what is wrong with a place that cannot be written", async () => {
    await using cli = await stocked();
    const file = cli.path("nowhere/pets.csv");
    const { code, err } = await cli.run(["pets", "export", "--output", file]);
    expect(code).toBe(1);
    expect(err).toBe(
      `petstore: Cannot write ${file}: there is no such file or folder. Name another file.\n`,
    );
  });

  test("leaves nothing behind when it fails", async () => {
    await using cli = await stocked();
    const openStores = async () => {
      throw new Error("no store");
    };
    const file = cli.path("pets.csv");
    const stderr = new CapturedOutput();
    const context = cli.context({ openStores, stderr });
    expect(await run(["pets", "export", "--output", file], context)).toBe(1);
    expect(readdirSync(cli.folder).filter((name) => /part$|csv$/.test(name))).toEqual([]);
  });

  test("refuses formats it does not have", async () => {
    await using cli = await stocked();
    const { code, err } = await cli.run(["pets", "export", "--format", "xml"]);
    expect(code).toBe(2);
    expect(err).toContain('--format must be ndjson or csv, not "xml".');
    const sheet = cli.path("pets.xlsx");
    const untold = await cli.run(["pets", "export", "--output", sheet]);
    expect(untold.err).toContain(`The name of ${sheet} does not tell its format. Add --format`);
    expect(untold.code).toBe(2);
    expect(existsSync(sheet)).toBe(false);
    const both = await cli.run(["pets", "export", "--format", "csv", "--json"]);
    expect(both.code).toBe(2);
    expect(both.out).toBe("");
  });

  test("waits for a slow reader instead of piling pets up", async () => {
    await using cli = new CliFixture();
    await cli.json("pets", "seed", "--count", "60000");
    let waiting = 0;
    let waitingMax = 0;
    let lines = 0;
    const stdout: Output = {
      write(text) {
        waiting += text.length;
        waitingMax = Math.max(waitingMax, waiting);
        lines += text.split("\n").length - 1;
        return false;
      },
      async drained() {
        waiting = 0;
      },
    };
    expect(await run(["pets", "export"], cli.context({ stdout }))).toBe(0);
    expect(lines).toBe(60_000);
    expect(waitingMax).toBeLessThan(2_000_000);
  });

  test("ends quietly when the reader has seen enough", async () => {
    await using cli = new CliFixture();
    await cli.json("pets", "seed", "--count", "60000");
    let writes = 0;
    const stderr = new CapturedOutput();
    const stdout: Output = {
      write() {
        writes++;
        return false;
      },
      drained: () => Promise.reject(Object.assign(new Error("broken pipe"), { code: "EPIPE" })),
    };
    expect(await run(["pets", "export"], cli.context({ stdout, stderr }))).toBe(0);
    expect(writes).toBe(1);
    expect(stderr.text).toBe("");
  });
});

test("a real pipe whose reader leaves ends the program quietly, and one that stays gets it all", async () => {
  await using cli = new CliFixture();
  await cli.json("pets", "seed", "--count", "100000");
  const program = `
    import { outputTo } from ${JSON.stringify(new URL("../../src/cli/output.ts", import.meta.url).pathname)};
    import { systemClock } from ${JSON.stringify(new URL("../../src/core/clock.ts", import.meta.url).pathname)};
    import { run } from ${JSON.stringify(new URL("../../src/cli/run.ts", import.meta.url).pathname)};
    import { CliFixture } from ${JSON.stringify(new URL("./cliFixture.ts", import.meta.url).pathname)};
    const { openSqlite } = await import(${JSON.stringify(new URL("../../src/storage/sqlite/store.ts", import.meta.url).pathname)});
    const cli = new CliFixture();
    process.exitCode = await run(["pets", "export"], cli.context({
      openStores: () => openSqlite(${JSON.stringify(cli.database)}, { environment: "production", clock: systemClock }),
      stdout: outputTo(process.stdout),
      stderr: outputTo(process.stderr),
    }));
    await cli[Symbol.asyncDispose]();
  `;
  const file = cli.path("program.ts");
  writeFileSync(file, program);
  const shell = (line: string) => {
    const { stdout, stderr } = Bun.spawnSync(["bash", "-c", line, process.execPath, file]);
    return { out: stdout.toString(), err: stderr.toString() };
  };
  expect(shell('"$0" "$1" | head -n 1 | wc -l; echo "exit $PIPESTATUS"')).toEqual({
    out: "1\nexit 0\n",
    err: "",
  });
  expect(shell('"$0" "$1" | wc -l; echo "exit $PIPESTATUS"')).toEqual({
    out: "100000\nexit 0\n",
    err: "",
  });
});
