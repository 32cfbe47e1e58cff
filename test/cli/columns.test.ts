import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { CliFixture } from "./cliFixture.ts";

async function imports(cli: CliFixture, name: string, text: string, ...rest: string[]) {
  writeFileSync(cli.path(name), text);
  return cli.run(["pets", "import", cli.path(name), ...rest]);
}

describe("the columns of a CSV file", () => {
  test.each([
    ["ID,name,categoryId", "The column ID must be written id. The header is"],
    ["name,categoryId,Status", "The column Status must be written status."],
    ["name, categoryId", 'The column " categoryId" must be written categoryId.'],
    ["NAME,categoryid", "The column NAME must be written name. The column categoryid must be"],
    ["id,name,categoryId,Id", "The column Id must be written id."],
    ["Rex,4", 'name is missing. The header is "Rex,4".'],
    [
      "name;categoryId",
      'The columns are separated by ;. Save it with commas. The header is "name;',
    ],
    ["ID\tName\tCategoryId", "The columns are separated by tabs. Save it with commas."],
    [`name,${"x".repeat(200)}`, `The header is "name,${"x".repeat(55)}…".`],
  ])("%j are refused with a hint", async (header, said) => {
    await using cli = new CliFixture();
    const { code, out, err } = await imports(cli, "pets.csv", `${header}\n1,Rex,4\n`);
    expect(err).toStartWith(`petstore: Line 1 of ${cli.path("pets.csv")}: `);
    expect(err).toContain(said);
    expect(err).toEndWith("\nNothing was stored. Correct the file and run the import again.\n");
    expect([code, out]).toEqual([1, ""]);
    expect((await imports(cli, "pets.csv", `${header}\n`, "--dry-run")).err).toContain(said);
  });

  test("that no pet has are ignored, and named", async () => {
    await using cli = new CliFixture();
    const text = "name,colour,categoryId,,shoe size\nRex,red,1,,3\n";
    const said = 'Ignored the columns colour, "", "shoe size".\n';
    expect(await imports(cli, "pets.csv", text, "--dry-run")).toMatchObject({
      code: 0,
      err: said,
    });
    expect(await imports(cli, "pets.csv", text)).toMatchObject({ code: 0, err: said });
    const { err } = await imports(cli, "one.csv", "name,colour,categoryId\nRex,red,oops\n");
    expect(err).toStartWith("Ignored the column colour.\npetstore: Line 2 of ");
    expect(await cli.json("pets", "import", cli.path("pets.csv"))).toMatchObject({
      ignoredColumns: ["colour", "", "shoe size"],
    });
  });
});

describe("the members of a line of NDJSON", () => {
  test("that differ from a known one by case or space only are refused, others are ignored", async () => {
    await using cli = new CliFixture();
    const bad = '{"ID":7,"Name":"Rex","categoryId":1," status":"sold"}\n';
    const { code, err } = await imports(cli, "pets.ndjson", bad);
    expect(err).toContain(
      ': The member ID must be written id. The member Name must be written name. The member " status" must be written status.\n',
    );
    expect(code).toBe(1);
    const fine = '{"name":"Rex","categoryId":1,"colour":"red"}\n';
    expect(await imports(cli, "pets.ndjson", fine)).toMatchObject({ code: 0, err: "" });
  });
});

describe("numbers in CSV", () => {
  test.each([
    [" 7 ", "7"],
    ["1.0", "1"],
    ["1e2", "100"],
    ["-0", "0"],
    ["\u00a09223372036854775807", "9223372036854775807"],
    ["9.223372036854775807E18", "9223372036854775807"],
    ["-9223372036854775808.000", "-9223372036854775808"],
  ])("%j is the integer %s", async (cell, digits) => {
    await using cli = new CliFixture();
    expect(await imports(cli, "pets.csv", `name,categoryId\nRex,${cell}\n`)).toMatchObject({
      code: 0,
      err: "",
    });
    expect((await cli.run(["pets", "export"])).out).toContain(`"categoryId":${digits},`);
  });

  test.each([
    "",
    " ",
    "1.5",
    "+1",
    "007",
    "0x10",
    "1e999999999",
    "1,5",
    "0.99999999999999999999",
    "٣",
  ])("%j is none, and is quoted", async (cell) => {
    await using cli = new CliFixture();
    const { err } = await imports(cli, "pets.csv", `name,categoryId\nRex,"${cell}"\n`);
    expect(err).toContain(`categoryId must be an integer from -9223372036854775808`);
    expect(err).toContain(`, not ${JSON.stringify(cell)}.\n`);
  });

  test("an id of nothing but spaces is no id", async () => {
    await using cli = new CliFixture();
    expect((await imports(cli, "pets.csv", "id,name,categoryId\n  ,Rex,1\n")).code).toBe(0);
    expect((await cli.run(["pets", "export"])).out).toContain('"id":1,');
  });
});

