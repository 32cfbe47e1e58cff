import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "./clock.ts";

const secretBytes = 32;

/** The secret in its own file, outside the database; created on first use. */
export function keptSecret(file: string, clock: Clock): string {
  return readSecret(file) ?? makeSecret(file, clock);
}

function readSecret(file: string): string | undefined {
  try {
    const kept = readFileSync(file, "utf8").trim();
    if (kept !== "") return kept;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
  throw new Error(`${file} is empty. Delete it and start again: a new one is created.`);
}

/** Linked into place once it is complete: of several processes that start together, one wins. */
function makeSecret(file: string, clock: Clock): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = Buffer.from(clock.random(secretBytes)).toString("base64url");
  const draft = `${file}.${Buffer.from(clock.random(8)).toString("hex")}`;
  writeFileSync(draft, `${fresh}\n`, { flag: "wx", mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
    return fresh;
  } catch (cause) {
    const made = (cause as NodeJS.ErrnoException).code === "EEXIST" ? readSecret(file) : undefined;
    if (made === undefined) throw cause;
    return made;
  } finally {
    rmSync(draft, { force: true });
  }
}
