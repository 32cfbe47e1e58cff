/** What of a folder is published, and what never is. */
import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { run } from "../../src/cli/run.ts";
import { openSiteFolder } from "../../src/cli/sitesDeploy.ts";
import { fileBytesMax, siteFilesMax } from "../../src/hosting/sites/siteFile.ts";
import type { SiteStore } from "../../src/hosting/sites/sites.ts";
import { storeWith } from "../sites/sources.ts";
import { rejectionOf } from "../store/rejection.ts";
import { CapturedOutput, CliFixture } from "./cliFixture.ts";

async function withFolder(): Promise<{ cli: CliFixture; folder: string } & AsyncDisposable> {
  const cli = new CliFixture();
  await cli.json("owners", "add", "acme");
  await cli.json("sites", "create", "acme", "--owner", "acme");
  const folder = cli.path("site");
  mkdirSync(`${folder}/guide`, { recursive: true });
  writeFileSync(`${folder}/index.html`, "<h1>Home</h1>");
  writeFileSync(`${folder}/guide/index.html`, "<h1>Guide</h1>");
  writeFileSync(cli.path("secret.txt"), "secret");
  return { cli, folder, [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose]() };
}

const deploy = (cli: CliFixture, folder: string) => cli.run(["sites", "deploy", "acme", folder]);

/** The paths of what is shown. */
async function pathsOf(folder: string): Promise<string[]> {
  return (await openSiteFolder(folder)).files.map(({ path }) => path);
}

describe("deploying", () => {
  test("says what happened and where it is shown", async () => {
    await using place = await withFolder();
    const { cli, folder } = place;
    const { code, out, err } = await deploy(cli, folder);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(
      /^Deployed 2 files \(27 bytes\) of .*site as dep_[0-9a-f]{20}\.\nhttp:\/\/acme\.localhost:8080\/ shows them now\.\n$/,
    );
  });

  test("a folder without a first page warns, and names the folder that was perhaps meant", async () => {
    await using place = await withFolder();
    const { cli, folder } = place;
    rmSync(`${folder}/index.html`);
    const { code, err } = await deploy(cli, folder);
    const warning = `There is no index.html in ${folder}, so / will be answered with 404. The folder may be the wrong one.`;
    expect([code, err]).toEqual([0, `${warning} Did you mean ${folder}/guide?\n`]);
    rmSync(`${folder}/guide/index.html`);
    writeFileSync(`${folder}/guide/other.html`, "<h1>Other</h1>");
    expect((await deploy(cli, `${folder}/`)).err).toBe(
      `${warning.replace(folder, `${folder}/`)}\n`,
    );
  });

  test("the same files again says that nothing changed, and makes no deployment", async () => {
    await using place = await withFolder();
    const { cli, folder } = place;
    const first = await cli.json("sites", "deploy", "acme", folder);
    expect(first).toMatchObject({ changed: true, shown: true, files: 2, bytes: 27, leftOut: [] });
    const { out } = await deploy(cli, folder);
    expect(out).toBe(
      `Nothing changed: acme shows these very files already, as ${first.deployment}.\n`,
    );
    expect(await cli.json("sites", "deploy", "acme", folder)).toMatchObject({
      changed: false,
      deployment: first.deployment,
    });
    expect(await cli.json("sites", "deployments", "acme")).toHaveLength(1);
  });

  test("with invalid rules says which line is wrong, and leaves what was shown", async () => {
    await using place = await withFolder();
    const { cli, folder } = place;
    const { deployment } = await cli.json("sites", "deploy", "acme", folder);
    writeFileSync(`${folder}/_headers`, "/*\n  Date: today\n");
    const { code, out, err } = await deploy(cli, folder);
    expect([code, out, err]).toEqual([
      1,
      "",
      "petstore: _headers, line 2: A site cannot change Date. Remove this line. The deployment failed, and acme still shows what it did before.\n",
    ]);
    const [failed, shown] = await cli.json("sites", "deployments", "acme");
    expect(failed).toMatchObject({ state: "failed" });
    expect(shown).toMatchObject({ id: deployment, shown: true });
  });

  test("draws how far it is where somebody watches", async () => {
    await using place = await withFolder();
    const { cli, folder } = place;
    cli.elapsedStepMs = 1_000;
    const stderr = new CapturedOutput({ columns: 100 });
    expect(await run(["sites", "deploy", "acme", folder], cli.context({ stderr }))).toBe(0);
    expect(stderr.text).toContain("Deploying  [");
    expect(stderr.text).toContain("2 files");
    expect(stderr.text).toEndWith("\r\x1b[K");
  });

  test("told to stop leaves a failed deployment, and what was shown", async () => {
    await using place = await withFolder();
    const { cli, folder } = place;
    const before = (await cli.json("sites", "deploy", "acme", folder)).deployment;
    writeFileSync(`${folder}/index.html`, "<h1>New</h1>");
    const stderr = new CapturedOutput();
    const openStores = async () => {
      const stores = await cli.context().openStores();
      const known: SiteStore["knownContents"] = (hashes) => {
        cli.interrupt();
        return stores.sites.knownContents(hashes);
      };
      return { ...stores, sites: storeWith(stores.sites, { knownContents: known }) };
    };
    const code = await run(
      ["sites", "deploy", "acme", folder],
      cli.context({ openStores, stderr }),
    );
    expect([code, stderr.text]).toEqual([
      130,
      "petstore: Stopped. The deployment failed, and acme still shows what it did before.\n",
    ]);
    expect((await cli.json("sites", "show", "acme")).current.id).toBe(before);
    expect((await cli.json("sites", "deployments", "acme"))[0]).toMatchObject({
      state: "failed",
      failure: "It was stopped on the way.",
      shown: false,
    });
  });

  test.each([
    [
      "no folder",
      "absent",
      /Cannot read .*absent: there is no such file or folder\. Check <folder>\./,
    ],
    ["a file", "secret.txt", /secret\.txt is not a folder\./],
    ["an empty folder", "empty", /empty has no file to publish\./],
  ])("%s is refused", async (_what, name, said) => {
    await using place = await withFolder();
    const { cli } = place;
    mkdirSync(cli.path("empty/deeper"), { recursive: true });
    const { code, out, err } = await deploy(cli, cli.path(name));
    expect(err).toMatch(said);
    expect([code, out]).toEqual([1, ""]);
    expect(await cli.json("sites", "deployments", "acme")).toEqual([]);
  });
});

