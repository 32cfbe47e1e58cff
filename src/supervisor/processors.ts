import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The processors that this process may use: fewer than the machine has where its container is limited. */
export function processorsAvailable(limits = readLimits()): number {
  return Math.max(1, Math.min(availableParallelism(), limits ?? Number.POSITIVE_INFINITY));
}

/** `200000 100000` of cgroup v2 is two processors' time; `max` is no limit. */
export function processorsIn(cpuMax: string): number | undefined {
  const [, quota, period] = /^(\d+) (\d+)/.exec(cpuMax) ?? [];
  return quota === undefined ? undefined : Math.ceil(Number(quota) / Number(period));
}

function readLimits(): number | undefined {
  try {
    return processorsIn(readFileSync("/sys/fs/cgroup/cpu.max", "latin1"));
  } catch {
    // Not Linux, or no container.
    return undefined;
  }
}
