import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { run } from "../../src/cli/run.ts";
import { staleAfterMs } from "../../src/hosting/sites/deployment.ts";
import { CapturedOutput, CliFixture } from "./cliFixture.ts";

async function withProject(): Promise<CliFixture> {
  const cli = new CliFixture();
  await cli.json("owners", "add", "acme", "--name", "Acme Corporation", "--plan", "paid");
  await cli.json("sites", "create", "acme-docs", "--owner", "acme");
  return cli;
}

function folderOf(cli: CliFixture, files: Record<string, string>, name = "site"): string {
  const folder = cli.path(name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(`${folder}/${path.split("/").slice(0, -1).join("/")}`, { recursive: true });
    writeFileSync(`${folder}/${path}`, text);
  }
  return folder;
}

async function deployed(cli: CliFixture, text: string): Promise<string> {
  const folder = folderOf(cli, { "index.html": text });
  return (await cli.json("sites", "deploy", "acme-docs", folder)).deployment;
}

describe("owners", () => {
  test("are added with a plan, listed, and moved to another plan", async () => {
    await using cli = new CliFixture();
    expect(await cli.json("owners", "add", "bob")).toEqual({
      id: "bob",
      name: "bob",
      plan: "free",
      email: null,
    });
    const email = "ops@acme.example";
    const more = ["--name", "Acme", "--plan", "paid", "--email", email];
    const added = await cli.run(["owners", "add", "acme", ...more]);
    expect(added.out).toContain("petstore sites create <slug> --owner acme");
    expect(await cli.json("owners", "plan", "bob", "paid")).toEqual({
      id: "bob",
      plan: "paid",
      cutOff: [],
    });
    expect(await cli.json("owners", "list")).toEqual([
      { id: "acme", name: "Acme", plan: "paid", email },
      { id: "bob", name: "bob", plan: "paid", email: null },
    ]);
    expect((await cli.run(["owners", "list"])).out).toBe(
      `Id    Plan  Name  E-mail\nacme  paid  Acme  ${email}\nbob   paid  bob\n`,
    );
  });

  test("have an e-mail address that can be changed and removed, as the operator has", async () => {
    await using cli = await withProject();
    const set = await cli.run(["owners", "email", "ops@acme.example", "acme"]);
    expect(set.out).toBe("Mail for the owner acme goes to ops@acme.example.\n");
    await cli.json("owners", "email", "root@example.com", "--operator");
    await cli.withStores(async ({ accounts }) => {
      const all = new Map([
        ["acme", "ops@acme.example"],
        ["operator", "root@example.com"],
      ]);
      expect(await accounts.listEmails()).toEqual(all);
    });
    const removed = await cli.run(["owners", "email", "none", "acme"]);
    expect(removed.out).toBe("No mail goes to the owner acme any more.\n");
    expect((await cli.json("owners", "list"))[0].email).toBeNull();
  });

  test.each([
    ["owners add acme", 1, "There is an owner acme already. Nothing was changed."],
    ["owners add Acme", 2, "<id> must be lower-case letters, digits and hyphens"],
    ["owners add x --email nowhere", 2, "--email must be an e-mail address such as anna@"],
    ["owners add operator --email a@example.com", 1, "An owner of this id cannot sign in"],
    ["owners email nowhere acme", 2, "<address> must be an e-mail address"],
    ["owners email a@example.com", 2, "Name an owner, or give --operator"],
    ["owners email a@example.com nobody", 1, 'There is no owner "nobody".'],
    ["owners add x --plan gold", 2, '--plan must be free or paid, not "gold".'],
    ["owners plan acme payd", 2, 'not "payd". Did you mean paid?'],
    ["owners plan acme", 2, "<plan> is missing."],
    ["owners plan nobody paid", 1, 'There is no owner "nobody".'],
  ])("%s is refused", async (line, code, said) => {
    await using cli = await withProject();
    const { code: exit, out, err } = await cli.run(line.split(" "));
    expect(err).toContain(said);
    expect([exit, out]).toEqual([code, ""]);
  });
});

