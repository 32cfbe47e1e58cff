/** What npm makes of a folder, and of the file that it packed. */
import { execFile } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Packed {
  readonly tarball: string;
  readonly bytes: number;
  /** Paths within the package, sorted. */
  readonly files: readonly string[];
}

export async function pack(folder: string, destination: string): Promise<Packed> {
  mkdirSync(destination, { recursive: true });
  const { stdout } = await run("npm", ["pack", folder, "--silent"], { cwd: destination });
  const tarball = join(destination, stdout.trim());
  const listed = await run("tar", ["--list", "--gzip", "--file", tarball]);
  const files = listed.stdout.trim().split("\n").sort();
  return {
    tarball,
    bytes: statSync(tarball).size,
    files: files.map((file) => file.replace(/^package\//, "")),
  };
}

/** Into a new project, without asking the registry for anything. */
export async function installOffline(tarball: string, project: string): Promise<void> {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: project });
}
