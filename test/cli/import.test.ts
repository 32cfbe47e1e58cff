import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { run } from "../../src/cli/run.ts";
import { Problem } from "../../src/core/problems.ts";
import { CapturedOutput, CliFixture, chunks } from "./cliFixture.ts";

/** Gives the text as a file of this name to `pets import`. */
async function imports(
  cli: CliFixture,
  name: string,
  text: string | Uint8Array,
  ...rest: string[]
) {
  writeFileSync(cli.path(name), text);
  return cli.run(["pets", "import", cli.path(name), ...rest]);
}

async function exported(cli: CliFixture): Promise<string> {
  return (await cli.run(["pets", "export"])).out;
}

const three = [
  '{"id":1,"name":"Rex","categoryId":4,"status":"available"}\n',
  '{"id":2,"name":"Bella","categoryId":3,"status":"sold"}\n',
  '{"id":9,"name":"Luna","categoryId":3,"status":"pending"}\n',
].join("");

describe("pets import", () => {
  test("stores what the file holds, and says how much", async () => {
    await using cli = new CliFixture();
    const { code, out, err } = await imports(cli, "pets.ndjson", three);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toBe(`Imported ${cli.path("pets.ndjson")}: 3 new pets.\n`);
    expect(await exported(cli)).toBe(three);
  });

  test("can be run again: what is there is skipped", async () => {
    await using cli = new CliFixture();
    await imports(cli, "pets.ndjson", three);
    const { out } = await imports(cli, "pets.ndjson", three);
    expect(out).toBe(
      `Imported ${cli.path("pets.ndjson")}: 0 new pets, and 3 were there already.\n`,
    );
    expect(await cli.json("pets", "import", cli.path("pets.ndjson"))).toEqual({
      file: cli.path("pets.ndjson"),
      format: "ndjson",
      dryRun: false,
      added: 0,
      unchanged: 3,
      ignoredColumns: [],
    });
    expect(await exported(cli)).toBe(three);
  });

  test("gives pets without an id one after all others, and leaves out what the API ignores", async () => {
    await using cli = new CliFixture();
    const text =
      '\uFEFF\n{"name":"Rex","categoryId":1e2,"color":"red"}\r\n\n  \n{"id":7,"name":"B","categoryId":1}';
    expect((await imports(cli, "pets.jsonl", text)).code).toBe(0);
    expect(await exported(cli)).toBe(
      '{"id":7,"name":"B","categoryId":1,"status":"available"}\n{"id":8,"name":"Rex","categoryId":100,"status":"available"}\n',
    );
  });

  test("reads stdin, in NDJSON unless told otherwise, however it is cut", async () => {
    await using cli = new CliFixture();
    const bytes = Buffer.from(`${three}{"id":10,"name":"Łajka 🐕","categoryId":0}\n`);
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const { out } = await cli.run(["pets", "import", "-"], chunks(...single));
    expect(out).toBe("Imported stdin: 4 new pets.\n");
    expect(await exported(cli)).toContain("Łajka 🐕");
    const csv = chunks("name,categoryId\n", "Rex,1\nBel", "la,2");
    expect((await cli.run(["pets", "import", "-", "--format", "csv"], csv)).out).toBe(
      "Imported stdin: 2 new pets.\n",
    );
  });

  test("of an empty file stores nothing", async () => {
    await using cli = new CliFixture();
    expect((await imports(cli, "pets.ndjson", "")).out).toContain("0 new pets.");
    expect((await cli.run(["pets", "import", "-"])).out).toContain("0 new pets.");
  });

  test("refuses what it cannot open or whose format it cannot tell", async () => {
    await using cli = new CliFixture();
    const nowhere = cli.path("nowhere.csv");
    const { code, err } = await cli.run(["pets", "import", nowhere]);
    expect(code).toBe(1);
    expect(err).toBe(
      `petstore: Cannot read ${nowhere}: there is no such file or folder. Check <file>.\n`,
    );
    mkdirSync(cli.path("folder.csv"));
    const folder = await cli.run(["pets", "import", cli.path("folder.csv")]);
    expect(folder.code).toBe(1);
    expect(folder.err).toContain("it is a folder.");
    const unknown = await imports(cli, "pets.json", three);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain("Add --format ndjson or --format csv.");
    expect((await imports(cli, "pets.json", three, "--format", "xml")).code).toBe(2);
    expect((await imports(cli, "pets.json", three, "--format", "ndjson")).code).toBe(0);
  });
});

