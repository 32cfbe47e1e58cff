import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "./clock.ts";

const secretBytes = 32;

/** The secret kept in a file of its own, outside the database; made on first use. */
export function keptSecret(file: string, clock: Clock): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = Buffer.from(clock.random(secretBytes)).toString("base64url");
  try {
    // "wx" lets one of several processes that start together win; the others read what it wrote.
    writeFileSync(file, `${fresh}\n`, { flag: "wx", mode: 0o600, flush: true });
    return fresh;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
  const kept = readFileSync(file, "utf8").trim();
  if (kept === "")
    throw new Error(`${file} is empty. Delete it, and start again to have it made anew.`);
  return kept;
}
