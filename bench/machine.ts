/** What the figures were measured on. */
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { median } from "./figures.ts";

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly kernel: string;
  readonly fileSystem: string;
  /** How long a written page takes to be on disk, the median of many. */
  readonly syncMs: number;
}

const syncs = 200;
const pageBytes = 4096;

export function describeMachine(folder: string): Machine {
  const [cpu] = cpus();
  return {
    processor: cpu?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: /^PRETTY_NAME="(.*)"$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "Linux",
    kernel: release(),
    fileSystem: fileSystemOf(folder, readFileSync("/proc/mounts", "utf8")),
    syncMs: measureSync(folder),
  };
}

export function machineText(machine: Machine): string {
  const { processor, cores, memoryGb, system, kernel, fileSystem, syncMs } = machine;
  return `${processor}, ${cores} cores, ${memoryGb} GB; ${system}, Linux ${kernel}; ${fileSystem}, fdatasync of a page ${syncMs.toFixed(3)} ms`;
}

/** The type of the mount that holds the folder: the one with the longest path above it. */
export function fileSystemOf(folder: string, mounts: string): string {
  const above = mounts
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, at = ""]) => at !== "" && `${folder}/`.startsWith(at === "/" ? at : `${at}/`))
    .sort(([, a = ""], [, b = ""]) => b.length - a.length);
  return above[0]?.[2] ?? "unknown";
}

function measureSync(folder: string): number {
  const path = join(folder, "sync");
  const file = openSync(path, "w");
  const page = Buffer.alloc(pageBytes, 1);
  const times = Array.from({ length: syncs }, () => {
    const began = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  rmSync(path);
  return median(times);
}
