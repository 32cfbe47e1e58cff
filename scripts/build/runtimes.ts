/** The platforms there is an executable for, and the Bun that each of them is made of. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(root, "node_modules/.cache/petstore-build");

/** Each with the npm package of its runtime. */
const packages = {
  "linux-x64": "@oven/bun-linux-x64",
  "linux-arm64": "@oven/bun-linux-aarch64",
  "darwin-arm64": "@oven/bun-darwin-aarch64",
} as const;

export type Target = keyof typeof packages;
export const targets = Object.keys(packages) as Target[];
export const isTarget = (name: string): name is Target => Object.hasOwn(packages, name);

/** Debian's names of architectures, each with its target. */
export const debianTargets = { amd64: "linux-x64", arm64: "linux-arm64" } as const;

export function hostTarget(): Target {
  const host = `${process.platform}-${process.arch}`;
  if (isTarget(host)) return host;
  throw new Error(`There is no executable for ${host}, only for ${targets.join(", ")}.`);
}

/** The file of the runtime, fetched by npm once, and only as the lock file knows it. */
export function runtimeFor(target: Target): string {
  const name = packages[target];
  const { version, integrity } = lockedPackage(name);
  const file = join(cache, `${name.replace("/", "-")}-${version}`);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "fetch-"));
  try {
    run("npm", ["pack", `${name}@${version}`, "--silent", "--pack-destination", folder]);
    const archive = join(folder, `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`);
    const hash = createHash("sha512").update(readFileSync(archive)).digest("base64");
    if (`sha512-${hash}` !== integrity) {
      throw new Error(`${name}@${version} is not what package-lock.json says: sha512-${hash}`);
    }
    run("tar", ["-xzf", archive, "-C", folder, "package/bin/bun"]);
    // Renamed when complete, so that concurrent builds see only complete files.
    renameSync(join(folder, "package/bin/bun"), file);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return file;
}

/** The lock file has the runtimes of all platforms, as optional dependencies of Bun's package. */
function lockedPackage(name: string): { readonly version: string; readonly integrity: string } {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const locked = packages[`node_modules/${name}`];
  if (locked?.version !== Bun.version) {
    throw new Error(`package-lock.json has ${name} ${locked?.version}, and Bun is ${Bun.version}.`);
  }
  return locked;
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status === 0) return;
  throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? stderr.trim()}`);
}