describe("a complaint", () => {
  test.each([
    ['{"name":"x","categoryId":"four"}', ', not "four".'],
    ['{"name":"x","categoryId":9223372036854775808}', ", not 9223372036854775808."],
    ['{"name":"x","categoryId":1.5}', ", not 1.5."],
    ['{"name":"x","categoryId":null}', ", not null."],
    ['{"name":"x","categoryId":[1]}', ", not an array."],
    ['{"name":"x","categoryId":{}}', ", not an object."],
    ['{"name":"x","categoryId":1,"id":-4}', ", not -4."],
    [`{"name":"x","categoryId":"${"y".repeat(500)}"}`, `, not "${"y".repeat(60)}…".`],
  ])("about %.50j quotes the value, shortened", async (line, said) => {
    await using cli = new CliFixture();
    const { err } = await imports(cli, "pets.ndjson", line);
    expect(err).toContain(said);
    expect(err.length).toBeLessThan(400);
  });

  test("says of pets without ids only what is true of them", async () => {
    await using cli = new CliFixture();
    const pets = Array.from(
      { length: 10_000 },
      (_, n) => `{"id":${n + 1},"name":"x","categoryId":1}`,
    );
    const clash = '{"id":1,"name":"other","categoryId":1}';
    const { err } = await imports(
      cli,
      "pets.ndjson",
      [...pets, '{"name":"y","categoryId":1}', clash].join("\n"),
    );
    expect(err).toBe(
      `petstore: Line 10002 of ${cli.path("pets.ndjson")}: Another pet has the id 1 already.\n10,000 pets were stored before that, and nothing from line 10001 on. Correct the file and run the import again: pets that are stored already are skipped.\n`,
    );
    const bare = pets.map((line) => line.replace(/"id":\d+,/, ""));
    const again = await imports(cli, "bare.ndjson", [...bare, clash].join("\n"));
    expect(again.err).toEndWith(
      "Correct the file, remove what comes before line 10001 and run the import again: pets without an id would be added a second time.\n",
    );
  });
});

describe("--json", () => {
  test("tells a failure as one line of JSON on stderr, with the lines of the file", async () => {
    await using cli = new CliFixture();
    const text = 'oops\n{"name":"","categoryId":"x"}\n';
    const { code, out, err } = await imports(cli, "pets.ndjson", text, "--json");
    expect(err.trimEnd()).not.toContain("\n");
    expect(JSON.parse(err)).toEqual({
      error: expect.stringContaining("The line is not valid JSON."),
      exitCode: 1,
      lines: [{ line: 1, complaints: ["The line is not valid JSON."] }],
    });
    expect([code, out]).toEqual([1, ""]);
    const all = await imports(cli, "pets.ndjson", text, "--dry-run", "--json");
    expect(JSON.parse(all.err).lines).toEqual([
      { line: 1, complaints: ["The line is not valid JSON."] },
      {
        line: 2,
        complaints: [
          expect.stringContaining("name must be a string of 1 to 255 characters"),
          expect.stringContaining("categoryId must be an integer"),
        ],
      },
    ]);
  });

  test("hides a key in it as elsewhere", async () => {
    await using cli = new CliFixture();
    const { err } = await cli.run(["keys", "revoke", "pet_live_abcdefghijklmnop", "--json"]);
    expect(JSON.parse(err).error).toContain("pet_live_…");
  });
});
