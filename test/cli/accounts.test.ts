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
      {
        name: "acme",
        kind: "owner",
        password: false,
        email: null,
        hasSecondFactor: false,
        disabledAt: null,
      },
    ]);
    expect((await cli.run(["accounts", "list"])).out).toMatch(/acme +none +none +enabled/);
  });

  test("are disabled and enabled again, and a link is not made in between", async () => {
    await using cli = await withAcme();
    expect(await cli.json("accounts", "disable", "Acme")).toEqual({ name: "acme", disabled: true });
    expect((await cli.run(["accounts", "list"])).out).toMatch(/acme +none +none +disabled/);
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

  const app = { account: "acme", sealed: "sealed", lastStep: 1, createdAtMs: 1 };

  test("lose their second factors and sessions by a reset", async () => {
    await using cli = await withAcme();
    await cli.json("owners", "invite", "acme");
    await cli.withStores(({ secondFactors }) =>
      secondFactors.add({ factor: app, atMs: 1, recoveryCodes: ["hash"] }),
    );
    expect((await cli.run(["accounts", "list"])).out).toMatch(/acme +none +set +enabled/);
    expect(await cli.json("accounts", "reset-second-factor", "acme")).toEqual({
      name: "acme",
      reset: true,
    });
    expect(await cli.json("accounts", "list")).toMatchObject([{ hasSecondFactor: false }]);
  });

  test("keep through a restore the second factors that were changed last", async () => {
    await using cli = await withAcme();
    await cli.json("owners", "invite", "acme");
    const add = (sealed: string, atMs: number) =>
      cli.withStores(({ secondFactors }) =>
        secondFactors.add({ factor: { ...app, sealed }, atMs, recoveryCodes: [`with ${sealed}`] }),
      );
    const stored = () => cli.withStores(({ secondFactors }) => secondFactors.factorsOf("acme"));
    await add("old", 1);
    await cli.json("backup", cli.path("old.db"));
    await cli.json("accounts", "reset-second-factor", "acme");
    await cli.json("restore", cli.path("old.db"), "--yes");
    expect(await stored()).toMatchObject({ totp: undefined, recoveryCodesLeft: 0 });
    await add("new", cli.clock.now() + 1);
    await cli.json("backup", cli.path("new.db"));
    await cli.json("restore", cli.path("old.db"), "--yes");
    expect(await stored()).toMatchObject({ totp: { sealed: "new" }, recoveryCodesLeft: 1 });
    // On another machine, where the account has none.
    await using other = await withAcme();
    await other.json("owners", "invite", "acme");
    await other.json("restore", cli.path("new.db"), "--yes");
    expect(await other.json("accounts", "list")).toMatchObject([{ hasSecondFactor: true }]);
  });

  test.each([
    [["accounts", "reset-second-factor", "acme"], 1, 'There is no account "acme".'],
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
