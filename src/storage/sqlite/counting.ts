import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Clock } from "../../core/clock.ts";
import { Semaphore, SemaphoreFull } from "../../core/semaphore.ts";
import { unavailable } from "../stores.ts";
import { connect, prepareRows, rollBack } from "./connection.ts";
import { storeErrorOf } from "./failures.ts";

/** Takes a few milliseconds. */
const rowsAtOnce = 20_000;
const waitingMax = 100;

/** Counts in the order of ids: $1 restricts the rows, $2 is the id to start after. */
export interface Counted {
  /** Selects the `id` of rows. */
  readonly rows: string;
  readonly value: SQLInputValue;
  /** Of these rows, only those for which this holds; $3 is its value. */
  readonly where?: { readonly condition: string; readonly value: SQLInputValue } | undefined;
}

type CountRow = [seen: bigint, last: bigint | null, counted: bigint | null];

/**
 * Counts rows in a snapshot, on a connection of its own and a step at a time, so that other requests
 * are served in between.
 */
export class StepwiseCounter {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #oneAtOnce = new Semaphore(1, waitingMax);

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** The sum over all of them. */
  async count(parts: readonly Counted[]): Promise<number> {
    try {
      return await this.#oneAtOnce.run(() => this.#inSnapshot(parts));
    } catch (cause) {
      if (cause instanceof SemaphoreFull)
        throw unavailable(`${waitingMax} counts wait for another.`);
      throw storeErrorOf(cause);
    }
  }

  async #inSnapshot(parts: readonly Counted[]): Promise<number> {
    const db = connect(this.#path);
    try {
      db.exec("BEGIN");
      let total = 0;
      for (const part of parts) total += await this.#countPart(db, part);
      return total;
    } finally {
      rollBack(db);
      db.close();
    }
  }

  async #countPart(db: DatabaseSync, { rows, value, where }: Counted): Promise<number> {
    const statement = prepareRows<CountRow>(db, countStep(rows, where?.condition));
    let total = 0;
    let after: CountRow[1] = 0n;
    const restriction = where === undefined ? [] : [where.value];
    while (after !== null) {
      const [seen, last, counted] = statement.get(value, after, ...restriction) as CountRow;
      total += Number(counted ?? 0n);
      after = seen < rowsAtOnce ? null : last;
      if (after !== null) await new Promise<void>((next) => this.#clock.next(next));
    }
    return total;
  }
}

export function countStep(rows: string, condition?: string): string {
  const counted = condition === undefined ? "count(*)" : `sum(${condition})`;
  return `SELECT count(*), max(id), ${counted} FROM (${rows} LIMIT ${rowsAtOnce}) AS seen`;
}
