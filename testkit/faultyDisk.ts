/** A disk and a calendar that can be made faulty under a running process. */
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("./faultyDisk.c", import.meta.url));
let built: string | undefined;

/** The shared object for LD_PRELOAD, made when it is first asked for; undefined without a compiler. */
export function buildFaultyDisk(): string | undefined {
  if (built !== undefined) return built;
  if (process.platform !== "linux") return undefined;
  const name = hash("sha256", readFileSync(source), "hex").slice(0, 16);
  const folder = join(tmpdir(), `petstore-faulty-disk-${process.getuid?.() ?? 0}`);
  const made = join(folder, `${name}.so`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(folder).uid !== process.getuid?.()) throw new Error(`${folder} is another's.`);
  if (!existsSync(made)) {
    // Two that start at once must not see each other's half.
    const half = `${made}.${process.pid}`;
    const options = ["-O2", "-fPIC", "-shared", "-o", half, source, "-ldl", "-lpthread"];
    if (spawnSync("cc", options, { stdio: "ignore" }).status !== 0) return undefined;
    renameSync(half, made);
  }
  built = made;
  return built;
}

/** Why there can be no faulty disk here; undefined where there can. */
export function lacksFaultyDisk(): string | undefined {
  return buildFaultyDisk() === undefined ? "it needs Linux and a C compiler, as cc" : undefined;
}

export interface FaultyDiskOptions {
  /** Where the disk is faulty. It must be there before the process starts. */
  readonly folder: string;
  /** A file outside the folder, through which faults are set; made here. */
  readonly control: string;
  /** A file outside the folder that takes every write and sync, in their order. */
  readonly journal?: string;
}

/** The variables that put a process on the faulty disk. There are no faults at first. */
export function faultyDisk({ folder, control, journal }: FaultyDiskOptions) {
  const library = buildFaultyDisk();
  if (library === undefined) throw new Error(lacksFaultyDisk());
  writeFileSync(control, new Uint8Array(fields.length * 8));
  setFaults(control, noFaults);
  const variables: Record<string, string> = {
    LD_PRELOAD: library,
    FAULTYDISK_FOLDER: realpathSync(folder),
    FAULTYDISK_CONTROL: control,
  };
  if (journal !== undefined) variables["FAULTYDISK_JOURNAL"] = journal;
  return variables;
}

export interface Faults {
  /** No file may grow any more. What it already has can be overwritten, as on a real disk. */
  readonly full?: boolean;
  /** By how many bytes files may still grow; the write that goes beyond is cut short. */
  readonly roomBytes?: number;
  readonly readOnly?: boolean;
  /** What every sync takes longer. */
  readonly syncDelayMs?: number;
  /** Every sync fails with EIO. */
  readonly syncFails?: boolean;
  /** How far the calendar is from the machine's. */
  readonly clockOffsetMs?: number;
}

export const noFaults: Faults = {
  full: false,
  readOnly: false,
  syncDelayMs: 0,
  syncFails: false,
  clockOffsetMs: 0,
};

/** Each eight bytes, in the order in which faultyDisk.c has them. */
const fields = [
  "roomBytes",
  "readOnly",
  "syncDelayUs",
  "clockOffsetMs",
  "syncFails",
  "writes",
  "syncs",
  "refused",
] as const;
type Field = (typeof fields)[number];

/** Changes what is given and leaves the rest as it is, at once. */
export function setFaults(control: string, faults: Faults): void {
  const values: [Field, number | undefined][] = [
    [
      "roomBytes",
      faults.roomBytes ?? (faults.full === undefined ? undefined : faults.full ? 0 : -1),
    ],
    ["readOnly", faults.readOnly === undefined ? undefined : Number(faults.readOnly)],
    ["syncDelayUs", faults.syncDelayMs === undefined ? undefined : faults.syncDelayMs * 1_000],
    ["clockOffsetMs", faults.clockOffsetMs],
    ["syncFails", faults.syncFails === undefined ? undefined : Number(faults.syncFails)],
  ];
  const fd = openSync(control, "r+");
  try {
    for (const [field, value] of values) {
      if (value === undefined) continue;
      const bytes = new BigInt64Array([BigInt(Math.round(value))]);
      writeSync(fd, bytes, 0, 8, fields.indexOf(field) * 8);
    }
  } finally {
    closeSync(fd);
  }
}

export interface DiskCounts {
  readonly writes: number;
  readonly syncs: number;
  /** Writes, syncs and openings that failed because of a fault, or were cut short. */
  readonly refused: number;
}

export function diskCounts(control: string): DiskCounts {
  const values = new BigInt64Array(new Uint8Array(readFileSync(control)).buffer);
  const count = (field: Field) => Number(values[fields.indexOf(field)]);
  return { writes: count("writes"), syncs: count("syncs"), refused: count("refused") };
}
