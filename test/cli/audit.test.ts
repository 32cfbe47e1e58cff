import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { CliFixture } from "./cliFixture.ts";

const me = `cli/${spawnSync("id", ["-un"], { encoding: "utf8" }).stdout.trim()}`;

/** A key that was made and revoked, and an owner. */
async function withChanges(cli: CliFixture): Promise<{ id: string; key: string }> {
  const { id, key } = await cli.json("keys", "create", "--name", "till");
  await cli.json("keys", "revoke", id);
  await cli.json("owners", "add", "acme", "--name", "Acme");
  return { id, key };
}

describe("audit list", () => {
  test("shows who did what, when and from where, newest first", async () => {
    await using cli = new CliFixture();
    const { id, key } = await withChanges(cli);
    const { out } = await cli.run(["audit", "list"]);
    const [heading, ...lines] = out.trimEnd().split("\n");
    expect(heading).toMatch(/^Number +Time +Actor +Action +Subject +From$/);
    expect(lines.map((line) => line.split(/ {2,}/).filter((_, column) => column !== 1))).toEqual([
      ["3", me, "owner.create", "owners/acme", hostname()],
      ["2", me, "key.revoke", `keys/${id}`, hostname()],
      ["1", me, "key.create", `keys/${id}`, hostname()],
    ]);
    const everything = await cli.json("audit", "list");
    expect(everything[1]).toMatchObject({
      number: 2,
      source: { host: hostname() },
      before: { name: "till", revokedAt: null },
      after: { name: "till", revokedAt: expect.any(String) },
    });
    expect(JSON.stringify(everything)).not.toContain(key);
  });

  test("names the user of the operating system, whatever the environment says", async () => {
    await using cli = new CliFixture();
    const { USER: before } = process.env;
    process.env["USER"] = "somebody-else";
    try {
      await cli.json("owners", "add", "acme");
    } finally {
      if (before === undefined) delete process.env["USER"];
      else process.env["USER"] = before;
    }
    expect((await cli.json("audit", "list"))[0]).toMatchObject({ actor: me });
  });

  test("filters, and continues from a number", async () => {
    await using cli = new CliFixture();
    const { id } = await withChanges(cli);
    const numbers = async (...options: string[]) =>
      (await cli.json("audit", "list", ...options)).map(({ number }: { number: number }) => number);
    expect(await numbers("--action", "key")).toEqual([2, 1]);
    expect(await numbers("--subject", `keys/${id}`, "--limit", "1")).toEqual([2]);
    expect(await numbers("--before", "2")).toEqual([1]);
    expect(await numbers("--actor", "accounts")).toEqual([]);
    expect(await numbers("--since", "2020-01-01", "--until", "2020-01-02T00:00Z")).toEqual([]);
    expect(await numbers("--since", "2020-01-01")).toEqual([3, 2, 1]);
    expect((await cli.run(["audit", "list", "--actor", "nobody"])).out).toBe(
      "There are no such entries.\n",
    );
  });

  for (const [options, complaint] of [
    [["--since", "yesterday"], "--since must be a date such as 2030-01-31"],
    [["--until", "2030-02-30"], "--until 2030-02-30: there is no such date"],
    [["--limit", "0"], "--limit must be a whole number from 1 to 1000"],
    [["--before", "-"], "--before must be a whole number"],
  ] as const) {
    test(`refuses ${options.join(" ")}`, async () => {
      await using cli = new CliFixture();
      const { code, err } = await cli.run(["audit", "list", ...options]);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(complaint) });
    });
  }
});

test("audit show prints what changed", async () => {
  await using cli = new CliFixture();
  const { id } = await withChanges(cli);
  const { out } = await cli.run(["audit", "show", "2"]);
  expect(out).toContain(`Subject  keys/${id}\n`);
  const [, , changed] = out.slice(out.indexOf("\n\n")).split("\n").slice(1);
  expect(changed).toMatch(/^ {2}revokedAt +null +2026-11-15T12:00:00.000Z$/);
  const missing = await cli.run(["audit", "show", "9"]);
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("There is no entry 9.") });
});

