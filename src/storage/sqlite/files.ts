/** Files that are either wholly there, on disk and for their owner's eyes only, or not at all. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../core/clock.ts";

export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) sync(dirname(first));
}

/**
 * Leaves a file that is there as it is, and does not even open it: closing it would let go of the
 * locks that SQLite has on it in this process.
 */
export function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}

/** A name beside a path, for one use: nothing is left under it, whatever happens. */
export function withTemporary<T>(path: string, clock: Clock, work: (temporary: string) => T): T {
  const temporary = `${path}.${Buffer.from(clock.random(6)).toString("hex")}.partial`;
  try {
    return work(temporary);
  } finally {
    for (const ending of ["", "-journal", "-wal", "-shm"]) {
      rmSync(`${temporary}${ending}`, { force: true });
    }
  }
}

/** Gives a finished file its name, so that a power cut leaves all of it or nothing. */
export function publish(temporary: string, path: string): void {
  sync(temporary);
  try {
    // Unlike renaming, this cannot replace a file that somebody made meanwhile.
    linkSync(temporary, path);
  } catch {
    refuseToOverwrite(path);
    // The file system has no links.
    renameSync(temporary, path);
  }
  sync(dirname(path));
}

export function refuseToOverwrite(path: string): void {
  if (existsSync(path)) {
    throw new Error(`${path} exists, and a backup overwrites nothing. Choose another name.`);
  }
}

/** Until its folder is on disk too, a power cut can take back a new name. */
function sync(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
