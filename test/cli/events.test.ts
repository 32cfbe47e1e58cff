import { describe, expect, test } from "bun:test";
import { run } from "../../src/cli/run.ts";
import { eventually } from "../../testkit/eventually.ts";
import { CapturedOutput, CliFixture } from "./cliFixture.ts";

const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;

async function withPets(cli: CliFixture, count: number): Promise<void> {
  await cli.withStores(async ({ catalogue }) => {
    for (let each = 0; each < count; each++) await catalogue.add(bella);
  });
}

/** The ids and types that a command prints as NDJSON. */
async function listed(cli: CliFixture, ...words: string[]): Promise<string[]> {
  const { code, out, err } = await cli.run(["events", "--json", ...words]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const lines = out
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return lines.map(({ id, type }) => `${id} ${type}`);
}

describe("events", () => {
  test("lists the latest, the oldest of them first, with those of keys", async () => {
    await using cli = new CliFixture();
    expect(await listed(cli)).toEqual([]);
    await cli.json("keys", "create", "--name", "ci");
    await withPets(cli, 3);
    const all = ["1 key.created", "2 pet.created", "3 pet.created", "4 pet.created"];
    expect(await listed(cli)).toEqual(all);
    expect(await listed(cli, "--limit", "2")).toEqual(all.slice(2));
    expect(await listed(cli, "--type", "key.*")).toEqual(all.slice(0, 1));
    expect(await listed(cli, "--type", "pet.created", "--limit", "1")).toEqual(all.slice(3));
    expect(await listed(cli, "--resource", "pets/2")).toEqual(all.slice(2, 3));
    expect(await listed(cli, "--after", "1", "--limit", "2")).toEqual(all.slice(1, 3));
    const { out } = await cli.run(["events", "--limit", "1"]);
    expect(out).toMatch(/^ +4 {2}\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}pet\.created +pets\/3\n$/);
  });

  test("begins with the first event since an instant, however many are no longer kept", async () => {
    await using cli = new CliFixture();
    await withPets(cli, 5);
    const since = (ms: number) => listed(cli, "--since", new Date(ms).toISOString());
    const { first, last } = await cli.withStores(async ({ events }) => {
      const all = (await events.list({ after: 0, limit: 10 }))?.events ?? [];
      return { first: all[0]?.atMs ?? 0, last: all.at(-1)?.atMs ?? 0 };
    });
    expect(await since(first)).toHaveLength(5);
    expect(await since(last + 1)).toEqual([]);
    await cli.withStores(({ events }) => events.prune(last + 1));
    await withPets(cli, 2);
    expect(await since(first)).toEqual(["6 pet.created", "7 pet.created"]);
    expect(await listed(cli)).toEqual(["6 pet.created", "7 pet.created"]);
    const { code, err } = await cli.run(["events", "--after", "2"]);
    expect([code, err]).toEqual([1, expect.stringContaining("no longer kept")]);
  });

  test("finds what is rare among many", async () => {
    await using cli = new CliFixture();
    await cli.json("keys", "create", "--name", "ci");
    await cli.withStores(async ({ catalogue }) => {
      for (let at = 0; at < 12; at++) {
        await catalogue.import(Array.from({ length: 1_000 }, () => bella));
      }
    });
    expect(await listed(cli, "--type", "key.created,key.revoked")).toEqual(["1 key.created"]);
    expect(await listed(cli, "--type", "key.*", "--after", "0")).toEqual(["1 key.created"]);
  });

  test("follows what happens until it is stopped", async () => {
    await using cli = new CliFixture();
    await withPets(cli, 1);
    const stdout = new CapturedOutput();
    const running = run(["events", "--follow", "--limit", "1"], cli.context({ stdout }));
    await eventually(() => stdout.text.includes("pets/1"));
    await withPets(cli, 1);
    await eventually(() => {
      cli.clock.advance(500);
      return stdout.text.includes("pets/2");
    });
    cli.interrupt();
    expect(await running).toBe(130);
    expect(stdout.text.match(/pets\/1/g)).toHaveLength(1);
  });

  test("refuses what is no type, and no time", async () => {
    await using cli = new CliFixture();
    const refused = await cli.run(["events", "--type", "pet.creatd"]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("pet.created")]);
    expect((await cli.run(["events", "--since", "soon"])).code).toBe(2);
  });
});
