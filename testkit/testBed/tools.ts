/** The programs that the test bed is made of, and what happens to its tests where one is not installed. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { describeUnless } from "../describeUnless.ts";

const packages = {
  pebble: "pebble",
  knotd: "knot",
  pdns_server: "pdns-server pdns-backend-bind",
  unbound: "unbound",
  openssl: "openssl",
  kdig: "knot-dnsutils",
} as const;

const needed = Object.keys(packages) as (keyof typeof packages)[];

// Debian puts servers where an ordinary user's PATH does not look.
const folders = [
  ...(process.env["PATH"] ?? "").split(delimiter),
  "/usr/local/sbin",
  "/usr/sbin",
  "/sbin",
].filter((folder) => folder !== "");

export function findTool(name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

export function toolPath(name: string): string {
  const path = findTool(name);
  if (path === undefined) throw new Error(`${name} is not installed.`);
  return path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function missingTools(): string[] {
  return needed.filter((name) => findTool(name) === undefined);
}

/** What to say of the tools that are missing: their names and how to get them. */
export function howToInstall(missing: readonly string[]): string {
  const wanted = needed.filter((name) => missing.includes(name)).map((name) => packages[name]);
  return `Not installed: ${missing.join(", ")}. apt-get install ${wanted.join(" ")}`;
}

/** `describe` for tests that start the test bed or a part of it. */
export function describeWithTestBed(name: string, body: () => void): void {
  const missing = missingTools();
  describeUnless(missing.length === 0 ? undefined : howToInstall(missing), name, body);
}
