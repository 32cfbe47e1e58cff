/** Counts injected faults, judgements and violations. */

export interface Counts {
  /** By kind: `SIGKILL`, `sync dropped`. */
  readonly faults: Readonly<Record<string, number>>;
  /** The number of responses and rows that were compared with what is expected. */
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

  /** Counts one judgement; if it does not hold, records the violation. */
  judge(holds: boolean, violation: () => string): void {
    this.judged++;
    if (!holds) this.violations.push(violation());
  }
}
