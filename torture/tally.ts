/** Counts what was done to the service and what was seen of it. */

export interface Counts {
  /** By what was done: `SIGKILL`, `sync dropped`. */
  readonly faults: Readonly<Record<string, number>>;
  /** Answers and rows that were compared with what must be. */
  readonly judged: number;
  readonly violations: readonly string[];
}

export class Tally implements Counts {
  readonly faults: Record<string, number> = {};
  readonly violations: string[] = [];
  judged = 0;

  fault(what: string, times = 1): void {
    this.faults[what] = (this.faults[what] ?? 0) + times;
  }

  /** Counts one judgement; without `holds`, it is a violation that is told as it is given here. */
  judge(holds: boolean, violation: () => string): void {
    this.judged++;
    if (!holds) this.violations.push(violation());
  }
}
