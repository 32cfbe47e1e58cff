import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { run } from "../../src/cli/run.ts";
import { staleAfterMs } from "../../src/hosting/sites/deployment.ts";
import { Page, Shop } from "./shop.ts";

async function withProject(): Promise<Shop> {
  const shop = new Shop();
  await shop.json("owners", "add", "acme", "--name", "Acme Corporation", "--plan", "paid");
  await shop.json("sites", "create", "acme-docs", "--owner", "acme");
  return shop;
}

function folderOf(shop: Shop, files: Record<string, string>, name = "site"): string {
  const folder = shop.path(name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(`${folder}/${path.split("/").slice(0, -1).join("/")}`, { recursive: true });
    writeFileSync(`${folder}/${path}`, text);
  }
  return folder;
}

async function deployed(shop: Shop, text: string): Promise<string> {
  const folder = folderOf(shop, { "index.html": text });
  return (await shop.json("sites", "deploy", "acme-docs", folder)).deployment;
}

describe("owners", () => {
  test("are added with a plan, listed, and moved to another plan", async () => {
    await using shop = new Shop();
    expect(await shop.json("owners", "add", "bob")).toEqual({
      id: "bob",
      name: "bob",
      plan: "free",
    });
    const added = await shop.types(["owners", "add", "acme", "--name", "Acme", "--plan", "paid"]);
    expect(added.out).toContain("petstore sites create <slug> --owner acme");
    expect(await shop.json("owners", "plan", "bob", "paid")).toEqual({
      id: "bob",
      plan: "paid",
      cutOff: [],
    });
    expect(await shop.json("owners", "list")).toEqual([
      { id: "acme", name: "Acme", plan: "paid" },
      { id: "bob", name: "bob", plan: "paid" },
    ]);
    expect((await shop.types(["owners", "list"])).out).toBe(
      "Id    Plan  Name\nacme  paid  Acme\nbob   paid  bob\n",
    );
  });

  test.each([
    ["owners add acme", 1, "There is an owner acme already. Nothing was changed."],
    ["owners add Acme", 2, "<id> must be lower-case letters, digits and hyphens"],
    ["owners add x --plan gold", 2, '--plan must be free or paid, not "gold".'],
    ["owners plan acme payd", 2, 'not "payd". Did you mean paid?'],
    ["owners plan acme", 2, "<plan> is missing."],
    ["owners plan nobody paid", 1, 'There is no owner "nobody".'],
  ])("%s is refused", async (line, code, said) => {
    await using shop = await withProject();
    const { code: exit, out, err } = await shop.types(line.split(" "));
    expect(err).toContain(said);
    expect([exit, out]).toEqual([code, ""]);
  });
});

