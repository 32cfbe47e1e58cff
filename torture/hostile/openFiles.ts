/** How many files and sockets a process has open, and may have. */
import { readdirSync, readFileSync } from "node:fs";
import { pause } from "../load.ts";

export const openFilesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** What a process may raise its own limit to. */
export function openFilesMax(): number {
  const limits = readFileSync("/proc/self/limits", "utf8");
  const [, , hard = "0"] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(limits) ?? [];
  return hard === "unlimited" ? Number.POSITIVE_INFINITY : Number(hard);
}

const stepMs = 100;

/** Whether the process comes down to so many open files in time. */
export async function comesDownTo(files: number, pid: number, msMax: number): Promise<boolean> {
  const lateMs = performance.now() + msMax;
  while (openFilesOf(pid) > files) {
    if (performance.now() > lateMs) return false;
    await pause(stepMs);
  }
  return true;
}
