import { describe, expect, test } from "bun:test";
import { Authenticator } from "../../src/petstore/keys/authenticator.ts";
import { tokenEnvironment } from "../../src/petstore/keys/token.ts";
import { CliFixture, dayMs } from "./cliFixture.ts";

/** Whether the service would take this key now. */
async function works(cli: CliFixture, token: string): Promise<boolean> {
  return cli.withStores(async ({ keys }) => {
    try {
      await new Authenticator(keys, "production", cli.clock).check(token);
      return true;
    } catch {
      return false;
    }
  });
}

describe("keys create", () => {
  test("--json prints one object with the key", async () => {
    await using cli = new CliFixture();
    const made = await cli.json("keys", "create", "--name", "ci");
    expect(made).toEqual({
      key: expect.any(String),
      id: expect.stringMatching(/^key_[0-9A-Za-z]{12}$/),
      name: "ci",
      environment: "production",
      scopes: "all",
      expiresAt: null,
      createdAt: "2026-11-15T12:00:00.000Z",
    });
    expect(tokenEnvironment(made.key)).toBe("production");
    expect(await works(cli, made.key)).toBe(true);
  });

  test("shows the key, says that it will not be shown again, and how to send it", async () => {
    await using cli = new CliFixture();
    const { code, out, err } = await cli.run(["keys", "create", "--name", "ci"]);
    expect(code).toBe(0);
    expect(err).toBe("");
    const [token = ""] = /pet_live_[0-9A-Za-z]{38}/.exec(out) ?? [];
    expect(await works(cli, token)).toBe(true);
    expect(out).toContain("It is shown this once and cannot be shown again.");
    expect(out).toContain(`\n  Authorization: Bearer ${token}\n`);
    expect(out).toContain("It may do everything, and it does not expire.");
  });

  test("takes scopes and an expiry", async () => {
    await using cli = new CliFixture();
    const create = (...rest: string[]) => cli.json("keys", "create", ...rest);
    const made = await create("--scopes", "pets:read, pets:read", "--expires", "90d");
    expect(made.scopes).toEqual(["pets:read"]);
    expect(made.expiresAt).toBe("2027-02-13T12:00:00.000Z");
    expect((await create("--scopes", "all")).scopes).toBe("all");
    expect((await create("--expires", "2030-01-31")).expiresAt).toBe("2030-01-31T00:00:00.000Z");
    expect((await create("--expires", "2030-01-31T10:00:00+02:00")).expiresAt).toBe(
      "2030-01-31T08:00:00.000Z",
    );
    const { out } = await cli.run(["keys", "create", "--scopes", "pets:read", "--expires", "1h"]);
    expect(out).toContain("Its scopes are pets:read, and it expires 2026-11-15 13:00 UTC.");
    cli.clock.advance(91 * dayMs);
    expect(await works(cli, made.key)).toBe(false);
  });

  test("says when an active key has the same name, and creates another all the same", async () => {
    await using cli = new CliFixture();
    const ended = await cli.json("keys", "create", "--name", "ci");
    await cli.json("keys", "revoke", ended.id);
    expect((await cli.run(["keys", "create", "--name", "ci"])).out).not.toContain("Another");
    const [, { id }] = await cli.json("keys", "list");
    const again = await cli.run(["keys", "create", "--name", "ci"]);
    expect(again.code).toBe(0);
    expect(again.out).toEndWith(
      `Another active key is named "ci" too: ${id}. Tell them apart by their ids.\n`,
    );
    const third = await cli.run(["keys", "create", "--name", "ci"]);
    expect(third.out).toContain('Other active keys are named "ci" too: ');
  });

  test("takes a name of 100 characters of any kind", async () => {
    await using cli = new CliFixture();
    const name = "🐕".repeat(100);
    expect((await cli.json("keys", "create", "--name", name)).name).toBe(name);
    expect((await cli.json("keys", "create", "--name=-x")).name).toBe("-x");
  });

  test.each([
    [["--name="], "--name must have 1 to 100 characters"],
    [["--name", "  "], "not only white space"],
    [["--name", "x".repeat(101)], "--name must have 1 to 100 characters"],
    [["--name", "a\nb"], "--name must not have control characters"],
    [["--name", "a\u001b[31m"], "--name must not have control characters"],
    [["--name", "\ud800"], "--name must have 1 to 100 characters"],
    [["--name", "dashboard session"], 'must not be "dashboard session", which is reserved'],
    [["--scopes", "pets:raed"], 'not "pets:raed". Did you mean pets:read?'],
    [["--scopes="], "--scopes must be one of "],
    [["--expires", "soon"], "(a whole number and one of s, m (minutes), h, d or w)"],
    [["--expires", "2030-02-31"], "--expires 2030-02-31: there is no such date"],
    [["--expires", "2030-01-31T25:00Z"], "there is no such date or time of day."],
    [["--expires", "2030-01-31T10:00"], "--expires must be a time such as 90d"],
    [["--expires", "36501d"], "--expires 36501d is too far: a century (36500d) is the most."],
    [["--expires", "99999999999999d"], "--expires 99999999999999d is too far"],
    [["--expires", "0d"], "--expires must be in the future"],
    [["--expires", "2026-11-15"], "--expires must be in the future"],
  ])("refuses %p", async (rest, said) => {
    await using cli = new CliFixture();
    const { code, out, err } = await cli.run(["keys", "create", ...rest]);
    expect(err).toContain(said);
    expect(out).toBe("");
    expect(code).toBe(2);
    expect(await cli.json("keys", "list")).toEqual([]);
  });
});