describe("CSV", () => {
  test("takes its columns in any order, with or without id and status", async () => {
    await using cli = new CliFixture();
    const text = [
      "\uFEFFstatus,color,categoryId,name,id\r\n",
      'sold,red,-9223372036854775808,"Rex, ""the""\r\ndog",9223372036854775807\r\n',
      "\r\n",
      ",,9223372036854775807, Bella ,1\r\n",
    ].join("");
    expect((await imports(cli, "pets.csv", text)).err).toBe("Ignored the column color.\n");
    expect(await exported(cli)).toBe(
      [
        '{"id":1,"name":" Bella ","categoryId":9223372036854775807,"status":"available"}\n',
        '{"id":9223372036854775807,"name":"Rex, \\"the\\"\\r\\ndog","categoryId":-9223372036854775808,"status":"sold"}\n',
      ].join(""),
    );
    await using bare = new CliFixture();
    await imports(bare, "pets.csv", "name,categoryId\nRex,1\nBella,2\n");
    expect(await exported(bare)).toContain('{"id":2,"name":"Bella","categoryId":2,');
  });

  test.each([
    ["", 1, "There is no header line."],
    [
      "name,status\nRex,sold\n",
      1,
      "The header must name the columns name and categoryId; categoryId is missing.",
    ],
    ["name,categoryId,name\nRex,1,Rex\n", 1, "The header names name more than once."],
    ["name,categoryId\nRex,1\nBella\n", 3, "The row has 1 cell, and the header 2."],
    ["name,categoryId\nRex,1,2\n", 2, "The row has 3 cells, and the header 2."],
    ["name,categoryId\nRex,\n", 2, "categoryId must be an integer from"],
    ["name,categoryId\n,1\n", 2, "name must be a string of 1 to 255"],
    ["name,categoryId\nRex,9223372036854775808\n", 2, "categoryId must be an integer from"],
    [
      "id,name,categoryId\n0,Rex,1\n",
      2,
      "id must be an integer from 1 to 9223372036854775807, not 0.",
    ],
    [
      "name,categoryId,status\nRex,1,gone\n",
      2,
      'status must be one of available, pending, sold, not "gone".',
    ],
    [
      'name,categoryId\n"a\r\nb\nc",1\n\n"Rex"x,1\n',
      6,
      "A cell continues after its closing quote.",
    ],
    [
      'name,categoryId\nRex,1\nRe"x,1\n',
      3,
      "A quote stands inside a cell that has none around it.",
    ],
    [
      'name,categoryId\n"a\nb",1\n"Rex,1\nBella,2\n',
      4,
      "A quoted cell begins here and is never closed.",
    ],
    [`name,categoryId\nRex,1\n"${"x\n".repeat(40_000)}`, 3, "The row is longer than 65536 bytes."],
  ])("complains about %j on line %i: %s", async (text, line, complaint) => {
    await using cli = new CliFixture();
    const { code, out, err } = await imports(cli, "pets.csv", text);
    expect(err).toContain(`Line ${line} of ${cli.path("pets.csv")}: ${complaint}`);
    expect(out).toBe("");
    expect(code).toBe(1);
  });
});

