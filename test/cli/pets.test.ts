import { describe, expect, test } from "bun:test";
import { CliFixture } from "./cliFixture.ts";

/** Pet 101 is available, pet 102 has order 1. */
async function withPets(): Promise<CliFixture> {
  const cli = new CliFixture();
  await cli.withStores(async ({ catalogue, orders }) => {
    const pet = { name: "Bella", categoryId: 3n, status: "available" } as const;
    await catalogue.import([101n, 102n, 9007199254740993n].map((id) => ({ ...pet, id })));
    await orders.place({ petId: 102n, quantity: 1 }, cli.clock.now());
  });
  return cli;
}

const bella = { id: 101, name: "Bella", categoryId: 3, status: "available" };

describe("pets show", () => {
  test("shows a pet, with every digit", async () => {
    await using cli = await withPets();
    expect((await cli.run(["pets", "show", "101"])).out).toBe(
      "Pet       101\nName      Bella\nCategory  3\nStatus    available\n",
    );
    expect(await cli.json("pets", "show", "101")).toEqual(bella);
    for (const options of [[], ["--json"]]) {
      const { out } = await cli.run(["pets", "show", "9007199254740993", ...options]);
      expect(out).toContain("9007199254740993");
    }
  });
});

describe("pets update", () => {
  test("changes what is given and shows the pet as it is from then on", async () => {
    await using cli = await withPets();
    const update = (...rest: string[]) => cli.json("pets", "update", "101", ...rest);
    expect(await update("--name", "Rex")).toEqual({ ...bella, name: "Rex" });
    expect(await update("--category=-5", "--status", "sold")).toEqual({
      ...{ id: 101, name: "Rex", categoryId: -5, status: "sold" },
    });
    expect((await cli.run(["pets", "show", "101"])).out).toContain("Name      Rex\n");
  });

  test.each([
    [[], "Say what to change: --name, --category or --status."],
    [["--name", " "], "--name must be a string of 1 to 255 characters"],
    [["--status", "lost"], "--status must be one of available, pending, sold."],
    [["--category", "dogs"], "--category must be a whole number"],
  ])("refuses %p and changes nothing", async (rest, said) => {
    await using cli = await withPets();
    const { code, err } = await cli.run(["pets", "update", "101", ...rest]);
    expect(err).toContain(said);
    expect(code).toBe(2);
    expect(await cli.json("pets", "show", "101")).toEqual(bella);
  });
});

describe("pets delete", () => {
  test("deletes a pet, once", async () => {
    await using cli = await withPets();
    expect(await cli.run(["pets", "delete", "101"])).toEqual({
      code: 0,
      out: "Deleted pet 101.\n",
      err: "",
    });
    expect((await cli.run(["pets", "delete", "101"])).code).toBe(1);
    const { out } = await cli.run(["pets", "delete", "9007199254740993", "--json"]);
    expect(out).toBe('{"id":9007199254740993}\n');
  });
});

test("a pet that an order holds is neither deleted nor given another status", async () => {
  await using cli = await withPets();
  for (const command of [
    ["delete", "102"],
    ["update", "102", "--status", "sold"],
  ]) {
    const { code, err } = await cli.run(["pets", ...command]);
    expect(err).toBe(
      "petstore: Order 1 holds pet 102. Nothing changed. Deliver or cancel the order first: petstore orders show 1.\n",
    );
    expect(code).toBe(1);
  }
  await cli.json("orders", "cancel", "1");
  expect((await cli.run(["pets", "delete", "102"])).code).toBe(0);
  expect((await cli.json("orders", "show", "1")).status).toBe("cancelled");
});

test.each([
  ["show", []],
  ["update", ["--name", "Rex"]],
  ["delete", []],
] as const)("%s refuses what names no pet", async (verb, rest) => {
  await using cli = await withPets();
  const absent = await cli.run(["pets", verb, "2", ...rest]);
  expect(absent.err).toBe("petstore: No pet has the id 2. See petstore pets export.\n");
  expect(absent.code).toBe(1);
  const wrong = await cli.run(["pets", verb, "first", ...rest]);
  expect(wrong.err).toContain("<id> must be a whole number");
  expect(wrong.code).toBe(2);
});
