/** What a disk holds after its power was cut: all that was synced, and some of the rest. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import type { DiskRecord } from "./journal.ts";

/** The files by their paths below the folder. */
export type DiskImage = ReadonlyMap<string, Uint8Array>;

export interface PowerCut {
  readonly before: DiskImage;
  readonly records: readonly DiskRecord[];
  readonly random: SeededRandom;
  /** A disk that lies forgets what it said was synced. */
  readonly lies?: boolean;
}

export interface AfterPowerCut {
  readonly image: DiskImage;
  readonly dropped: number;
  readonly torn: number;
}

/** A disk writes one whole or not at all. */
const sectorBytes = 512;

/** Only memory that processes share: it does not outlive them. */
const isMemory = (path: string) => path.endsWith("-shm");

interface DiskFile {
  bytes: Uint8Array;
  /** Writes that have not been synced yet. */
  pending: DiskRecord[];
}

export function cutPower({ before, records, random, lies }: PowerCut): AfterPowerCut {
  const names = new Names(before);
  for (const record of records) {
    if (isMemory(record.path)) continue;
    if (record.kind === "sync") {
      if (!lies) names.sync(record);
    } else if (record.kind === "sync folder") {
      if (!lies) names.syncFolder(record.path);
    } else {
      names.take(record);
    }
  }
  const image = new Map<string, Uint8Array>();
  const counts = { dropped: 0, torn: 0 };
  for (const [path, file] of names.survivors(random)) {
    surviving(file, random, counts);
    image.set(path, file.bytes);
  }
  return { image, ...counts };
}

/** All that was done, synced or not: what the files hold as long as there is power. */
export function withoutPowerCut(before: DiskImage, records: readonly DiskRecord[]): DiskImage {
  const names = new Names(before);
  for (const record of records) {
    if (!isMemory(record.path) && !record.kind.startsWith("sync")) names.take(record);
  }
  for (const file of names.now.values()) keepUpTo(file, Number.POSITIVE_INFINITY);
  return new Map([...names.now].map(([path, { bytes }]) => [path, bytes]));
}

/** Which file a name stands for, now and after a power cut. */
class Names {
  readonly now = new Map<string, DiskFile>();
  readonly #kept = new Map<string, DiskFile>();

  constructor(before: DiskImage) {
    for (const [path, bytes] of before) {
      if (isMemory(path)) continue;
      this.now.set(path, { bytes: Uint8Array.from(bytes), pending: [] });
    }
    for (const [path, file] of this.now) this.#kept.set(path, file);
  }

  take(record: DiskRecord): void {
    const { kind, path } = record;
    const file = this.now.get(path);
    if (kind === "create") this.now.set(path, { bytes: new Uint8Array(), pending: [] });
    else if (kind === "unlink") this.now.delete(path);
    else if (kind === "rename" && file !== undefined) {
      this.now.delete(path);
      this.now.set(new TextDecoder().decode(record.data), file);
    } else file?.pending.push(record);
  }

  /** What began before the sync did is on disk after it, and the name of the file with it. */
  sync({ path, offset }: DiskRecord): void {
    const file = this.now.get(path);
    if (file === undefined) return;
    keepUpTo(file, offset);
    this.#kept.set(path, file);
  }

  syncFolder(folder: string): void {
    for (const path of new Set([...this.now.keys(), ...this.#kept.keys()])) {
      if (folderOf(path) === folder) settle(this.#kept, path, this.now.get(path));
    }
  }

  /** A name that was made or removed and not synced is there or not, as it happens. */
  survivors(random: SeededRandom): Map<string, DiskFile> {
    const all = new Map(this.#kept);
    for (const path of new Set([...this.now.keys(), ...this.#kept.keys()])) {
      if (random.happens(0.5)) settle(all, path, this.now.get(path));
    }
    return all;
  }
}

const folderOf = (path: string) => (path.includes("/") ? dirname(path) : "");

function settle(names: Map<string, DiskFile>, path: string, file: DiskFile | undefined): void {
  if (file === undefined) names.delete(path);
  else names.set(path, file);
}

function keepUpTo(file: DiskFile, position: number): void {
  const later = file.pending.findIndex(({ endsAt }) => endsAt > position);
  const due = later < 0 ? file.pending : file.pending.slice(0, later);
  for (const record of due) apply(file, record);
  file.pending = later < 0 ? [] : file.pending.slice(later);
}

function apply(file: DiskFile, { kind, offset, data }: DiskRecord): void {
  if (kind === "truncate") file.bytes = resized(file.bytes, offset);
  else overwrite(file, offset, data);
}

function overwrite(file: DiskFile, offset: number, data: Uint8Array): void {
  const end = offset + data.byteLength;
  if (end > file.bytes.byteLength) file.bytes = resized(file.bytes, end);
  file.bytes.set(data, offset);
}

/** Grows in place where it can: a file grows by many small writes. */
function resized(bytes: Uint8Array, size: number): Uint8Array {
  if (size <= bytes.byteLength) return bytes.slice(0, size);
  const buffer = bytes.buffer as ArrayBuffer;
  if (bytes.byteOffset === 0 && size <= buffer.byteLength) {
    const grown = new Uint8Array(buffer, 0, size);
    grown.fill(0, bytes.byteLength);
    return grown;
  }
  const grown = new Uint8Array(new ArrayBuffer(Math.max(size, buffer.byteLength * 2)), 0, size);
  grown.set(bytes);
  return grown;
}

interface DropCounts {
  dropped: number;
  torn: number;
}

/** Nothing of what is pending, all of it, what came first, or whatever the disk had got to. */
function surviving(file: DiskFile, random: SeededRandom, counts: DropCounts): void {
  const { pending } = file;
  const way = random.oneOf(["nothing", "all", "first", "any", "any"] as const);
  const last = way === "first" ? random.between(0, pending.length + 1) : pending.length;
  for (const [index, record] of pending.entries()) {
    const chosen = way === "any" ? random.happens(0.5) : way !== "nothing" && index < last;
    const cut = way !== "all" && (way === "any" ? random.happens(0.3) : index === last);
    if (chosen && !cut) apply(file, record);
    else if (cut && record.kind === "write") tear(file, record, random, counts);
    else drop(file, record, random, counts);
  }
}

/** Some sectors of a write reach the disk. */
function tear(file: DiskFile, record: DiskRecord, random: SeededRandom, counts: DropCounts): void {
  const { offset, data } = record;
  counts.torn++;
  for (let at = 0; at < data.byteLength; ) {
    const next = Math.min(data.byteLength, at + sectorBytes - ((offset + at) % sectorBytes));
    if (random.happens(0.5)) overwrite(file, offset + at, data.subarray(at, next));
    at = next;
  }
}

/** The size of a file may reach the disk before its bytes do. */
function drop(file: DiskFile, record: DiskRecord, random: SeededRandom, counts: DropCounts): void {
  counts.dropped++;
  const growth = record.offset + record.data.byteLength - file.bytes.byteLength;
  if (record.kind !== "write" || growth <= 0 || !random.happens(0.2)) return;
  const filling = random.happens(0.5) ? new Uint8Array(growth) : random.bytes(growth);
  overwrite(file, file.bytes.byteLength, filling);
}

export function readImage(folder: string): DiskImage {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), new Uint8Array(readFileSync(path))]),
  );
}

/** Puts the files of the image into the folder, and nothing else. */
export function writeImage(folder: string, image: DiskImage): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [path, bytes] of image) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, { mode: 0o600 });
  }
}