describe("a bad line", () => {
  test.each([
    ["not json", "The line is not valid JSON."],
    ["[".repeat(30_000), "The line is not valid JSON."],
    ["[]", "The record must be a JSON object."],
    ["null", "The record must be a JSON object."],
    ["{}", "name is required. categoryId is required."],
    ['{"name":"","categoryId":1.5,"id":-1}', "id must be an integer from 1 to"],
    ['{"name":"x","categoryId":1,"id":null}', "id must be an integer from 1 to"],
    ['{"name":"x","categoryId":1,"id":"4"}', "id must be an integer from 1 to"],
    ['{"name":"x","categoryId":9223372036854775808}', "categoryId must be an integer from"],
    ['{"name":"x","categoryId":1,"status":null}', "status must be one of"],
    [
      `{"name":"x","categoryId":1,"y":"${"z".repeat(65_536)}"}`,
      "The line is longer than 65536 bytes.",
    ],
  ])("%.40j stops the import with its number", async (bad, complaint) => {
    await using cli = new CliFixture();
    const text = `${three}${bad}\n{"id":100,"name":"After","categoryId":1}\n`;
    const { code, out, err } = await imports(cli, "pets.ndjson", text);
    expect(err).toStartWith(`petstore: Line 4 of ${cli.path("pets.ndjson")}: `);
    expect(err).toContain(complaint);
    expect(err).toEndWith(
      "\n3 pets were stored before that. Correct the file and run the import again: pets that are stored already are skipped.\n",
    );
    expect(out).toBe("");
    expect(code).toBe(1);
    expect(await exported(cli)).toBe(three);
    const again = await imports(cli, "pets.ndjson", text.replace(`${bad}\n`, ""));
    expect(again.out).toContain("1 new pet, and 3 were there already.");
  });

  test("that is not UTF-8 is named, in both formats, and what comes before it is stored", async () => {
    const bad = Buffer.from([0x22, 0xff, 0x22]);
    await using cli = new CliFixture();
    const ndjson = Buffer.concat([Buffer.from(three), bad, Buffer.from("\n"), Buffer.from(three)]);
    const { code, err } = await imports(cli, "pets.ndjson", ndjson);
    expect(err).toContain("Line 4 of ");
    expect(err).toContain(
      ": The line is not valid UTF-8. Save the file as UTF-8; spreadsheets call it CSV UTF-8.\n3 pets were stored before that.",
    );
    expect(code).toBe(1);
    await using other = new CliFixture();
    const csv = Buffer.concat([
      Buffer.from("id,name,categoryId\r\n1,Rex,1\r\n2,"),
      bad,
      Buffer.from(",1"),
    ]);
    const { err: said } = await imports(other, "pets.csv", csv);
    expect(said).toContain(": The line is not valid UTF-8.");
    expect(said).toContain("\n1 pet was stored before that.");
    expect(said).toContain("Line 3 of ");
    // What an editor calls "Unicode".
    const wide = await imports(other, "wide.csv", Buffer.from("\uFEFFname,categoryId", "utf16le"));
    expect(wide.err).toContain("Line 1 of ");
    expect(wide.err).toContain("The line is not valid UTF-8.");
  });

  test("far into a file leaves everything before it stored", async () => {
    await using cli = new CliFixture();
    const lines = Array.from(
      { length: 25_000 },
      (_, n) => `{"id":${n + 1},"name":"x","categoryId":1}`,
    );
    lines[23_456] = "oops";
    const { err } = await imports(cli, "pets.ndjson", lines.join("\n"));
    expect(err).toContain("Line 23457 of");
    expect(err).toContain("23,456 pets were stored before that.");
    expect((await exported(cli)).split("\n")).toHaveLength(23_457);
  });

  test("after pets without an id, the advice is not to run those again", async () => {
    await using cli = new CliFixture();
    const { err } = await imports(cli, "pets.csv", "name,categoryId\nRex,1\nBella,x\n");
    expect(err).toEndWith(
      "1 pet was stored before that. Correct the file, remove what comes before line 3, except the header, and run the import again: pets without an id would be added a second time.\n",
    );
  });
});

describe("a conflict", () => {
  test("names the id and the line, and stores nothing of the batch", async () => {
    await using cli = new CliFixture();
    await imports(cli, "pets.ndjson", three);
    const text = `{"id":3,"name":"New","categoryId":1}\n${three.replace("Bella", "Belle")}`;
    const { code, out, err } = await imports(cli, "other.ndjson", text);
    expect(err).toBe(
      `petstore: Line 3 of ${cli.path("other.ndjson")}: Another pet has the id 2 already.\nNothing was stored. Correct the file and run the import again.\n`,
    );
    expect(out).toBe("");
    expect(code).toBe(1);
    expect(await exported(cli)).toBe(three);
  });

  test("of two pets in the same file is found too", async () => {
    await using cli = new CliFixture();
    const text = "id,name,categoryId\n5,Rex,1\n6,Luna,1\n5,Bella,1\n";
    const { code, err } = await imports(cli, "pets.csv", text);
    expect(err).toContain(`Line 4 of ${cli.path("pets.csv")}: Another pet has the id 5 already.`);
    expect(code).toBe(1);
  });
});

