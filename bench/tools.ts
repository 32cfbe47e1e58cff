/** What the run needs of the machine and npm does not bring. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { nginxCommand } from "./contestants/nginx.ts";
import type { Options } from "./options.ts";

/** One sentence for each that is missing. */
export function missingTools({ contestants, parts }: Options): string[] {
  const missing: string[] = [];
  const say = (tool: string, what: string) =>
    missing.push(`${tool} is missing, which ${what}. On Debian: apt-get install ${tool}`);
  if (spawnSync("wrk", ["--version"]).error !== undefined) say("wrk", "makes the load");
  const wantsNginx = contestants.includes("nginx") || parts.includes("logging");
  if (wantsNginx && !canRun(nginxCommand)) {
    say("nginx-light", "ours is compared with");
  }
  return missing;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
