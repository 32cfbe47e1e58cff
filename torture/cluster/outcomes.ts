/** What came of each fault, as a table. */
import type { Fault } from "./faults.ts";
import type { Outage } from "./outages.ts";

export interface Outcome extends Outage {
  readonly name: string;
  /** How long the fault itself lasted. */
  readonly lastedSeconds: number;
  readonly readSecondsMax: number;
  readonly writeSecondsMax: number;
}

export function outcomeOf(fault: Fault, lastedSeconds: number, outage: Outage): Outcome {
  const { name, readSecondsMax, writeSecondsMax } = fault;
  return {
    ...{ name, lastedSeconds, ...outage },
    readSecondsMax: readSecondsMax(lastedSeconds),
    writeSecondsMax: writeSecondsMax(lastedSeconds),
  };
}

/** What took longer than it may. */
export function tooLong(outcome: Outcome): string | undefined {
  const { name, readMs, writeMs, readSecondsMax, writeSecondsMax } = outcome;
  if (readMs <= readSecondsMax * 1_000 && writeMs <= writeSecondsMax * 1_000) return undefined;
  const seconds = (ms: number, max: number) => `${inSeconds(ms)} of at most ${max.toFixed(0)} s`;
  return `${name}: no reads for ${seconds(readMs, readSecondsMax)}, no writes for ${seconds(writeMs, writeSecondsMax)}`;
}

const inSeconds = (ms: number) => (ms / 1_000).toFixed(1);

/** The longest of each fault, in seconds. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
  const rows = [["Fault", "Times", "No reads", "At most", "No writes", "At most"]];
  for (const [name, all] of Map.groupBy(outcomes, (each) => each.name)) {
    const longest = (of: (outcome: Outcome) => number) => Math.max(...all.map(of));
    rows.push([
      ...[name, `${all.length}`],
      ...[
        inSeconds(longest((each) => each.readMs)),
        longest((each) => each.readSecondsMax).toFixed(0),
      ],
      ...[
        inSeconds(longest((each) => each.writeMs)),
        longest((each) => each.writeSecondsMax).toFixed(0),
      ],
    ]);
  }
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const aligned = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(width(column)) : cell.padStart(width(column));
  return rows.map((row) => row.map(aligned).join("  ")).join("\n");
}
