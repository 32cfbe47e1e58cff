import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { run } from "../../src/cli/run.ts";
import { CapturedOutput, CliFixture } from "./cliFixture.ts";

async function exported(cli: CliFixture): Promise<string> {
  return (await cli.run(["pets", "export"])).out;
}

describe("pets seed", () => {
  test("adds as many pets as asked, the same ones each time", async () => {
    await using one = new CliFixture();
    await using two = new CliFixture();
    expect(await one.run(["pets", "seed", "--count", "25000"])).toEqual({
      code: 0,
      out: "Added 25,000 pets.\n",
      err: "",
    });
    expect(await two.json("pets", "seed", "--count", "25000", "--random-seed", "1")).toEqual({
      added: 25_000,
      randomSeed: 1,
    });
    const pets = await exported(one);
    expect(pets.trimEnd().split("\n")).toHaveLength(25_000);
    expect(await exported(two)).toBe(pets);
    expect(new Set(pets.match(/"status":"\w+"/g))).toEqual(
      new Set(['"status":"available"', '"status":"pending"', '"status":"sold"']),
    );
  });

  test("another random seed makes other pets, added to those that are there", async () => {
    await using cli = new CliFixture();
    await cli.json("pets", "seed", "--count", "50");
    await cli.json("pets", "seed", "--count", "50", "--random-seed", "2");
    const lines = (await exported(cli)).trimEnd().split("\n");
    const bare = lines.map((line) => line.replace(/"id":\d+,/, ""));
    expect(bare).toHaveLength(100);
    expect(bare.slice(0, 50)).not.toEqual(bare.slice(50));
  });

  test.each([
    [[], "--count is missing; it must be a whole number from 1 to 100000000."],
    [["--count", "0"], "--count must be a whole number from 1 to 100000000."],
    [["--count", "100000001"], "--count must be"],
    [["--count", "1.5"], "--count must be"],
    [["--count=-1"], "--count must be"],
    [["--count", "1", "--random-seed", "4294967296"], "--random-seed must be a whole number"],
  ])("refuses %p", async (rest, said) => {
    await using cli = new CliFixture();
    const { code, out, err } = await cli.run(["pets", "seed", ...rest]);
    expect(err).toContain(said);
    expect(out).toBe("");
    expect(code).toBe(2);
  });
});

describe("progress", () => {
  const terminal = () => new CapturedOutput({ columns: 80 });

  test("is one line, redrawn in place, at most ten times a second, and cleared", async () => {
    await using cli = new CliFixture();
    cli.elapsedStepMs = 40;
    const stderr = terminal();
    await run(["pets", "seed", "--count", "100000"], cli.context({ stderr }));
    const drawn = stderr.text.split("\r").slice(1);
    // Ten batches, of which the first and every third after it come 100 ms or more apart.
    expect(drawn).toHaveLength(5);
    expect(drawn.at(-1)).toBe("\x1b[K");
    expect(stderr.text).not.toContain("\n");
    expect(drawn[1]).toBe(
      "Seeding  [#######.................]  30 %  30,000 pets  187,500/s  0 s left\x1b[K",
    );
    for (const line of drawn) expect(line.length).toBeLessThanOrEqual(79 + 3);
  });

  test("of an import goes by the bytes of the file", async () => {
    await using cli = new CliFixture();
    await cli.json("pets", "seed", "--count", "20000");
    const file = cli.path("pets.ndjson");
    await cli.json("pets", "export", "--output", file);
    cli.elapsedStepMs = 200;
    const stderr = terminal();
    await run(["pets", "import", file], cli.context({ stderr }));
    const shares = [...stderr.text.matchAll(/(\d+) %/g)].map(([, percent]) => Number(percent));
    expect(shares.length).toBeGreaterThan(2);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(100);
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(20_000);
  });

  test("of an export has no end to go by, and is cut to a narrow terminal", async () => {
    await using cli = new CliFixture();
    await cli.json("pets", "seed", "--count", "20000");
    cli.elapsedStepMs = 200;
    const stderr = new CapturedOutput({ columns: 20 });
    await run(["pets", "export"], cli.context({ stderr }));
    expect(stderr.text).toStartWith("\rExporting  10,000 p\x1b[K\r");
    const both = terminal();
    await run(["pets", "export"], cli.context({ stdout: terminal(), stderr: both }));
    expect(both.text).toBe("");
  });

  test.each([0, undefined])("takes a terminal of %p columns for one of 80", async (columns) => {
    await using cli = new CliFixture();
    cli.elapsedStepMs = 200;
    const stderr = new CapturedOutput({ columns });
    await run(["pets", "seed", "--count", "20000"], cli.context({ stderr }));
    expect(stderr.text).toContain("]  50 %  10,000 pets");
  });

  test("is silent where stderr is no terminal", async () => {
    await using cli = new CliFixture();
    cli.elapsedStepMs = 200;
    expect((await cli.run(["pets", "seed", "--count", "30000"])).err).toBe("");
    expect((await cli.run(["pets", "export"])).err).toBe("");
  });
});