describe("keys list", () => {
  test("of nothing says what to do next", async () => {
    await using cli = new CliFixture();
    const { code, out } = await cli.run(["keys", "list"]);
    expect(code).toBe(0);
    expect(out).toBe(
      "There are no keys yet. Create one with petstore keys create --name <name>.\n",
    );
  });

  test("shows every key in columns that line up, and never the key itself", async () => {
    await using cli = new CliFixture();
    const first = await cli.json("keys", "create", "--name", "ci");
    const second = await cli.json("keys", "create", "--name", "犬 🐕", "--expires", "30d");
    await cli.json("keys", "revoke", first.id);
    cli.clock.advance(3 * dayMs);
    const { out } = await cli.run(["keys", "list"]);
    const hint = (token: string) => `pet_live_…${token.slice(-4)}`;
    expect(out.split("\n")).toEqual([
      "Id                Name   Hint            Scopes  State    Created     Expires     Last used",
      `${first.id}  ci     ${hint(first.key)}  all     revoked  3 days ago  never       never`,
      `${second.id}  犬 🐕  ${hint(second.key)}  all     active   3 days ago  in 27 days  never`,
      "",
    ]);
    const { out: json } = await cli.run(["keys", "list", "--json"]);
    for (const text of [out, json]) {
      expect(text).not.toContain(first.key);
      expect(text).not.toContain(second.key);
    }
    expect(JSON.parse(json)[0]).toEqual({
      id: first.id,
      name: "ci",
      environment: "production",
      hint: hint(first.key),
      scopes: "all",
      state: "revoked",
      createdAt: "2026-11-15T12:00:00.000Z",
      expiresAt: null,
      revokedAt: "2026-11-15T12:00:00.000Z",
      replacedBy: null,
      lastUsedAt: null,
    });
  });
});

