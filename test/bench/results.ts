/** Made-up results, for the tests of what is done with them. */
import { readOptions } from "../../bench/options.ts";
import type { PartResult, Results } from "../../bench/results.ts";
import type { Figures } from "../../bench/rounds.ts";
import type { WorkName } from "../../bench/works.ts";

/** One round, with these requests per second. */
export type Rates = Partial<Record<WorkName, Readonly<Record<string, number>>>>;

export function resultsWith(
  rates: Rates,
  changes: { readonly faults?: number; readonly parts?: readonly PartResult[] } = {},
): Results {
  const figures = Object.entries(rates).flatMap(([work, byContestant]) =>
    Object.entries(byContestant).map(
      ([contestant, requestsPerSecond]): Figures => ({
        work: work as WorkName,
        contestant,
        round: 1,
        requests: requestsPerSecond,
        requestsPerSecond,
        p50Ms: 1,
        p99Ms: 2,
        faults: contestant === "ours" ? (changes.faults ?? 0) : 0,
        cpuUsPerRequest: 20,
        memoryMb: 100,
      }),
    ),
  );
  const names = [...new Set(figures.map(({ contestant }) => contestant))];
  return {
    startedAt: "2026-02-03T04:05:06.000Z",
    command: "npm run bench -- --short",
    options: readOptions(["--short"]),
    machine: {
      processor: 'A "fast" <processor> & more',
      cores: 2,
      memoryGb: 8,
      system: "Linux",
      kernel: "6.1",
      fileSystem: "ext4",
      syncMs: 0.1,
    },
    contestants: names.map((name) => ({ name, title: name, version: "1", leavesOut: [] })),
    figures,
    parts: changes.parts ?? [],
  };
}
