/** Reading and writing the files that a person names, and what to say when that fails. */
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { randomText } from "../petstore/keys/token.ts";
import { CommandFailure, explainSystem } from "./errors.ts";

export interface InputFile {
  readonly bytes: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

const readBytes = 256 * 1024;

export async function openInput(file: string): Promise<InputFile> {
  const cannot = explainSystem(`Cannot read ${file}`, "Check <file>.");
  const handle = await open(file, "r").catch(cannot);
  const { size } = await handle.stat();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* handle.createReadStream({ highWaterMark: readBytes });
    } catch (cause) {
      cannot(cause);
    }
  }
  return { bytes: size, chunks: chunks() };
}

/** A file that appears under its name only when it is complete and on disk. */
export interface NewFile {
  write(text: string): Promise<void>;
  /** Puts it in its place. */
  keep(): Promise<void>;
  /** Leaves nothing behind. */
  drop(): Promise<void>;
}

export async function createFile(
  file: string,
  overwrite: boolean,
  clock: Clock,
  mode = 0o666,
): Promise<NewFile> {
  await refuseTaken(file, overwrite);
  // Replaces what a link points to rather than the link.
  const target = await realpath(file).catch(() => file);
  const folder = dirname(target);
  const partial = join(folder, `.petstore-${randomText(12, clock)}.part`);
  const cannot = explainSystem(`Cannot write ${file}`, "Name another file.");
  const handle = await open(partial, "wx", mode).catch(cannot);
  return {
    write: (text) => handle.appendFile(text).catch(cannot),
    async keep() {
      await handle.sync().catch(cannot);
      await handle.close();
      // Checked again: the name may have been taken during a long export.
      await refuseTaken(file, overwrite);
      await rename(partial, target).catch(cannot);
      await syncFolder(folder);
    },
    async drop() {
      await handle.close().catch(() => {});
      await rm(partial, { force: true });
    },
  };
}

async function refuseTaken(file: string, overwrite: boolean): Promise<void> {
  const present = await stat(file).catch(() => undefined);
  if (present === undefined) return;
  // Renaming over a device would replace the device.
  if (!present.isFile())
    throw new CommandFailure(`${file} is there and is not a plain file. Name another file.`);
  if (!overwrite) {
    throw new CommandFailure(`${file} is there already. Name another file, or add --force.`);
  }
}

/** The new name is on disk only when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  // Some file systems cannot sync a folder; the file itself is safe all the same.
  await handle.sync().catch(() => {});
  await handle.close();
}
