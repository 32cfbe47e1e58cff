/** Processor time and memory of a process and everything it started, as Linux counts them. */
import { readdirSync, readFileSync } from "node:fs";

/** What `getconf CLK_TCK` says on every Linux in use. */
const ticksPerSecond = 100;

export interface Usage {
  readonly cpuSeconds: number;
  readonly memoryMb: number;
}

interface ProcessLine {
  readonly pid: number;
  readonly parent: number;
  readonly cpuSeconds: number;
}

export function usageOf(pid: number): Usage {
  const lines = processLines();
  const family = new Set([pid]);
  // A child has a later line than its parent unless the numbers wrapped; once more finds it then.
  for (let pass = 0; pass < 3; pass++) {
    for (const line of lines) if (family.has(line.parent)) family.add(line.pid);
  }
  const members = lines.filter((line) => family.has(line.pid));
  return {
    cpuSeconds: members.reduce((sum, line) => sum + line.cpuSeconds, 0),
    memoryMb: members.reduce((sum, line) => sum + memoryMbOf(line.pid), 0),
  };
}

function processLines(): ProcessLine[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readIfThere(`/proc/${name}/stat`);
      // The name of the program, in brackets, may itself hold spaces and brackets.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number);
      if (parent === undefined || user === undefined || system === undefined) return [];
      return [{ pid: Number(name), parent, cpuSeconds: (user + system) / ticksPerSecond }];
    });
}

function memoryMbOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/status`))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** Empty for a process that has just ended. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
