/** The executable, where there is nothing but it: an empty folder and an empty environment. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json" with { type: "json" };
import { isTarget } from "../../scripts/build/runtimes.ts";
import { buildExecutable, entryPoints } from "../../scripts/build.ts";
import { readConfig } from "../../src/config/config.ts";
import { contractFor } from "../../src/contract/operations.ts";
import { publishDashboard } from "../../src/dashboard/published.ts";
import { makeLanding } from "../../src/docs/landing.ts";
import { buildDocsSite } from "../../src/serve/ownDocs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !name.includes("/browser/"))
  .map((name) => join("src", name));
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("the source", () => {
  test("starts no thread that is no entry point of the executable", () => {
    const threads = sources.flatMap((file) =>
      [...read(file).matchAll(/new Worker\(\s*new URL\("([^"]+)"/g)].map(([, path = ""]) =>
        normalize(join(dirname(file), path)),
      ),
    );
    expect(["src/main.ts", ...threads].toSorted()).toEqual(entryPoints.toSorted());
  });

  test("looks nowhere else for a file beside itself: the executable would not have it", () => {
    const starters = sources.filter((file) => read(file).includes("new Worker("));
    const users = sources.filter((file) => read(file).includes("import.meta"));
    expect(users.toSorted()).toEqual([...starters, "src/core/runtimeFiles.ts"].toSorted());
  });
});

const host = `${process.platform}-${process.arch}`;

describe.skipIf(!isTarget(host))("the executable", () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-executable-"));
  // The one that `npm test` has built of this tree, or where it could not, one that says why.
  const { PETSTORE_PROGRAM: built } = process.env;
  const program = resolve(built ?? join(folder, "petstore"));
  const empty = join(folder, "empty");
  let origin = "";
  let key = "";
  let end: () => Promise<unknown> = async () => undefined;

  const petstore = (args: readonly string[], variables: Record<string, string> = {}) =>
    spawnSync(program, args, { cwd: empty, env: variables, encoding: "utf8" });
  const get = async (path: string, accept = "*/*") => {
    const response = await fetch(`${origin}${path}`, { headers: { accept } });
    return { status: response.status, bytes: await response.bytes() };
  };

  beforeAll(async () => {
    if (built === undefined) await buildExecutable(program);
    mkdirSync(empty);
    // What Bun itself would read in the folder where it is started.
    writeFileSync(join(empty, ".env"), "PETSTORE_ENV=nonsense\n");
    writeFileSync(join(empty, "bunfig.toml"), 'preload = ["./missing.ts"]\n');
    const child = spawn(program, ["serve", "--json"], {
      cwd: empty,
      env: { PORT: "0", PETSTORE_METRICS_PORT: "off", PETSTORE_LOG: "error" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    end = async () => {
      child.kill("SIGTERM");
      return (await exited)[0];
    };
    let line = "";
    while (!line.endsWith("\n")) {
      const [chunk] = await Promise.race([once(child.stdout, "data"), exited]);
      if (child.exitCode !== null) throw new Error("The executable does not serve.");
      line += chunk;
    }
    const started = JSON.parse(line) as { baseUrl: string; key: string };
    origin = new URL(started.baseUrl).origin;
    key = started.key;
  });

  afterAll(async () => {
    expect(await end()).toBe(0);
    rmSync(folder, { recursive: true });
  });

  test("says what it is", () => {
    const { stdout } = petstore(["--version", "--json"]);
    const { version, dependencies } = packageJson;
    expect(JSON.parse(stdout)).toEqual({ version, platform: host, bun: dependencies.bun });
  });

  test("answers a first call, and backs up and restores what it stored", async () => {
    const created = await fetch(`${origin}/v1/pets`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Bella", categoryId: 3 }),
    });
    expect(created.status).toBe(201);
    expect(petstore(["backup", "copy.db"])).toMatchObject({ status: 0 });
    const elsewhere = { PETSTORE_DATA: join(folder, "restored") };
    expect(petstore(["restore", "copy.db"], elsewhere)).toMatchObject({ status: 0 });
    expect(petstore(["pets", "export", "--format", "csv"], elsewhere).stdout).toContain("Bella");
  });

  test("shows the same dashboard as the source, byte for byte", async () => {
    const { files } = await publishDashboard("/dashboard/");
    for (const [path, { bytes }] of files) {
      const shown = await get(`/dashboard/${path === "index.html" ? "" : path}`);
      expect([path, shown.status, shown.bytes.toHex()]).toEqual([path, 200, bytes.toHex()]);
    }
  });

  test("shows the same landing page assets as the source, byte for byte", async () => {
    const urls = { production: `${origin}/v1`, staging: `${origin}/v1` };
    const { files } = await makeLanding(contractFor(urls));
    const page = new TextDecoder().decode((await get("/", "text/html")).bytes);
    for (const [path, { bytes }] of files) {
      const shown = await get(`/${path}`);
      expect([path, shown.status, shown.bytes.toHex()]).toEqual([path, 200, bytes.toHex()]);
    }
    expect(page).toContain([...files.keys()].find((path) => /landing-.*\.js/.test(path)) ?? "?");
  });

  test("builds the same documentation as the source, byte for byte, and serves it", async () => {
    const baseUrl = "https://api.example.com/v1";
    expect(petstore(["docs", "build", "--out", "site", "--base-url", baseUrl]).status).toBe(0);
    const expected = await buildDocsSite(readConfig({}), { port: 8080, baseUrl });
    const site = join(empty, "site");
    const written = readdirSync(site, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(site, join(entry.parentPath, entry.name)));
    expect(written.toSorted()).toEqual([...expected.keys()].toSorted());
    for (const [path, bytes] of expected) {
      expect([path, readFileSync(join(site, path)).equals(bytes)]).toEqual([path, true]);
    }
    expect((await get("/docs/guide/operating/")).status).toBe(200);
  });

  test("has stack traces that name functions, files and lines of the source", () => {
    const trap = `require("node:sqlite").DatabaseSync.prototype.exec = () => {
      console.error(new Error("trapped").stack);
    };`;
    writeFileSync(join(empty, "trap.cjs"), trap);
    const { stderr } = petstore(["keys", "list"], { BUN_OPTIONS: "--preload ./trap.cjs" });
    expect(stderr).toMatch(/at connect \(src\/storage\/sqlite\/connection\.ts:\d+:\d+\)/);
  });
});