describe("projects", () => {
  test("are made for an owner, listed and shown", async () => {
    await using shop = await withProject();
    const project = {
      slug: "acme-docs",
      owner: "acme",
      createdAt: "2026-11-15T12:00:00.000Z",
      current: null,
      address: null,
    };
    expect(await shop.json("sites", "list")).toEqual([project]);
    const owner = { id: "acme", name: "Acme Corporation", plan: "paid" };
    expect(await shop.json("sites", "show", "acme-docs")).toEqual({
      ...project,
      owner,
      domains: [],
    });
    const { out } = await shop.types(["sites", "show", "acme-docs"]);
    expect(out).toContain("nothing; next: petstore sites deploy acme-docs <folder>");
    const current = await deployed(shop, "<h1>Hello</h1>");
    expect(await shop.json("sites", "show", "acme-docs")).toMatchObject({
      current: { id: current, state: "ready", files: 1, bytes: 14, failure: null },
      address: "http://acme-docs.localhost:8080/",
    });
    expect((await shop.json("sites", "list"))[0]).toMatchObject({
      address: "http://acme-docs.localhost:8080/",
    });
    expect((await shop.types(["sites", "show", "acme-docs"])).out).toMatch(
      /^Address +http:\/\/acme-docs\.localhost:8080\/\nDomains +none$/m,
    );
    expect((await shop.types(["sites", "list"])).out).toContain(
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
    await using shop = await withProject();
    const { code: exit, out, err } = await shop.types(line.split(" "));
    expect(err).toContain(said);
    expect([exit, out]).toEqual([code, ""]);
  });
});

describe("deployments", () => {
  test("are listed newest first, go back, come off and come back", async () => {
    await using shop = await withProject();
    const first = await deployed(shop, "one");
    const second = await deployed(shop, "two");
    const shown = async () =>
      (await shop.json("sites", "deployments", "acme-docs")).map(
        ({ id, shown }: { id: string; shown: boolean }) => [id, shown],
      );
    expect(await shown()).toEqual([
      [second, true],
      [first, false],
    ]);
    expect((await shop.types(["sites", "rollback", "acme-docs", first])).out).toBe(
      `http://acme-docs.localhost:8080/ shows ${first} now.\n`,
    );
    expect(await shown()).toEqual([
      [second, false],
      [first, true],
    ]);
    expect(await shop.json("sites", "unpublish", "acme-docs")).toEqual({
      project: "acme-docs",
      current: null,
      cutOff: [],
    });
    const { out } = await shop.types(["sites", "show", "acme-docs"]);
    expect(out).toContain(`nothing; next: petstore sites rollback acme-docs ${second}`);
    expect((await shown()).map(([, is]: [string, boolean]) => is)).toEqual([false, false]);
    await shop.json("sites", "rollback", "acme-docs", second);
    expect((await shop.json("sites", "show", "acme-docs")).current.id).toBe(second);
  });

  test("one whose process vanished is shown as failed once it was silent for long", async () => {
    await using shop = await withProject();
    const nowMs = shop.clock.now();
    await shop.withStores(async ({ sites }) => {
      await sites.beginDeployment({ id: "dep_gone", project: "acme-docs", nowMs });
      await sites.buildDeployment("dep_gone", nowMs);
    });
    const seen = async () => (await shop.json("sites", "deployments", "acme-docs"))[0];
    expect(await seen()).toMatchObject({ state: "building", failure: null });
    shop.clock.advance(staleAfterMs + 1);
    expect(await seen()).toMatchObject({
      state: "failed",
      failure: expect.stringContaining("went away"),
    });
    const { code, err } = await shop.types(["sites", "rollback", "acme-docs", "dep_gone"]);
    expect([code, err]).toEqual([1, expect.stringContaining("dep_gone is not ready")]);
    await deployed(shop, "one");
    expect((await shop.json("sites", "deployments", "acme-docs"))[1]).toMatchObject({
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

  async function build(shop: Shop, ...options: string[]) {
    const stdout = new Page();
    const stderr = new Page();
    let asked: string | undefined = "nothing";
    const buildDocs = async (baseUrl: string | undefined) => {
      asked = baseUrl;
      return site;
    };
    const code = await run(
      ["docs", "build", ...options],
      shop.world({ buildDocs, stdout, stderr }),
    );
    return { code, out: stdout.text, err: stderr.text, asked };
  }

  test("writes every file below the folder", async () => {
    await using shop = new Shop({ store: false });
    const out = shop.path("made/here");
    mkdirSync(shop.path("made"));
    const base = "https://api.example.com/v1";
    const { code, out: said, asked } = await build(shop, "--out", out, "--base-url", base);
    expect([code, asked]).toEqual([0, base]);
    expect(said).toStartWith(`Wrote 2 files (26 bytes) to ${out}.`);
    expect(readFileSync(`${out}/guide/keys/index.html`, "utf8")).toBe("<h1>Keys</h1>");
    expect(readdirSync(shop.path("made"))).toEqual(["here"]);
  });

  test("fills an empty folder, and overwrites nothing in another", async () => {
    await using shop = new Shop({ store: false });
    const out = shop.path("site");
    mkdirSync(out);
    expect((await build(shop, "--out", out, "--json")).out).toBe(
      `${JSON.stringify({ folder: out, files: 2, bytes: 26 })}\n`,
    );
    const again = await build(shop, "--out", out);
    expect([again.code, again.asked]).toEqual([1, "nothing"]);
    expect(again.err).toContain("is not empty, and nothing is overwritten.");
    writeFileSync(shop.path("file"), "");
    expect((await build(shop, "--out", shop.path("file"))).err).toContain("Cannot write to");
  });

  test.each([
    "api.example.com/v1",
    "ftp://x/v1",
    "https://x/api",
    "https://x/v1?y",
    "javascript:/v1",
  ])("--base-url %s is refused", async (address) => {
    await using shop = new Shop({ store: false });
    const { code, err } = await build(shop, "--base-url", address);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("--base-url must be an http or https"),
    ]);
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
    await using shop = new Shop({ store: false });
    const { code, err } = await shop.types(line.split(" "));
    expect([code, err]).toEqual([1, expect.stringContaining("There is no store at")]);
    expect(readdirSync(shop.folder)).toEqual([]);
  });

  test("owners add makes one and says so", async () => {
    await using shop = new Shop({ store: false });
    expect(await shop.types(["owners", "add", "acme"])).toMatchObject({
      code: 0,
      err: `Made a new store at ${shop.database}.\n`,
    });
  });
});

test("a restore asks before it replaces sites", async () => {
  await using shop = new Shop();
  await shop.json("backup", shop.path("empty.db"));
  await shop.json("owners", "add", "acme");
  const { code, err } = await shop.types(["restore", shop.path("empty.db")]);
  expect([code, err]).toEqual([1, expect.stringContaining("0 pets and 0 keys, and sites.")]);
});
