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

/** Why the edge cannot be compared; undefined where it can. */
export function lacksForEdge(): string | undefined {
  const packages = { h2load: "nghttp2-client", caddy: "caddy", openssl: "openssl" };
  const missing = Object.entries(packages)
    .filter(([tool]) => spawnSync(tool, ["--version"]).error !== undefined)
    .map(([, name]) => name);
  if (!canRun(nginxCommand)) missing.push("nginx-light");
  return missing.length === 0 ? undefined : `Debian's ${missing.join(", ")} missing`;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