describe("projects", () => {
  test("are made for an owner, listed and shown", async () => {
    await using cli = await withProject();
    const project = {
      slug: "acme-docs",
      owner: "acme",
      createdAt: "2026-11-15T12:00:00.000Z",
      current: null,
      address: null,
    };
    expect(await cli.json("sites", "list")).toEqual([project]);
    const owner = { id: "acme", name: "Acme Corporation", plan: "paid" };
    expect(await cli.json("sites", "show", "acme-docs")).toEqual({
      ...project,
      owner,
      domains: [],
    });
    const { out } = await cli.run(["sites", "show", "acme-docs"]);
    expect(out).toContain("nothing; next: petstore sites deploy acme-docs <folder>");
    const current = await deployed(cli, "<h1>Hello</h1>");
    expect(await cli.json("sites", "show", "acme-docs")).toMatchObject({
      current: { id: current, state: "ready", files: 1, bytes: 14, failure: null },
      address: "http://acme-docs.localhost:8080/",
    });
    expect((await cli.json("sites", "list"))[0]).toMatchObject({
      address: "http://acme-docs.localhost:8080/",
    });
    expect((await cli.run(["sites", "show", "acme-docs"])).out).toMatch(
      /^Address +http:\/\/acme-docs\.localhost:8080\/\nDomains +none$/m,
    );
    expect((await cli.run(["sites", "list"])).out).toContain(
      `acme-docs  acme   ${current}  http://acme-docs.localhost:8080/\n`,
    );
  });

  test.each([
    ["sites create Acme --owner acme", 2, "<slug> must be lower-case letters"],
    ["sites create xn--80ak6aa92e --owner acme", 2, "third and fourth character"],
    [`sites create ${"x".repeat(64)} --owner acme`, 2, "must not have more than 63 characters"],
    ["sites create other", 2, "--owner is missing"],
    ["sites create other --owner nobody", 1, 'There is no owner "nobody".'],
    ["sites create acme-docs --owner acme", 1, "The slug acme-docs is taken."],
    ["sites show none", 1, 'There is no project "none".'],
    ["sites deploy none .", 1, 'There is no project "none".'],
    ["sites deploy acme-docs", 2, "<folder> is missing."],
    ["sites deploy acme-docs . x", 2, '"x" is one word too many.'],
    ["sites deployments none", 1, 'There is no project "none".'],
    ["sites rollback none dep_x", 1, 'There is no project "none".'],
    ["sites rollback acme-docs dep_x", 1, 'acme-docs has no deployment "dep_x". Nothing changed.'],
    ["sites unpublish none", 1, 'There is no project "none".'],
    ["sites unpublish acme-docs", 1, "acme-docs shows nothing as it is."],
  ])("%s is refused", async (line, code, said) => {
    await using cli = await withProject();
    const { code: exit, out, err } = await cli.run(line.split(" "));
    expect(err).toContain(said);
    expect([exit, out]).toEqual([code, ""]);
  });
});

describe("deployments", () => {
  test("are listed newest first, go back, come off and come back", async () => {
    await using cli = await withProject();
    const first = await deployed(cli, "one");
    const second = await deployed(cli, "two");
    const shown = async () =>
      (await cli.json("sites", "deployments", "acme-docs")).map(
        ({ id, shown }: { id: string; shown: boolean }) => [id, shown],
      );
    expect(await shown()).toEqual([
      [second, true],
      [first, false],
    ]);
    expect((await cli.run(["sites", "rollback", "acme-docs", first])).out).toBe(
      `http://acme-docs.localhost:8080/ shows ${first} now.\n`,
    );
    expect(await shown()).toEqual([
      [second, false],
      [first, true],
    ]);
    expect(await cli.json("sites", "unpublish", "acme-docs")).toEqual({
      project: "acme-docs",
      current: null,
      cutOff: [],
    });
    const { out } = await cli.run(["sites", "show", "acme-docs"]);
    expect(out).toContain(`nothing; next: petstore sites rollback acme-docs ${second}`);
    expect((await shown()).map(([, is]: [string, boolean]) => is)).toEqual([false, false]);
    await cli.json("sites", "rollback", "acme-docs", second);
    expect((await cli.json("sites", "show", "acme-docs")).current.id).toBe(second);
  });

  test("one whose process vanished is shown as failed once it was silent for long", async () => {
    await using cli = await withProject();
    const nowMs = cli.clock.now();
    await cli.withStores(async ({ sites }) => {
      await sites.beginDeployment({ id: "dep_gone", project: "acme-docs", nowMs });
      await sites.buildDeployment("dep_gone", nowMs);
    });
    const seen = async () => (await cli.json("sites", "deployments", "acme-docs"))[0];
    expect(await seen()).toMatchObject({ state: "building", failure: null });
    cli.clock.advance(staleAfterMs + 1);
    expect(await seen()).toMatchObject({
      state: "failed",
      failure: expect.stringContaining("interrupted"),
    });
    const { code, err } = await cli.run(["sites", "rollback", "acme-docs", "dep_gone"]);
    expect([code, err]).toEqual([1, expect.stringContaining("dep_gone is not ready")]);
    await deployed(cli, "one");
    expect((await cli.json("sites", "deployments", "acme-docs"))[1]).toMatchObject({
      id: "dep_gone",
      state: "failed",
    });
  });
});

