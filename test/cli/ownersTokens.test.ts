import { describe, expect, test } from "bun:test";
import { isAccessToken } from "../../src/accounts/access.ts";
import { hashToken } from "../../src/petstore/keys/token.ts";
import { CliFixture } from "./cliFixture.ts";

async function withAcme(): Promise<CliFixture> {
  const cli = new CliFixture();
  await cli.json("owners", "add", "acme");
  return cli;
}

describe("an access token", () => {
  test("is made for an owner and shown once; the store has only its hash", async () => {
    await using cli = await withAcme();
    const made = await cli.json("owners", "token", "acme", "--name", "deploy");
    expect(made).toEqual({
      id: expect.stringMatching(/^acc_[0-9A-Za-z]{12}$/),
      name: "deploy",
      kind: "owner",
      owner: "acme",
      hint: `pet_owner_…${made.token.slice(-4)}`,
      createdAt: "2026-11-15T12:00:00.000Z",
      revokedAt: null,
      token: expect.stringMatching(/^pet_owner_[0-9A-Za-z]{38}$/),
    });
    expect(isAccessToken(made.token)).toBe(true);
    expect(isAccessToken(made.token.replace(/.$/, "-"))).toBe(false);
    const { token, ...listed } = made;
    expect(await cli.json("owners", "tokens")).toEqual([listed]);
    await cli.withStores(async ({ access }) => {
      expect(await access.findByHash(hashToken(token))).toMatchObject({ id: made.id });
      expect(JSON.stringify(await access.list())).not.toContain(token.slice(10, 30));
    });
  });

  test("is made for the operator", async () => {
    await using cli = await withAcme();
    const made = await cli.json("owners", "token", "--operator");
    expect(made).toMatchObject({ kind: "operator", owner: null, name: "default" });
    expect(made.token).toMatch(/^pet_operator_[0-9A-Za-z]{38}$/);
    const { out } = await cli.run(["owners", "tokens"]);
    expect(out).toContain("the operator");
    expect(out).not.toContain(made.token);
  });

  test.each([
    [["owners", "token"], 2, "Name an owner, or give --operator"],
    [["owners", "token", "acme", "--operator"], 2, "Name an owner, or give --operator"],
    [["owners", "token", "nobody"], 1, 'There is no owner "nobody".'],
    [["owners", "token", "acme", "--name", " "], 2, "--name must have"],
    [["owners", "revoke-token", "acc_none"], 1, "No access token has the id"],
    [["owners", "revoke-token"], 2, "<id> is missing."],
  ])("%j is refused", async (argv, exitCode, message) => {
    await using cli = await withAcme();
    const { code, err, out } = await cli.run(argv as string[]);
    expect([code, out]).toEqual([exitCode, ""]);
    expect(err).toContain(message);
    expect(await cli.json("owners", "tokens")).toEqual([]);
  });

  test("is revoked, once and for all: also by a restore of an older backup", async () => {
    await using cli = await withAcme();
    const { id } = await cli.json("owners", "token", "acme");
    await cli.json("backup", cli.path("before.db"));
    expect(await cli.json("owners", "revoke-token", id)).toEqual({ id, revoked: true });
    cli.clock.advance(60_000);
    await cli.json("owners", "revoke-token", id);
    const [revoked] = await cli.json("owners", "tokens");
    expect(revoked.revokedAt).toBe("2026-11-15T12:00:00.000Z");
    await cli.json("restore", cli.path("before.db"), "--yes");
    expect(await cli.json("owners", "tokens")).toEqual([revoked]);
  });

  test("that was typed where it does not belong is not repeated", async () => {
    await using cli = await withAcme();
    const { token } = await cli.json("owners", "token", "acme");
    const { err } = await cli.run(["owners", "revoke-token", token]);
    expect(err).toContain("pet_owner_…");
    expect(err).not.toContain(token);
  });
});
