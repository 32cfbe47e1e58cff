/** The service as npm packs and installs it. The client's package is in test/client/build.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Packed, pack } from "./npmPackage.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "petstore-packages-"));
const packedBytesMax = 1_000_000;
let packed: Packed;

beforeAll(async () => {
  packed = await pack(root, folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Locked {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/** Unpacked into a project, beside what it needs in production and nothing else. */
async function install(name: string): Promise<string> {
  const modules = join(folder, name, "node_modules");
  const installed = join(modules, "petstore");
  mkdirSync(installed, { recursive: true });
  const unpack = ["--extract", "--gzip", "--file", packed.tarball];
  await run("tar", [...unpack, "--directory", installed, "--strip-components", "1"]);
  const { packages }: Locked = JSON.parse(read("package-lock.json"));
  for (const [path, { dev }] of Object.entries(packages)) {
    if (path === "" || dev === true || path.startsWith("node_modules/@oven/")) continue;
    // Below a package that is linked as a whole.
    if (path.lastIndexOf("node_modules/") > 0) continue;
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    symlinkSync(join(root, path), join(folder, name, path));
  }
  return join(installed, "bin/petstore");
}

/** Bun's package as npm leaves it where it may not run install scripts. */
function withoutInstallScript(name: string): void {
  const modules = join(folder, name, "node_modules");
  rmSync(join(modules, "bun"), { force: true });
  mkdirSync(join(modules, "bun/bin"), { recursive: true });
  const placeholder = join(modules, "bun/bin/bun.exe");
  writeFileSync(placeholder, 'echo "Error: the postinstall script was not run." >&2\nexit 1\n');
  chmodSync(placeholder, 0o755);
}

describe("the package of the service", () => {
  test("holds what it needs to run, and nothing else", () => {
    const places = packed.files.map((file) => /^(?:docs\/)?[^/]+/.exec(file)?.[0]);
    expect([...new Set(places)].sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "bin",
      "docs/errors",
      "docs/guide",
      "package.json",
      "src",
    ]);
    expect(packed.files.filter((file) => !/\.(?:tsx?|json|css|md)$/.test(file))).toEqual([
      "LICENSE",
      "bin/petstore",
      "docs/guide/soak.svg",
      "src/wire/llhttpWasm.cjs",
      "src/wire/llhttpWasm.d.cts",
    ]);
    expect(packed.bytes).toBeLessThan(packedBytesMax);
  });

  // npm refuses to publish what is private. A dry run does not, and asks the registry.
  test("cannot be published: its name is another program's in the npm registry", () => {
    const { name, private: isPrivate } = JSON.parse(read("package.json"));
    expect({ name, isPrivate }).toEqual({ name: "petstore", isPrivate: true });
  });

  test("serves with production dependencies alone, the documentation and the dashboard too", async () => {
    const command = await install("served");
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    const child = spawn(command, ["serve"], {
      cwd: elsewhere,
      env: {
        PATH: process.env["PATH"],
        PORT: "0",
        PETSTORE_METRICS_PORT: "off",
        PETSTORE_LOG: "off",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    try {
      let origin: string | undefined;
      for await (const line of createInterface(child.stdout)) {
        origin = /listens on (.+)\/v1/.exec(line)?.[1];
        if (origin !== undefined) break;
      }
      for (const path of ["/readyz", "/docs/", "/docs/changelog/", "/dashboard/"]) {
        expect([path, (await fetch(`${origin}${path}`)).status]).toEqual([path, 200]);
      }
    } finally {
      child.kill("SIGTERM");
    }
    expect(await exited).toEqual([0, null]);
    // The data are where the command was run, not where it is installed.
    expect(existsSync(join(elsewhere, "data/production/petstore.db"))).toBe(true);
    expect(existsSync(join(dirname(command), "../data"))).toBe(false);
  });

  test("finds Bun where npm did not run its install script, beside it and below it", async () => {
    const command = await install("scriptless");
    withoutInstallScript("scriptless");
    const failed = await run(command, ["--version"]).catch((error) => error);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("Bun is missing") });
    const modules = join(folder, "scriptless/node_modules");
    const binary = join(modules, "@oven/bun-linux-x64/bin/bun");
    mkdirSync(dirname(binary), { recursive: true });
    symlinkSync(process.execPath, binary);
    const { version } = JSON.parse(read("package.json"));
    expect((await run(command, ["--version"])).stdout).toStartWith(`petstore ${version} `);

    const below = join(modules, "petstore/node_modules");
    mkdirSync(below);
    for (const name of ["bun", "@oven"]) {
      await run("mv", [join(modules, name), join(below, name)]);
    }
    expect((await run(command, ["--version"])).stdout).toStartWith(`petstore ${version} `);
  });
});

describe("a clone where npm did not run install scripts", () => {
  const clone = join(folder, "clone");
  const env = { PATH: process.env["PATH"], PORT: "0", PETSTORE_METRICS_PORT: "off" };

  beforeAll(async () => {
    withoutInstallScript("clone");
    const binary = join(clone, "node_modules/@oven/bun-linux-x64/bin/bun");
    mkdirSync(dirname(binary), { recursive: true });
    symlinkSync(process.execPath, binary);
    mkdirSync(join(clone, "node_modules/.bin"));
    symlinkSync("../bun/bin/bun.exe", join(clone, "node_modules/.bin/bun"));
    await run("cp", ["-R", join(root, "bin"), join(root, "package.json"), clone]);
    symlinkSync(join(root, "src"), join(clone, "src"));
  });

  test("starts by npm start, and SIGTERM ends it", async () => {
    const npm = spawn("npm", ["start"], { cwd: clone, env, stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(npm, "close");
    let said = "";
    for await (const chunk of npm.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
      said += chunk;
      if (said.includes("listens on")) break;
    }
    npm.kill("SIGTERM");
    npm.stdout.resume();
    expect(said).toContain("listens on");
    expect(await ended).toEqual([0, null]);
  });

  test("has the command line as npm run petstore", async () => {
    const { stdout } = await run("npm", ["run", "--silent", "petstore", "--", "--version"], {
      cwd: clone,
      env,
    });
    expect(stdout).toStartWith("petstore ");
  });
});
