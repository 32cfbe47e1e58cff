import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Output } from "../../src/cli/output.ts";
import { run } from "../../src/cli/run.ts";
import { int64Max, int64Min } from "../../src/contract/int64.ts";
import fc from "../../testkit/fastCheck.ts";
import { rounds } from "../../testkit/rounds.ts";
import { CliFixture, chunks } from "./cliFixture.ts";

const int64 = fc.oneof(
  fc.bigInt(int64Min, int64Max),
  fc.constantFrom(int64Min, int64Max, 0n, -1n, 2n ** 53n, 2n ** 53n + 1n),
);
const petId = fc.oneof(fc.bigInt(1n, int64Max), fc.constantFrom(1n, int64Max, 2n ** 53n + 1n));

/** Names that a careless writer of CSV or JSON would break. */
const name = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        ",",
        "\n",
        "\r",
        "\r\n",
        "\t",
        ";",
        "\\",
        "\u2028",
        "\uFEFF",
        "é",
        "🐕‍🦺",
      ),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((parts) => parts.join(""))
  .filter((text) => text.trim() !== "" && !text.includes("\0") && [...text].length <= 255);

const pets = fc.uniqueArray(
  fc.record({
    id: petId,
    name,
    categoryId: int64,
    status: fc.constantFrom("available", "pending", "sold"),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 300 },
);

describe.each(["ndjson", "csv"])("export and import as %s", (format) => {
  test("give back the very same pets, and again nothing new", async () => {
    await fc.assert(
      fc.asyncProperty(pets, fc.integer({ min: 1, max: 5_000 }), async (stock, cut) => {
        await using from = new CliFixture();
        await using into = new CliFixture();
        await from.withStores(({ catalogue }) => catalogue.import(stock));
        const { out } = await from.run(["pets", "export", "--format", format]);
        const bytes = Buffer.from(out);
        const pieces = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, n) =>
          bytes.subarray(n * cut, (n + 1) * cut),
        );
        const read = ["pets", "import", "-", "--format", format];
        const first = await into.run(read, chunks(...pieces));
        expect(first.err).toBe("");
        expect(first.out).toContain(`${stock.length} new pet`);
        const texts = (cli: CliFixture) =>
          cli.withStores(({ catalogue }) => catalogue.list({ limit: 1_000 }));
        expect(await texts(into)).toEqual(await texts(from));
        const second = await into.run(read, chunks(out));
        expect(second.out).toContain("0 new pets");
      }),
      { numRuns: 10 },
    );
  });
});

const count = rounds(120_000, 300_000);

describe(`${count} pets`, () => {
  /** Two batches and a page take a few MB. All the pets would take more than that. */
  const growthBytesMax = 10 * 1024 * 1024;
  /** Collecting the garbage takes long enough not to do it at every look. */
  const lookEvery = 4;
  const cli = new CliFixture();
  beforeAll(() => cli.json("pets", "seed", "--count", String(count)));
  afterAll(() => cli[Symbol.asyncDispose]());

  /** What is really in use: garbage that waits to be collected does not count. */
  function heapUsed(): number {
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  }

  test.each(["ndjson", "csv"])("pass through in constant memory as %s", async (format) => {
    const file = cli.path(`pets.${format}`);
    const before = heapUsed();
    let highest = 0;
    let drawn = 0;
    // The bar is drawn all along, which makes it a good place to look from.
    cli.elapsedStepMs = 200;
    const stderr: Output = {
      isTTY: true,
      write() {
        if (drawn++ % lookEvery === 0) highest = Math.max(highest, heapUsed());
        return true;
      },
      async drained() {},
    };
    expect(await run(["pets", "export", "--output", file], cli.context({ stderr }))).toBe(0);
    expect(await run(["pets", "import", file], cli.context({ stderr }))).toBe(0);
    expect(drawn).toBeGreaterThan(5 * lookEvery);
    expect(highest - before).toBeLessThan(growthBytesMax);
  });
});