describe("nothing outside the folder is read", () => {
  test.each([
    ["a link to a file outside", "../secret.txt"],
    ["an absolute link", "/etc/hostname"],
    ["a link to a folder outside", ".."],
    ["a link to the root", "/"],
    ["a link that goes out and comes back", "../../$SHOP/secret.txt"],
    ["a link to a folder whose name begins alike", "../site-secret"],
  ])("%s is refused by its name", async (_what, target) => {
    await using place = await withFolder();
    const { cli, folder } = place;
    mkdirSync(cli.path("site-secret"));
    writeFileSync(cli.path("site-secret/key.txt"), "secret");
    symlinkSync(target.replace("$SHOP", cli.folder.split("/").at(-1) ?? ""), `${folder}/way`);
    const { code, out, err } = await deploy(cli, folder);
    expect(err).toBe(
      "petstore: way cannot be published: it is a link that leaves the folder. Nothing was published.\n",
    );
    expect([code, out]).toEqual([1, ""]);
    expect(await cli.json("sites", "deployments", "acme")).toEqual([]);
  });

  test("a chain of links that ends outside is refused, one that stays inside is followed", async () => {
    await using place = await withFolder();
    const { cli, folder } = place;
    symlinkSync("guide/index.html", `${folder}/copy.html`);
    symlinkSync("copy.html", `${folder}/copy-of-copy.html`);
    symlinkSync("guide", `${folder}/handbook`);
    expect(await pathsOf(folder)).toEqual([
      "copy-of-copy.html",
      "copy.html",
      "guide/index.html",
      "handbook/index.html",
      "index.html",
    ]);
    symlinkSync(cli.path("secret.txt"), `${folder}/zz.txt`);
    symlinkSync("zz.txt", `${folder}/yy.txt`);
    expect((await deploy(cli, folder)).err).toContain("yy.txt cannot be published");
  });

  test("links that go round in circles or nowhere are refused", async () => {
    await using place = await withFolder();
    const { folder } = place;
    symlinkSync("..", `${folder}/guide/up`);
    const round = await rejectionOf(openSiteFolder(folder));
    expect(round.message).toContain("guide/up cannot be published: its links go round in circles");
    rmSync(`${folder}/guide/up`);
    symlinkSync("absent.html", `${folder}/dead`);
    const dead = await rejectionOf(openSiteFolder(folder));
    expect(dead.message).toContain("dead cannot be published: it is a link that leads nowhere");
    rmSync(`${folder}/dead`);
    symlinkSync("self", `${folder}/self`);
    expect((await rejectionOf(openSiteFolder(folder))).message).toContain(
      "self cannot be published",
    );
  });

  test("the folder itself may be reached by a link", async () => {
    await using place = await withFolder();
    const { cli, folder } = place;
    symlinkSync(folder, cli.path("way"));
    expect(await pathsOf(cli.path("way"))).toEqual(["guide/index.html", "index.html"]);
  });

  test.each(["a link to a secret", "another file", "a longer file"])(
    "a file that became %s after it was found is not read",
    async (what) => {
      await using place = await withFolder();
      const { cli, folder } = place;
      const { files } = await openSiteFolder(folder);
      const home = files.find(({ path }) => path === "index.html");
      expect(Buffer.from((await home?.read()) ?? []).toString()).toBe("<h1>Home</h1>");
      if (what === "a longer file") writeFileSync(`${folder}/index.html`, "<h1>Home</h1>!");
      else {
        rmSync(`${folder}/index.html`);
        if (what === "another file") {
          writeFileSync(cli.path("other"), "<h1>Hole</h1>");
          linkSync(cli.path("other"), `${folder}/index.html`);
        } else symlinkSync(cli.path("secret.txt"), `${folder}/index.html`);
      }
      const { message } = await rejectionOf(home?.read() ?? Promise.resolve());
      expect(message).toContain("index.html cannot be published: it was changed meanwhile");
    },
  );

  test("a folder that was replaced by a link after it was found is not followed", async () => {
    await using place = await withFolder();
    const { cli, folder } = place;
    const { files } = await openSiteFolder(folder);
    const guide = files.find(({ path }) => path === "guide/index.html");
    // The very file, so that only the way to it tells the difference.
    renameSync(`${folder}/guide`, cli.path("elsewhere"));
    symlinkSync(cli.path("elsewhere"), `${folder}/guide`);
    const { message } = await rejectionOf(guide?.read() ?? Promise.resolve());
    expect(message).toContain("it was changed meanwhile");
  });
});

