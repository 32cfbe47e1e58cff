/** The files of a folder that is to be published. Nothing outside of it is ever read. */
import { type BigIntStats, constants } from "node:fs";
import { lstat, open, readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { SourceFile } from "../hosting/sites/fileUploader.ts";
import {
  fileSizeError,
  isPrivateName,
  normalizePath,
  pathError,
  siteFilesMax,
  sizeError,
} from "../hosting/sites/siteFile.ts";
import { CommandFailure } from "./context.ts";
import { explainSystem } from "./systemErrors.ts";

export interface SiteFolder {
  /** In the order of their paths. */
  readonly files: readonly SourceFile[];
  readonly bytes: number;
  /** Names that begin with a dot, which nobody means to publish. */
  readonly leftOut: readonly string[];
}

/** Folders too are counted: links among them could go on for long without a file. */
const foldersMax = siteFilesMax;

export async function openSiteFolder(folder: string): Promise<SiteFolder> {
  const cannot = explainSystem(`Cannot read ${folder}`, "Check <folder>.");
  const root = await realpath(folder).catch(cannot);
  if (!(await stat(root)).isDirectory()) {
    throw new CommandFailure(`${folder} is not a folder. Name the folder that holds the site.`);
  }
  const walk = new Walk(root);
  await walk.enter(root, "", []).catch(cannot);
  const { files, leftOut } = walk;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const complaint = sizeError(files.length, bytes);
  if (complaint !== undefined) throw new CommandFailure(`${folder} ${complaint}.`);
  return { files, bytes, leftOut };
}

class Walk {
  readonly files: SourceFile[] = [];
  readonly leftOut: string[] = [];
  readonly #root: string;
  #folders = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** `within` are the folders that lead here, without links. */
  async enter(folder: string, path: string, within: readonly string[]): Promise<void> {
    if (within.includes(folder)) throw refused(path, "its links go round in circles");
    if (++this.#folders > foldersMax) throw refused(path, `there are over ${foldersMax} folders`);
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const at = path === "" ? entry.name : `${path}/${entry.name}`;
      if (isPrivateName(entry.name)) this.leftOut.push(at);
      else await this.#take(join(folder, entry.name), at, [...within, folder]);
    }
  }

  async #take(place: string, path: string, within: readonly string[]): Promise<void> {
    const real = await realpath(place).catch(() => {
      throw refused(path, "it is a link that leads nowhere");
    });
    if (!isWithin(this.#root, real)) throw refused(path, "it is a link that leaves the folder");
    const found = await lstat(real, { bigint: true });
    if (found.isDirectory()) return this.enter(real, path, within);
    if (!found.isFile()) throw refused(path, "it is neither a file nor a folder");
    this.files.push(sourceOf(real, path, found));
    if (this.files.length > siteFilesMax) {
      throw new CommandFailure(`There are more than ${siteFilesMax} files. ${nothingDone}`);
    }
  }
}

function sourceOf(real: string, path: string, found: BigIntStats): SourceFile {
  const bytes = Number(found.size);
  const complaint = pathError(path) ?? fileSizeError(bytes);
  if (complaint !== undefined) throw refused(path, `it ${complaint}`);
  return { path: normalizePath(path), bytes, read: () => readSame(real, path, found) };
}

/** Reads the very file that was found, and all of it: another may have taken its place. */
async function readSame(real: string, path: string, found: BigIntStats): Promise<Uint8Array> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(changed(path));
  try {
    const opened = await handle.stat({ bigint: true });
    if (!isSame(opened, found) || (await realpath(real)) !== real) changed(path)();
    // One byte more, so that a file that grows is noticed.
    const content = new Uint8Array(Number(found.size) + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(content, length, content.byteLength - length);
      length += bytesRead;
      if (bytesRead === 0 || length === content.byteLength) break;
    }
    if (length !== Number(found.size)) changed(path)();
    return content.slice(0, length);
  } finally {
    await handle.close();
  }
}

/** A number of a file is soon given to another, so the instant of the last change counts too. */
function isSame(one: BigIntStats, other: BigIntStats): boolean {
  const facts = ["dev", "ino", "size", "ctimeNs"] as const;
  return facts.every((fact) => one[fact] === other[fact]);
}

function changed(path: string) {
  return (): never => {
    throw refused(path, "it was changed meanwhile");
  };
}

function isWithin(root: string, place: string): boolean {
  const way = relative(root, place);
  return way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep);
}

const nothingDone = "Nothing was published.";

function refused(path: string, why: string): CommandFailure {
  const shown = /^[\p{L}\p{N}\p{P}\p{S} ]*$/u.test(path) ? path : JSON.stringify(path);
  return new CommandFailure(`${shown} cannot be published: ${why}. ${nothingDone}`);
}
