/**
 * Tools, installed once into the user's cache as the files in tools/ pin them, with hashes. They are
 * no dependencies of the project: only the suite that needs one installs it.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Missing, run, scratch } from "./run.ts";
import { progress } from "./suite.ts";

export interface Jar {
  readonly name: string;
  readonly version: string;
  /** Of the jar. */
  readonly sha256: string;
  /** The commands that bring it into the folder they run in, and its path there. */
  readonly commands: readonly (readonly [command: string, ...args: string[]])[];
  readonly path: string;
}

const javaMajorMin = 17;

export async function requireJava(): Promise<void> {
  const { text } = await run("java", ["-version"], scratch).catch(() => ({ text: "" }));
  const major = Number(/version "(\d+)/.exec(text)?.[1] ?? 0);
  if (major >= javaMajorMin) return;
  const found = major === 0 ? "none was found" : `this is ${text.split("\n")[0]}`;
  throw new Missing(
    `Java ${javaMajorMin} or newer is needed: apt-get install default-jre-headless (${found})`,
  );
}

const sha256 = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

export const cacheFolder = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "petstore",
);

export async function cachedJar(wanted: Jar): Promise<string> {
  const { name, version, commands, path } = wanted;
  const jar = join(cacheFolder, `${name}-${version}.jar`);
  if (existsSync(jar) && sha256(jar) === wanted.sha256) return jar;

  progress(`Fetching ${name} ${version} with ${commands[0]?.[0]} into ${cacheFolder}`);
  mkdirSync(cacheFolder, { recursive: true });
  // Unpacked beside its place, so that the rename is one step and no half jar is ever found there.
  const folder = mkdtempSync(join(cacheFolder, "fetching-"));
  try {
    for (const [command, ...args] of commands) {
      const { code, text } = await run(command, args, folder);
      if (code !== 0) throw new Missing(`${name} ${version} could not be fetched: ${text}`);
    }
    const fetched = join(folder, path);
    if (sha256(fetched) !== wanted.sha256) {
      throw new Missing(`${name} ${version} is not the jar whose hash is pinned.`);
    }
    renameSync(fetched, jar);
    return jar;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tools = fileURLToPath(new URL("./tools/", import.meta.url));

/** The commands of the Python packages in tools/<name>.txt, a folder: `pip install --require-hashes`. */
export function pythonTools(name: string): Promise<string> {
  const requirements = join(tools, `${name}.txt`);
  return installed(name, [requirements], "bin", async (place, install) => {
    await install("python3", "-m", "venv", place);
    const pip = [join(place, "bin/python"), "-m", "pip", "install", "--quiet"] as const;
    await install(...pip, "--require-hashes", "-r", requirements);
  });
}

/** The source of the one Python package in tools/<name>.txt, unpacked: its tests are not installed. */
export function pythonSource(name: string): Promise<string> {
  const requirements = join(tools, `${name}.txt`);
  return installed(name, [requirements], "source", async (place, install) => {
    const download = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"];
    await install("python3", ...download, "--require-hashes", "-r", requirements);
    mkdirSync(join(place, "source"));
    const [archive = ""] = readdirSync(place).filter((file) => file.endsWith(".tar.gz"));
    await install("tar", "-xzf", archive, "-C", "source", "--strip-components=1");
  });
}

/** The commands of the npm packages that tools/<name>/package-lock.json pins, a folder. */
export function npmTools(name: string): Promise<string> {
  const files = ["package.json", "package-lock.json"].map((file) => join(tools, name, file));
  return installed(name, files, "node_modules/.bin", async (place, install) => {
    cpSync(join(tools, name), place, { recursive: true });
    await install("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
  });
}

/** A command of a Go module that tools/<name>/go.mod and go.sum pin, as a file. */
export async function goTool(name: string, commandPackage: string): Promise<string> {
  const files = ["go.mod", "go.sum"].map((file) => join(tools, name, file));
  const folder = await installed(name, files, "bin", async (place, install) => {
    cpSync(join(tools, name), place, { recursive: true });
    await install("go", "build", "-mod=readonly", "-o", "bin/", commandPackage);
  });
  return join(
    folder,
    commandPackage
      .replace(/\/v\d+$/, "")
      .split("/")
      .at(-1) ?? "",
  );
}

/** The folder of a Go module's files, which need not be Go's, held to their hash. */
export async function goModule(wanted: {
  readonly path: string;
  readonly version: string;
  readonly sum: string;
}): Promise<string> {
  const { path, version, sum } = wanted;
  if (Bun.which("go") === null) throw new Missing(`Go is needed to fetch ${path}: .ci/run install`);
  const args = ["mod", "download", "-json", `${path}@${version}`];
  const { code, text } = await run("go", args, scratch, process.env as Record<string, string>);
  if (code !== 0) throw new Missing(`${path} could not be fetched: ${text}`);
  const fetched = JSON.parse(text) as { Dir: string; Sum: string };
  if (fetched.Sum !== sum) throw new Missing(`${path} is not what its pinned hash says.`);
  return fetched.Dir;
}

type Install = (...command: readonly [string, ...string[]]) => Promise<void>;

/** A folder of the cache that belongs to what the files pin, made once and found whole or not at all. */
async function installed(
  name: string,
  files: readonly string[],
  commands: string,
  make: (place: string, install: Install) => Promise<void>,
): Promise<string> {
  const pins = Bun.hash(files.map((file) => readFileSync(file, "utf8")).join("\0"));
  const place = join(cacheFolder, `${name}-${pins.toString(36)}`);
  const complete = join(place, "complete");
  if (existsSync(complete)) return join(place, commands);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  progress(`Installing ${name} into ${place}`);
  await make(place, async (command, ...args) => {
    if (Bun.which(command) === null) {
      throw new Missing(`${name} needs ${command}, which is not installed on this machine.`);
    }
    const { code, text } = await run(command, args, place, process.env as Record<string, string>);
    if (code !== 0) throw new Missing(`${name} could not be installed by ${command}:\n${text}`);
  });
  writeFileSync(complete, "");
  return join(place, commands);
}
