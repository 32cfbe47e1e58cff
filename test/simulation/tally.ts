/** Counts what happened, keeps what must not have, and makes one number of the whole course. */
export interface Violation {
  readonly atMs: number;
  readonly rule: string;
  readonly detail: string;
}

const violationsKept = 200;

export class Tally {
  readonly #now: () => number;
  readonly #startMs: number;
  readonly counts = new Map<string, number>();
  readonly violations: Violation[] = [];
  #violationsSeen = 0;
  #hash = 0x811c9dc5;
  /** Every line of the course, where somebody wants to read it. */
  onTrace: ((line: string) => void) | undefined;

  constructor(now: () => number) {
    this.#now = now;
    this.#startMs = now();
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }

  of(what: string): number {
    return this.counts.get(what) ?? 0;
  }

  violated(rule: string, detail: string): void {
    this.#violationsSeen += 1;
    this.count(`VIOLATED: ${rule}`);
    const atMs = this.#now() - this.#startMs;
    this.trace("violated", rule, detail);
    if (this.violations.length < violationsKept) this.violations.push({ atMs, rule, detail });
  }

  get violationsSeen(): number {
    return this.#violationsSeen;
  }

  trace(...words: readonly string[]): void {
    const line = `${this.#now() - this.#startMs} ${words.join(" ")}`;
    for (let at = 0; at < line.length; at++) {
      this.#hash = Math.imul(this.#hash ^ line.charCodeAt(at), 0x01000193);
    }
    this.onTrace?.(line);
  }

  get traceHash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, "0");
  }
}
