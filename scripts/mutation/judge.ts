/** What `npm run mutation` makes of Stryker's results. */

export interface Mutant {
  /** From the root of the repository. */
  readonly file: string;
  readonly line: number;
  /** What stands in the source, and what stood there instead. */
  readonly code: string;
  readonly becomes: string;
  readonly status: string;
}

/** A mutant that no test can notice, since it behaves as the source does. */
export interface Equivalent {
  readonly file: string;
  readonly code: string;
  readonly becomes: string;
  readonly why: string;
}

export interface Row {
  readonly area: string;
  readonly mutants: number;
  readonly killed: number;
  readonly timedOut: number;
  readonly survived: number;
  readonly uncovered: number;
  readonly equivalent: number;
}

export interface Judgement {
  readonly row: Row;
  /** Those that a test should notice. */
  readonly survivors: readonly Mutant[];
  /** Entries of the list that no survivor is behind any more. */
  readonly stale: readonly Equivalent[];
}

export function judge(
  area: string,
  mutants: readonly Mutant[],
  equivalents: readonly Equivalent[],
): Judgement {
  const files = new Set(mutants.map(({ file }) => file));
  const count = (wanted: string) => mutants.filter(({ status }) => status === wanted).length;
  // A run that broke off for another reason than a test proves nothing.
  const alive = mutants.filter(({ status }) => status !== "Killed" && status !== "Timeout");
  const isOf = (mutant: Mutant) => (each: Equivalent) =>
    each.file === mutant.file && each.code === mutant.code && each.becomes === mutant.becomes;
  const survivors = alive.filter((mutant) => !equivalents.some(isOf(mutant)));
  const survived = survivors.filter(({ status }) => status !== "NoCoverage").length;
  return {
    row: {
      area,
      mutants: mutants.length,
      killed: count("Killed"),
      timedOut: count("Timeout"),
      survived,
      uncovered: survivors.length - survived,
      equivalent: alive.length - survivors.length,
    },
    survivors,
    stale: equivalents.filter(
      (each) => files.has(each.file) && !alive.some((mutant) => isOf(mutant)(each)),
    ),
  };
}

export function sumOf(rows: readonly Row[]): Row {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    area: "all",
    mutants: sum(({ mutants }) => mutants),
    killed: sum(({ killed }) => killed),
    timedOut: sum(({ timedOut }) => timedOut),
    survived: sum(({ survived }) => survived),
    uncovered: sum(({ uncovered }) => uncovered),
    equivalent: sum(({ equivalent }) => equivalent),
  };
}

/** How many of those that can be noticed are, in percent. Rounded down: 100 means all. */
export function scoreOf({ mutants, killed, timedOut, equivalent }: Row): string {
  const noticeable = mutants - equivalent;
  const share = noticeable === 0 ? 1 : (killed + timedOut) / noticeable;
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

const columns = [
  "area",
  "mutants",
  "killed",
  "timed out",
  "survived",
  "no coverage",
  "equivalent",
  "score",
];

export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.area,
    ...[row.mutants, row.killed, row.timedOut, row.survived, row.uncovered, row.equivalent].map(
      String,
    ),
    scoreOf(row),
  ]);
  const widths = columns.map((name, at) =>
    Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)),
  );
  return [columns, ...cells]
    .map((row) =>
      row
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join("  "),
    )
    .join("\n");
}
