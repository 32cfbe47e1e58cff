/** Jars of tools, fetched once into the user's cache and held to their hashes every time. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Missing, run, scratch } from "./run.ts";

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

  console.log(`Fetching ${name} ${version} with ${commands[0]?.[0]} into ${cacheFolder}`);
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