describe("keys rotate", () => {
  test("shows the new key once and says until when the old one works", async () => {
    await using cli = new CliFixture();
    const old = await cli.json("keys", "create", "--name", "ci", "--scopes", "pets:read");
    const { code, out } = await cli.run(["keys", "rotate", "ci"]);
    expect(code).toBe(0);
    expect(out).toContain(`The old key ${old.id} works until 2026-11-16 12:00 UTC (in 24 hours).`);
    expect(out).toContain("cannot be shown again");
    expect(out).toContain("Its scopes are pets:read, and it does not expire.");
    const [token = ""] = /pet_live_[0-9A-Za-z]{38}/.exec(out) ?? [];
    expect(await works(cli, token)).toBe(true);
    expect(await works(cli, old.key)).toBe(true);
    const { out: list } = await cli.run(["keys", "list"]);
    expect(list).toContain("active, replaced");
    cli.clock.advance(dayMs);
    expect(await works(cli, token)).toBe(true);
    expect(await works(cli, old.key)).toBe(false);
  });

  test("--json names the key that was replaced, and --grace 0s ends it at once", async () => {
    await using cli = new CliFixture();
    const old = await cli.json("keys", "create", "--name", "ci", "--scopes", "pets:read");
    const made = await cli.json("keys", "rotate", old.id, "--grace", "0s");
    expect(made).toEqual({
      key: expect.any(String),
      id: expect.any(String),
      name: "ci",
      environment: "production",
      scopes: ["pets:read"],
      expiresAt: null,
      createdAt: "2026-11-15T12:00:00.000Z",
      replaces: { id: old.id, expiresAt: "2026-11-15T12:00:00.000Z" },
    });
    expect(await works(cli, old.key)).toBe(false);
    expect(await works(cli, made.key)).toBe(true);
    const again = await cli.run(["keys", "rotate", made.id, "--grace", "0s"]);
    expect(again.out).toContain(`The old key ${made.id} has stopped working.`);
  });

  test("never lets the old key outlive its expiry", async () => {
    await using cli = new CliFixture();
    const old = await cli.json("keys", "create", "--expires", "2d");
    const made = await cli.json("keys", "rotate", old.id, "--grace", "30d");
    expect(made.replaces.expiresAt).toBe(old.expiresAt);
  });

  test("refuses a key that was rotated, was revoked or has expired, and says why", async () => {
    await using cli = new CliFixture();
    const rotated = await cli.json("keys", "create", "--name", "rotated");
    const successor = await cli.json("keys", "rotate", "rotated");
    const revoked = await cli.json("keys", "create", "--name", "revoked");
    await cli.json("keys", "revoke", "revoked");
    const expired = await cli.json("keys", "create", "--name", "expired", "--expires", "1h");
    cli.clock.advance(2 * 60 * 60 * 1000);
    for (const [id, said] of [
      [rotated.id, `was rotated before: ${successor.id} took its place. Rotate that one.`],
      [revoked.id, "is revoked, and only an active key can be rotated."],
      [expired.id, "is expired, and only an active key can be rotated."],
    ]) {
      const { code, out, err } = await cli.run(["keys", "rotate", id]);
      expect(err).toContain(said);
      expect(out).toBe("");
      expect(code).toBe(1);
    }
    expect(await cli.json("keys", "list")).toHaveLength(4);
  });

  test("refuses a grace that is no time", async () => {
    await using cli = new CliFixture();
    await cli.json("keys", "create", "--name", "ci");
    const { code, err } = await cli.run(["keys", "rotate", "ci", "--grace", "long"]);
    expect(err).toContain(
      "--grace must be a time such as 24h, 7d or 0s: a whole number and one of s,",
    );
    expect(code).toBe(2);
    const far = await cli.run(["keys", "rotate", "ci", "--grace", "999999d"]);
    expect(far.err).toContain("--grace 999999d is too far: a century (36500d) is the most.");
  });
});

describe("keys revoke", () => {
  test("ends a key at once, and telling it twice is fine", async () => {
    await using cli = new CliFixture();
    const { id, key } = await cli.json("keys", "create", "--name", "ci");
    const { code, out } = await cli.run(["keys", "revoke", "ci"]);
    expect(code).toBe(0);
    expect(out).toBe(`Revoked "ci" (${id}). It is refused from now on.\n`);
    expect(await works(cli, key)).toBe(false);
    cli.clock.advance(5 * 60 * 1000);
    const again = await cli.run(["keys", "revoke", "ci"]);
    expect(again.code).toBe(0);
    expect(again.out).toBe(`"ci" (${id}) was revoked before (5 minutes ago). Nothing changed.\n`);
    expect(await cli.json("keys", "revoke", id)).toEqual({
      id,
      name: "ci",
      revokedAt: "2026-11-15T12:00:00.000Z",
      alreadyRevoked: true,
    });
  });

  test("takes the key itself, for one that turned up in the wrong place", async () => {
    await using cli = new CliFixture();
    const { id, key } = await cli.json("keys", "create");
    expect((await cli.json("keys", "revoke", key)).id).toBe(id);
    await using other = new CliFixture();
    const { code, err } = await other.run(["keys", "revoke", key]);
    expect(code).toBe(1);
    expect(err).toContain("That key is none of this store's.");
    // One character missing: it is looked for as a name, and must not be repeated either.
    const { err: cut } = await other.run(["keys", "revoke", key.slice(0, -1)]);
    expect(cut).not.toContain(key.slice(9, -1));
  });

  test("refuses what names no key", async () => {
    await using cli = new CliFixture();
    const { code, err } = await cli.run(["keys", "revoke", "nobody"]);
    expect(code).toBe(1);
    expect(err).toBe('petstore: No key has the id or the name "nobody". See petstore keys list.\n');
  });

  test("refuses a name that several keys have, and gives their ids", async () => {
    await using cli = new CliFixture();
    const first = await cli.json("keys", "create", "--name", "ci");
    const second = await cli.json("keys", "create", "--name", "ci");
    for (const verb of ["revoke", "rotate"]) {
      const { code, err } = await cli.run(["keys", verb, "ci"]);
      expect(code).toBe(1);
      expect(err).toContain('2 keys are named "ci". Say which by its id:');
      expect(err).toContain(first.id);
      expect(err).toContain(second.id);
    }
    await cli.json("keys", "revoke", first.id);
    // Only one of them still works, so the name is no longer ambiguous.
    expect((await cli.json("keys", "revoke", "ci")).id).toBe(second.id);
  });
});

