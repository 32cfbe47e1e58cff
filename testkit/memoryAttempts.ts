import { attemptsMax, type CaAttempt } from "../src/hosting/domains/domains.ts";

interface Recorded {
  readonly attempt: CaAttempt;
  readonly ordinal: number;
}

/** The attempts that count against the limits of an authority, in memory. */
export class MemoryAttempts {
  /** By host and by what was registered. */
  readonly #byName = new Map<string, Recorded[]>();
  #lastOrdinal = 0;

  keep(attempt: CaAttempt): void {
    const recorded = { attempt, ordinal: ++this.#lastOrdinal };
    for (const name of new Set([attempt.registrable, attempt.host])) {
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), recorded]);
    }
  }

  since(of: { host: string; registrable: string }, sinceMs: number): readonly CaAttempt[] {
    const found = [of.host, of.registrable].flatMap((name) => this.#byName.get(name) ?? []);
    return [...new Set(found)]
      .filter(({ attempt }) => attempt.host === of.host || attempt.registrable === of.registrable)
      .filter(({ attempt }) => attempt.atMs >= sinceMs)
      .toSorted(
        (one, other) => one.attempt.atMs - other.attempt.atMs || one.ordinal - other.ordinal,
      )
      .slice(-attemptsMax)
      .map(({ attempt }) => attempt);
  }

  removeBefore(beforeMs: number): void {
    for (const [name, recorded] of this.#byName) {
      this.#byName.set(
        name,
        recorded.filter(({ attempt }) => attempt.atMs >= beforeMs),
      );
    }
  }
}