test("audit verify names the first entry that is wrong, and exits with 1", async () => {
  await using cli = new CliFixture();
  expect((await cli.run(["audit", "verify"])).out).toStartWith(
    "The audit log is intact: 0 entries.",
  );
  await withChanges(cli);
  const head = (await cli.run(["audit", "head"])).out.trim();
  const intact = await cli.run(["audit", "verify", "--head", head]);
  expect(intact.code).toBe(0);
  expect(intact.out).toBe(
    `The audit log is intact: 3 entries. Entry 3 is the one that was noted.\nHead ${head}\n`,
  );
  const db = new DatabaseSync(cli.database);
  db.exec("DROP TRIGGER audit_log_no_UPDATE; UPDATE audit_log SET actor = 'x' WHERE number = 2");
  db.close();
  const altered = await cli.run(["audit", "verify"]);
  expect(altered.code).toBe(1);
  expect(altered.out).toBe(
    "The audit log is not intact. Entry 2 was altered: its hash is another. 1 entry before it is intact.\n",
  );
  const { code, err } = await cli.run(["audit", "verify", "--head", "2"]);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining("--head must be what petstore audit head printed"),
  });
});

test("an export is verified by a few lines of Python", async () => {
  await using cli = new CliFixture();
  await withChanges(cli);
  await cli.json("categories", "add", "Hünde \u{1F415}");
  const { out } = await cli.run(["audit", "export"]);
  expect(out.trimEnd().split("\n")).toHaveLength(4);
  const file = cli.path("audit.ndjson");
  const guide = await Bun.file(new URL("../../docs/guide/audit-log.md", import.meta.url)).text();
  const script = /```python\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
  const verified = (text: string) => {
    writeFileSync(file, text);
    return spawnSync("python3", ["-c", script, file], { encoding: "utf8" });
  };
  const head = (await cli.run(["audit", "head"])).out;
  expect(verified(out)).toMatchObject({ status: 0, stdout: head });
  expect(verified(out.replace("Acme", "Evil")).status).toBe(1);
  const rest = await cli.run(["audit", "export", "--after", "3"]);
  expect(rest.out).toBe(`${out.trimEnd().split("\n").at(-1)}\n`);
  expect(await cli.json("audit", "export")).toHaveLength(4);
});

const actionForm = /"([a-z]+\.[a-z_]+)"/g;

test("the guide lists every action, and no other", async () => {
  const read = (path: string) => Bun.file(new URL(`../../${path}`, import.meta.url)).text();
  const made = (await read("src/storage/repositories/audited.ts")).matchAll(actionForm);
  const elsewhere = [
    ...["account.sign_in_failed", "catalogue.import", "catalogue.seed", "store.restore"],
    ...["pet.update", "pet.delete", "order.approve", "order.deliver", "order.cancel"],
  ];
  const actions = new Set([...[...made].map(([, action]) => action), ...elsewhere]);
  const [, table = ""] = (await read("docs/guide/audit-log.md")).split("## What is recorded");
  const rows = table.split("\n").filter((line) => line.startsWith("|"));
  const listed = rows.join("\n").matchAll(/`([a-z]+\.[a-z_]+)`/g);
  expect([...listed].map(([, action]) => action).toSorted()).toEqual([...actions].toSorted());
});

test("an import is one entry with its counts, also when a line ended it", async () => {
  await using cli = new CliFixture();
  const file = cli.path("pets.csv");
  writeFileSync(file, "name,categoryId\nBella,3\nRex,4\n");
  await cli.json("pets", "import", file);
  writeFileSync(file, "name,categoryId\nLuna,3\n,4\n");
  expect((await cli.run(["pets", "import", file])).code).toBe(1);
  const entries = await cli.json("audit", "list", "--subject", "catalogue");
  expect(entries).toMatchObject([
    { action: "catalogue.import", actor: me, after: { file, added: 1, unchanged: 0 } },
    { action: "catalogue.import", actor: me, after: { file, added: 2, unchanged: 0 } },
  ]);
});

test("a restore is an entry of the restored store", async () => {
  await using cli = new CliFixture();
  await withChanges(cli);
  await cli.json("backup", cli.path("backup.db"));
  await cli.json("restore", cli.path("backup.db"), "--yes");
  const [last] = await cli.json("audit", "list", "--limit", "1");
  expect(last).toMatchObject({ number: 4, actor: me, action: "store.restore", subject: "store" });
  expect((await cli.json("audit", "verify")).intact).toBe(true);
});
