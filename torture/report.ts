/** The report of a run. */
import type { Options } from "./options.ts";
import type { Tally } from "./tally.ts";

export interface Outcome {
  readonly name: string;
  readonly tally: Tally;
  /** What the machine lacks to run it. */
  readonly leftOut: string | undefined;
  readonly tookMs: number;
  /** Whether it was still running at the end of its time and overtime. */
  readonly goesOn: boolean;
}

const faultsOf = ({ faults }: Tally) =>
  Object.values(faults).reduce((sum, times) => sum + times, 0);

export function scenarioLine({ name, tally, leftOut, tookMs }: Outcome): string {
  if (leftOut !== undefined) return `${name} left out: ${leftOut}`;
  const faults = Object.entries(tally.faults).map(([what, times]) => `${times} × ${what}`);
  const seconds = Math.round(tookMs / 1_000);
  return `${name} (${seconds} s): ${faults.join(", ") || "no faults"}; ${tally.judged} judged, ${tally.violations.length} violations`;
}

const violationsListedMax = 100;

export function outcomeJson({ name, tally, leftOut, tookMs }: Outcome) {
  const { faults, judged, violations } = tally;
  return {
    name,
    leftOut: leftOut ?? null,
    seconds: Math.round(tookMs / 1_000),
    faults,
    judged,
    violations: violations.length,
    firstViolations: violations.slice(0, violationsListedMax),
  };
}

export function summaryText(outcomes: readonly Outcome[]): string {
  const rows = [
    ["Scenario", "Faults", "Judged", "Violations"],
    ...outcomes.map(({ name, tally, leftOut }) =>
      leftOut === undefined
        ? [name, `${faultsOf(tally)}`, `${tally.judged}`, `${tally.violations.length}`]
        : [name, "left out", "", ""],
    ),
    ["All", ...sums(outcomes)],
  ];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) => alignedRow(row, widths)).join("\n");
}

function sums(outcomes: readonly Outcome[]): string[] {
  const tallies = outcomes.map(({ tally }) => tally);
  const sum = (count: (tally: Tally) => number) =>
    `${tallies.reduce((total, tally) => total + count(tally), 0)}`;
  return [sum(faultsOf), sum(({ judged }) => judged), sum(({ violations }) => violations.length)];
}

function alignedRow([name = "", ...counts]: readonly string[], widths: readonly number[]): string {
  const aligned = counts.map((count, column) => count.padStart(widths[column + 1] ?? 0));
  return [name.padEnd(widths[0] ?? 0), ...aligned].join("  ");
}

/** Gives each of those that failed as long as it had. */
export function replayCommand(
  { seed, secondsEach, program }: Options,
  failed: readonly Outcome[],
): string {
  const minutes = Math.ceil(((secondsEach * failed.length) / 60) * 1_000) / 1_000;
  const only = failed.map(({ name }) => name).join(",");
  const of = program === undefined ? "" : ` --program ${program}`;
  return `npm run torture -- --seed ${seed} --minutes ${minutes} --only ${only}${of}`;
}
