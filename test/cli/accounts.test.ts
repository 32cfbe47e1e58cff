import { describe, expect, test } from "bun:test";
import { CliFixture } from "./cliFixture.ts";

async function withAcme(): Promise<CliFixture> {
  const cli = new CliFixture();
  await cli.json("owners", "add", "acme");
  return cli;
}

describe("accounts", () => {
  test("are those that were invited, without their secrets", async () => {
    await using cli = await withAcme();
    expect((await cli.run(["accounts", "list"])).out).toContain("There are no accounts yet.");
    await cli.json("owners", "invite", "acme");
    expect(await cli.json("accounts", "list")).toEqual([
      { name: "acme", kind: "owner", password: false, disabledAt: null },
    ]);
    expect((await cli.run(["accounts", "list"])).out).toMatch(/acme +none +enabled/);
  });

  test("are disabled and enabled again, and a link is not made in between", async () => {
    await using cli = await withAcme();
    expect(await cli.json("accounts", "disable", "Acme")).toEqual({ name: "acme", disabled: true });
    expect((await cli.run(["accounts", "list"])).out).toMatch(/acme +none +disabled/);
    const refused = await cli.run(["owners", "invite", "acme"]);
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain("petstore accounts enable");
    expect(await cli.json("accounts", "enable", "acme")).toEqual({ name: "acme", disabled: false });
    expect(await cli.json("owners", "invite", "acme")).toMatchObject({ name: "acme" });
    expect(await cli.json("accounts", "disable", "operator")).toMatchObject({ disabled: true });
  });

  test("stay disabled when an older backup is restored", async () => {
    await using cli = await withAcme();
    await cli.json("owners", "invite", "acme");
    await cli.json("backup", cli.path("before.db"));
    await cli.json("accounts", "disable", "acme");
    await cli.json("restore", cli.path("before.db"), "--yes");
    expect(await cli.json("accounts", "list")).toMatchObject([
      { name: "acme", disabledAt: "2026-11-15T12:00:00.000Z" },
    ]);
  });

  test.each([
    [["accounts", "disable"], 2, "<name> is missing."],
    [["accounts", "disable", "nobody"], 1, 'There is no owner "nobody".'],
    [["accounts", "enable", "nobody"], 1, 'There is no owner "nobody".'],
  ])("%j is refused", async (argv, exitCode, message) => {
    await using cli = await withAcme();
    const { code, err, out } = await cli.run(argv as string[]);
    expect([code, out]).toEqual([exitCode, ""]);
    expect(err).toContain(message);
    expect(await cli.json("accounts", "list")).toEqual([]);
  });
});
