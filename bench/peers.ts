/** The programs that npm brings for the comparison, apart from what the service itself needs. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { say } from "./say.ts";

export const peersFolder = fileURLToPath(new URL("peers", import.meta.url));
const modules = join(peersFolder, "node_modules");

/** The Node that npm brought, whatever Node the machine has. */
export const peerNode = join(modules, "node", "bin", "node");

/** Where a package of theirs lies. */
export const peerModule = (...path: readonly string[]) => join(modules, ...path);

export function versionOfPeer(name: string): string {
  const text = readFileSync(join(modules, name, "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Installs them as the lock file says, unless that has been done. */
export function installPeers(): void {
  const installed = join(modules, ".package-lock.json");
  const lock = join(peersFolder, "package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  say("installing the peers, once");
  const args = ["ci", "--prefix", peersFolder, "--no-audit", "--no-fund"];
  const { status, stderr } = spawnSync("npm", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`npm could not install what is in ${peersFolder}: ${stderr}`);
}
