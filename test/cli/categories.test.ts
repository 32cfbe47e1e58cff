import { describe, expect, test } from "bun:test";
import { CliFixture } from "./cliFixture.ts";

async function withDogsAndCats(): Promise<CliFixture> {
  const cli = new CliFixture();
  await cli.json("categories", "add", "Dogs", "--id", "3");
  await cli.json("categories", "add", "Cats");
  return cli;
}

describe("categories add", () => {
  test("gives the next id after the largest, or the one that was asked for", async () => {
    await using cli = new CliFixture();
    expect(await cli.run(["categories", "add", "Dogs", "--id", "3"])).toEqual({
      code: 0,
      out: 'Added the category "Dogs" (3).\n',
      err: "",
    });
    expect(await cli.json("categories", "add", "Cats")).toEqual({ id: 4, name: "Cats" });
    expect(await cli.json("categories", "add", "Snakes", "--id=-5")).toEqual({
      id: -5,
      name: "Snakes",
    });
    expect(await cli.json("categories", "list")).toEqual([
      { id: -5, name: "Snakes" },
      { id: 3, name: "Dogs" },
      { id: 4, name: "Cats" },
    ]);
  });

  test("keeps every digit of an id", async () => {
    await using cli = new CliFixture();
    const largest = "9223372036854775807";
    const { out } = await cli.run(["categories", "add", "All", "--id", largest, "--json"]);
    expect(out).toBe(`{"id":${largest},"name":"All"}\n`);
    const { out: list } = await cli.run(["categories", "list", "--json"]);
    expect(list).toBe(`[{"id":${largest},"name":"All"}]\n`);
  });

  test("takes a name of 255 characters of any kind", async () => {
    await using cli = new CliFixture();
    const name = "🐕".repeat(255);
    expect((await cli.json("categories", "add", name)).name).toBe(name);
    expect((await cli.run(["categories", "add", "--", "-x"])).code).toBe(0);
    expect((await cli.json("categories", "list"))[1].name).toBe("-x");
  });

  test("refuses an id or a name that another category has, and says by which", async () => {
    await using cli = await withDogsAndCats();
    for (const [rest, said] of [
      [["Birds", "--id", "3"], 'The id 3 is taken by the category "Dogs". Nothing was added.'],
      [["Dogs"], 'The name "Dogs" is taken by the category 3. Nothing was added.'],
      [["Dogs", "--id", "9"], 'The name "Dogs" is taken by the category 3.'],
    ] as const) {
      const { code, out, err } = await cli.run(["categories", "add", ...rest]);
      expect(err).toContain(said);
      expect(out).toBe("");
      expect(code).toBe(1);
    }
    expect(await cli.json("categories", "list")).toHaveLength(2);
  });

  test.each([
    [[""], "<name> is missing."],
    [["  "], "<name> must have 1 to 255 characters, not only white space."],
    [["x".repeat(256)], "<name> must have 1 to 255 characters"],
    [["\ud800"], "<name> must have 1 to 255 characters"],
    [["a\u001b[31m"], "<name> must not have control characters."],
    [["a\u2028b"], "<name> must not have control characters."],
    [["Dogs", "--id", "three"], "--id must be a whole number from -9223372036854775808"],
    [["Dogs", "--id", "03"], "--id must be a whole number"],
    [["Dogs", "--id", "9223372036854775808"], "--id must be a whole number"],
    [["Guinea", "pigs"], '"pigs" is one word too many.'],
  ])("refuses %p", async (rest, said) => {
    await using cli = new CliFixture();
    const { code, out, err } = await cli.run(["categories", "add", ...rest]);
    expect(err).toContain(said);
    expect(out).toBe("");
    expect(code).toBe(2);
    expect(await cli.json("categories", "list")).toEqual([]);
  });
});

describe("categories list", () => {
  test("shows them in the order of their ids", async () => {
    await using cli = await withDogsAndCats();
    expect((await cli.run(["categories", "list"])).out).toBe("Id  Name\n3   Dogs\n4   Cats\n");
  });

  test("of nothing says what to do next", async () => {
    await using cli = new CliFixture();
    expect((await cli.run(["categories", "list"])).out).toBe(
      "There are no categories yet. Add one with petstore categories add <name>.\n",
    );
  });
});

describe("categories rename", () => {
  test("gives another name, and leaves the id and the pets", async () => {
    await using cli = await withDogsAndCats();
    expect(await cli.run(["categories", "rename", "3", "Hounds"])).toEqual({
      code: 0,
      out: 'Renamed the category 3 to "Hounds".\n',
      err: "",
    });
    expect(await cli.json("categories", "rename", "4", "Cats")).toEqual({ id: 4, name: "Cats" });
    expect(await cli.json("categories", "list")).toEqual([
      { id: 3, name: "Hounds" },
      { id: 4, name: "Cats" },
    ]);
  });

  test.each([
    [["9", "Birds"], 1, "No category has the id 9. See petstore categories list."],
    [["3", "Cats"], 1, 'The name "Cats" is taken by the category 4. Nothing changed.'],
    [["3"], 2, "<name> is missing."],
    [["three", "Birds"], 2, "<id> must be a whole number"],
    [["3", " "], 2, "<name> must have 1 to 255 characters"],
  ])("refuses %p", async (rest, code, said) => {
    await using cli = await withDogsAndCats();
    const seen = await cli.run(["categories", "rename", ...rest]);
    expect(seen.err).toContain(said);
    expect([seen.code, seen.out]).toEqual([code, ""]);
    expect(await cli.json("categories", "list")).toEqual([
      { id: 3, name: "Dogs" },
      { id: 4, name: "Cats" },
    ]);
  });
});

describe("categories remove", () => {
  test("leaves the pets as they are, and says so", async () => {
    await using cli = await withDogsAndCats();
    await cli.withStores(({ catalogue }) =>
      catalogue.import([{ name: "Bella", categoryId: 3n, status: "available" }]),
    );
    expect(await cli.run(["categories", "remove", "3"])).toEqual({
      code: 0,
      out: "Removed the category 3. Pets that refer to it keep the id.\n",
      err: "",
    });
    expect(await cli.json("categories", "list")).toEqual([{ id: 4, name: "Cats" }]);
    expect((await cli.json("pets", "export"))[0].categoryId).toBe(3);
    expect(await cli.json("categories", "remove", "4")).toEqual({ id: 4 });
  });

  test("takes a negative id behind two dashes", async () => {
    await using cli = new CliFixture();
    await cli.json("categories", "add", "Snakes", "--id=-5");
    const { code } = await cli.run(["categories", "remove", "--", "-5"]);
    expect(code).toBe(0);
    expect(await cli.json("categories", "list")).toEqual([]);
  });

  test("refuses what names no category", async () => {
    await using cli = await withDogsAndCats();
    const absent = await cli.run(["categories", "remove", "5"]);
    expect(absent.err).toContain("No category has the id 5. See petstore categories list.");
    expect(absent.code).toBe(1);
    const wrong = await cli.run(["categories", "remove", "Dogs"]);
    expect(wrong.err).toContain("<id> must be a whole number");
    expect(wrong.code).toBe(2);
    expect(await cli.json("categories", "list")).toHaveLength(2);
  });
});