describe("docs build", () => {
  const site = new Map([
    ["index.html", Buffer.from("<h1>Docs</h1>")],
    ["guide/keys/index.html", Buffer.from("<h1>Keys</h1>")],
  ]);

  async function build(cli: CliFixture, ...options: string[]) {
    const stdout = new CapturedOutput();
    const stderr = new CapturedOutput();
    let asked: string | undefined = "nothing";
    const buildDocs = async (baseUrl: string | undefined) => {
      asked = baseUrl;
      return site;
    };
    const code = await run(
      ["docs", "build", ...options],
      cli.context({ buildDocs, stdout, stderr }),
    );
    return { code, out: stdout.text, err: stderr.text, asked };
  }

  test("writes every file below the folder", async () => {
    await using cli = new CliFixture({ store: false });
    const out = cli.path("made/here");
    mkdirSync(cli.path("made"));
    const base = "https://api.example.com/v1";
    const { code, out: said, asked } = await build(cli, "--out", out, "--base-url", base);
    expect([code, asked]).toEqual([0, base]);
    expect(said).toStartWith(`Wrote 2 files (26 bytes) to ${out}.`);
    expect(readFileSync(`${out}/guide/keys/index.html`, "utf8")).toBe("<h1>Keys</h1>");
    expect(readdirSync(cli.path("made"))).toEqual(["here"]);
  });

  test("fills an empty folder, and overwrites nothing in another", async () => {
    await using cli = new CliFixture({ store: false });
    const out = cli.path("site");
    mkdirSync(out);
    expect((await build(cli, "--out", out, "--json")).out).toBe(
      `${JSON.stringify({ folder: out, files: 2, bytes: 26 })}\n`,
    );
    const again = await build(cli, "--out", out);
    expect([again.code, again.asked]).toEqual([1, "nothing"]);
    expect(again.err).toContain("is not empty, and nothing is overwritten.");
    writeFileSync(cli.path("file"), "");
    expect((await build(cli, "--out", cli.path("file"))).err).toContain("Cannot write to");
  });

  test.each([
    "api.example.com/v1",
    "ftp://x/v1",
    "https://x/api",
    "https://x/v1?y",
    "javascript:/v1",
  ])("--base-url %s is refused", async (address) => {
    await using cli = new CliFixture({ store: false });
    const { code, err } = await build(cli, "--base-url", address);
    expect([code, err]).toEqual([2, expect.stringContaining("--base-url must ")]);
  });
});

describe("where there is no store", () => {
  test.each([
    "owners list",
    "owners plan acme paid",
    "sites create x --owner acme",
    "sites list",
    "sites show x",
    "sites deploy x .",
    "sites deployments x",
    "sites rollback x dep_x",
    "sites unpublish x",
  ])("%s refuses and makes nothing", async (line) => {
    await using cli = new CliFixture({ store: false });
    const { code, err } = await cli.run(line.split(" "));
    expect([code, err]).toEqual([1, expect.stringContaining("There is no store at")]);
    expect(readdirSync(cli.folder)).toEqual([]);
  });

  test("owners add makes one and says so", async () => {
    await using cli = new CliFixture({ store: false });
    expect(await cli.run(["owners", "add", "acme"])).toMatchObject({
      code: 0,
      err: `Made a new store at ${cli.database}.\n`,
    });
  });
});

test("a restore asks before it replaces sites", async () => {
  await using cli = new CliFixture();
  await cli.json("backup", cli.path("empty.db"));
  await cli.json("owners", "add", "acme");
  const { code, err } = await cli.run(["restore", cli.path("empty.db")]);
  expect([code, err]).toEqual([1, expect.stringContaining("0 pets and 0 keys, and sites.")]);
});
