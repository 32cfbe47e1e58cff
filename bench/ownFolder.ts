import { lstatSync, mkdirSync } from "node:fs";

/**
 * Makes a folder that nobody else can put anything into, or looks whether the one that is there is
 * such a folder: in a folder for temporary files, anybody can have made it first.
 */
export function makeOwnFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  const refuse = (why: string): never => {
    throw new Error(`${path} ${why}. Remove it, or set XDG_CACHE_HOME to a folder of your own.`);
  };
  if (!found.isDirectory()) refuse("is not a folder");
  if (found.uid !== process.getuid?.()) refuse("belongs to another user");
  if ((found.mode & 0o022) !== 0) refuse("can be written to by others");
}
