/** What `npm run proof` runs: suites that others wrote, each against the service as a process. */

export interface Failure {
  /** The same in each run: what knownFailures.ts lists. */
  readonly id: string;
  readonly says: string;
}

export interface Outcome {
  /** Of the tool. */
  readonly version: string;
  readonly passed: number;
  readonly failures: readonly Failure[];
}

export interface Suite {
  /** "h2spec on the edge" */
  readonly name: string;
  /** What `npm run proof -- h2spec` takes; the suite is the file of this name in suites/. */
  readonly slug: string;
  /** Whether `.ci/run` runs it, by `npm run proof -- --quick`. */
  readonly quick: boolean;
  /** Throws `Missing` if a tool cannot be had on this machine. */
  run(): Promise<Outcome>;
}

/** Progress is for people: standard output has the result alone. */
export function progress(text: string): void {
  console.error(`  ${text}`);
}