test("when the store fails midway, it says what is certain", async () => {
  await using cli = new CliFixture();
  const lines = Array.from(
    { length: 25_000 },
    (_, n) => `{"id":${n + 1},"name":"x","categoryId":1}\n`,
  );
  writeFileSync(cli.path("pets.ndjson"), lines.join(""));
  const stderr = new CapturedOutput();
  const openStores = async () => {
    const stores = await cli.context().openStores();
    let batches = 0;
    const { catalogue } = stores;
    return {
      ...stores,
      catalogue: {
        add: catalogue.add.bind(catalogue),
        update: catalogue.update,
        delete: catalogue.delete,
        count: catalogue.count.bind(catalogue),
        get: catalogue.get.bind(catalogue),
        list: catalogue.list.bind(catalogue),
        changes: catalogue.changes,
        revision: () => catalogue.revision(),
        import: async (pets: Parameters<typeof catalogue.import>[0]) => {
          if (batches++ > 0) {
            throw new Problem("store_unavailable", { cause: new Error("the disk is full") });
          }
          return catalogue.import(pets);
        },
      },
    };
  };
  const argv = ["pets", "import", cli.path("pets.ndjson")];
  expect(await run(argv, cli.context({ openStores, stderr }))).toBe(1);
  expect(stderr.text).toContain("(the disk is full)\n10,000 pets were stored before that.");
  expect(stderr.text).toContain(
    "Some of the pets from line 10001 on may be stored. Run the import again: pets that",
  );
});

describe("--dry-run", () => {
  test("checks everything, says what an import would do, and stores nothing", async () => {
    await using cli = new CliFixture();
    const { code, out } = await imports(cli, "pets.ndjson", three, "--dry-run");
    expect(code).toBe(0);
    expect(out).toBe(
      `${cli.path("pets.ndjson")} can be imported: 3 new pets. Nothing was stored.\n`,
    );
    expect(await exported(cli)).toBe("");
    await imports(cli, "pets.ndjson", three);
    const more = `${three}{"name":"x","categoryId":1}\n`;
    writeFileSync(cli.path("more.ndjson"), more);
    expect(await cli.json("pets", "import", cli.path("more.ndjson"), "--dry-run")).toEqual({
      file: cli.path("more.ndjson"),
      format: "ndjson",
      dryRun: true,
      added: 1,
      unchanged: 3,
      ignoredColumns: [],
    });
    expect(await exported(cli)).toBe(three);
  });

  test("names every line that is wrong, and every id that is taken", async () => {
    await using cli = new CliFixture();
    await imports(cli, "pets.ndjson", three);
    const text = `oops\n${three.replace("Luna", "Lune")}{}\n`;
    const { code, out, err } = await imports(cli, "pets.ndjson", text, "--dry-run");
    expect(err.split("\n").slice(1)).toEqual([
      "  Line 1: The line is not valid JSON.",
      "  Line 4: Another pet has the id 9 already.",
      "  Line 5: name is required. categoryId is required.",
      "",
    ]);
    expect(err).toContain("cannot be imported as it is. Nothing was stored.");
    expect(out).toBe("");
    expect(code).toBe(1);
    expect(await exported(cli)).toBe(three);
  });

  test("shows twenty complaints and counts the rest", async () => {
    await using cli = new CliFixture();
    const { err } = await imports(
      cli,
      "pets.csv",
      `name,categoryId\n${"x,y\n".repeat(1_000)}`,
      "--dry-run",
    );
    expect(err.match(/ {2}Line \d+: /g)).toHaveLength(20);
    expect(err).toContain("  980 complaints more.");
  });

  test("says when the rest of the file could not be read", async () => {
    await using cli = new CliFixture();
    const { err } = await imports(
      cli,
      "pets.csv",
      'name,categoryId\nRex,1\na"b,1\nx,y\n',
      "--dry-run",
    );
    expect(err).toContain("  Line 3: A quote stands inside a cell");
    expect(err).toContain("  Line 3: Nothing after it could be checked.");
    expect(err).not.toContain("Line 4");
  });
});