describe("keys usage", () => {
  async function used(cli: CliFixture) {
    const ci = await cli.json("keys", "create", "--name", "ci");
    const web = await cli.json("keys", "create", "--name", "web");
    const at = (day: string) => Date.parse(`${day}T09:00:00Z`);
    await cli.withStores(({ keys }) =>
      keys.recordUses([
        {
          keyId: ci.id,
          operation: "getPet",
          day: "2026-11-13",
          count: 1200,
          lastAtMs: at("2026-11-13"),
        },
        {
          keyId: ci.id,
          operation: "getPet",
          day: "2026-11-12",
          count: 34,
          lastAtMs: at("2026-11-12"),
        },
        {
          keyId: web.id,
          operation: "listPets",
          day: "2026-11-15",
          count: 5,
          lastAtMs: at("2026-11-15"),
        },
      ]),
    );
    return { ci, web };
  }

  test("sums the days of each key and operation, and marks what will go away", async () => {
    await using cli = new CliFixture();
    const { ci, web } = await used(cli);
    const { out } = await cli.run(["keys", "usage"]);
    const rows = [
      "Key               Name  Operation  Calls  Last call    Note",
      `${ci.id}  ci    getPet     1,234  2 days ago   deprecated, goes away on 2030-12-05; call /pets?id={petId} instead`,
      `${web.id}  web   listPets   5      3 hours ago`,
    ];
    // The store's order is that of the ids, which are random.
    expect(out.trimEnd().split("\n").sort()).toEqual(rows.sort());
    expect(out).not.toContain(ci.key);
    const json = await cli.json("keys", "usage", "--operation", "getPet");
    expect(json).toEqual([
      {
        keyId: ci.id,
        keyName: "ci",
        operation: "getPet",
        calls: 1234,
        lastCallAt: "2026-11-13T09:00:00.000Z",
        deprecated: true,
        sunsetAt: "2030-12-05T00:00:00.000Z",
        successor: "/pets?id={petId}",
      },
    ]);
    expect(JSON.stringify(json)).not.toContain(ci.key);
    expect(await cli.json("keys", "usage", "--deprecated")).toEqual(json);
    const other = await cli.json("keys", "usage", "--operation", "listPets");
    expect(other[0]).toMatchObject({ deprecated: false, sunsetAt: null, successor: null });
    cli.clock.advance(Date.parse("2031-01-01") - cli.clock.now());
    expect((await cli.run(["keys", "usage", "--deprecated"])).out).toContain("went away on");
  });

  test("says so when nobody called", async () => {
    await using cli = new CliFixture();
    const said = async (...rest: string[]) => (await cli.run(["keys", "usage", ...rest])).out;
    expect(await said()).toBe("No key has called anything yet.\n");
    expect(await said("--operation", "listPets")).toBe("No key has called listPets yet.\n");
    expect(await said("--deprecated")).toBe(
      "No key has called a deprecated operation.\n  getPet goes away on 2030-12-05; call /pets?id={petId} instead\n",
    );
    expect(await cli.json("keys", "usage")).toEqual([]);
  });

  test("refuses an operation that is not in the contract", async () => {
    await using cli = new CliFixture();
    const { code, err } = await cli.run(["keys", "usage", "--operation", "getPets"]);
    expect(code).toBe(2);
    expect(err).toContain('not "getPets". Did you mean getPet?');
  });
});