describe("what is no plain file", () => {
  test("a pipe is refused without waiting for it", async () => {
    await using place = await withFolder();
    execFileSync("mkfifo", [`${place.folder}/pipe`]);
    const { message } = await rejectionOf(openSiteFolder(place.folder));
    expect(message).toContain("pipe cannot be published: it is neither a file nor a folder");
  });

  test("a socket is refused", async () => {
    await using place = await withFolder();
    const server = createServer().listen(`${place.folder}/socket`);
    await new Promise((resolve) => server.once("listening", resolve));
    const { message } = await rejectionOf(openSiteFolder(place.folder));
    server.close();
    expect(message).toContain("socket cannot be published");
  });

  test("names with a dot are left out and told, except .well-known", async () => {
    await using place = await withFolder();
    const { cli, folder } = place;
    for (const name of [".git", ".well-known", "guide/.cache"]) mkdirSync(`${folder}/${name}`);
    for (const name of [".env", ".git/config", ".well-known/security.txt", "guide/.cache/x"]) {
      writeFileSync(`${folder}/${name}`, "x");
    }
    symlinkSync("/etc", `${folder}/.etc`);
    expect(await pathsOf(folder)).toEqual([
      ".well-known/security.txt",
      "guide/index.html",
      "index.html",
    ]);
    const { err } = await deploy(cli, folder);
    expect(err).toBe(
      "Left out .env, .etc, .git, guide/.cache: names that begin with a dot are not published.\n",
    );
    const { leftOut } = await cli.json("sites", "deploy", "acme", folder);
    expect(leftOut).toEqual([".env", ".etc", ".git", "guide/.cache"]);
  });

  test.each(["a\\b.html", "a\nb.html", "a\u0007.html"])("the name %j is refused", async (name) => {
    await using place = await withFolder();
    writeFileSync(`${place.folder}/${name}`, "x");
    const { message } = await rejectionOf(openSiteFolder(place.folder));
    expect(message).toContain("must not have control characters, backslashes");
    expect(message).not.toContain("\n");
    expect(message).not.toContain("\u0007");
  });
});

describe("limits", () => {
  test("a file past the largest size is refused by its name before anything is stored", async () => {
    await using place = await withFolder();
    const { cli, folder } = place;
    writeFileSync(`${folder}/film.mp4`, "");
    truncateSync(`${folder}/film.mp4`, fileBytesMax + 1);
    const { code, err } = await deploy(cli, folder);
    expect(err).toContain("film.mp4 cannot be published: it has more than 25 MiB.");
    expect(code).toBe(1);
    truncateSync(`${folder}/film.mp4`, fileBytesMax);
    expect((await deploy(cli, folder)).code).toBe(0);
  });

  test("a site of too many bytes is refused", async () => {
    await using place = await withFolder();
    for (let n = 0; n <= 10; n++) {
      writeFileSync(`${place.folder}/${n}.bin`, "");
      truncateSync(`${place.folder}/${n}.bin`, fileBytesMax);
    }
    const { message } = await rejectionOf(openSiteFolder(place.folder));
    expect(message).toContain("has more than 250 MiB.");
  });

  test("a site of too many files is refused", async () => {
    await using place = await withFolder();
    writeFileSync(`${place.folder}/0`, "x");
    for (let n = 1; n <= siteFilesMax; n++) linkSync(`${place.folder}/0`, `${place.folder}/${n}`);
    const { message } = await rejectionOf(openSiteFolder(place.folder));
    expect(message).toContain(`There are more than ${siteFilesMax} files.`);
  });
});
