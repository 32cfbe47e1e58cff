/** Files that are either complete, on disk and readable only by their owner, or absent. */
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
 * Does not open an existing file: closing it again would release the locks that SQLite holds on it
 * in this process.
 */
export function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}

/** Passes a temporary path beside `path`, and removes what is there in the end. */
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

/** Gives a finished file its name. After a power cut the file is complete or absent. */
export function publish(temporary: string, path: string): void {
  sync(temporary);
  try {
    // Unlike renaming, this cannot replace a file that was created in the meantime.
    linkSync(temporary, path);
  } catch {
    refuseToOverwrite(path);
    // The file system does not support links.
    renameSync(temporary, path);
  }
  sync(dirname(path));
}

export function refuseToOverwrite(path: string): void {
  if (existsSync(path)) {
    throw new Error(`${path} exists, and a backup overwrites nothing. Choose another name.`);
  }
}

/** A new name survives a power cut only once its folder is on disk too. */
function sync(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
