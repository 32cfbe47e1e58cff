import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { JsonOf } from "../../contract/document.ts";
import type { Clock } from "../../core/clock.ts";
import { Semaphore, SemaphoreFull } from "../../core/semaphore.ts";
import type { Pet } from "../../petstore/catalogue/pet.ts";
import { unavailable } from "../stores.ts";
import { connect, prepareRows, rollBack } from "./connection.ts";
import { storeErrorOf } from "./failures.ts";

/** Takes a few milliseconds, as reading so many candidates does. */
const rowsAtOnce = 20_000;
export const candidatesAtOnce = 1_000;
const waitingMax = 100;

/** Counts in the order of ids: $1 restricts the rows, $2 is the id to start after. */
export interface Counted {
  /** Selects the `id` of rows. */
  readonly rows: string;
  readonly value: SQLInputValue;
  /** Of these rows, only those for which this holds; $3 is its value. */
  readonly where?: { readonly condition: string; readonly value: SQLInputValue } | undefined;
}

/** Counts candidates, in the order of ids, of which each has to be checked. */
export interface Candidates {
  /** Selects the id and the text of rows: $1 restricts them, $2 is the id to start after, $3 a limit. */
  readonly list: string;
  readonly value: SQLInputValue;
  readonly matches: (text: JsonOf<Pet>) => boolean;
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
  count(parts: readonly Counted[]): Promise<number> {
    return this.#inSnapshot(async (db) => {
      let total = 0;
      for (const part of parts) total += await this.#countPart(db, part);
      return total;
    });
  }

  countCandidates({ list, value, matches }: Candidates): Promise<number> {
    return this.#inSnapshot(async (db) => {
      const statement = prepareRows<[id: bigint, text: JsonOf<Pet>]>(db, list);
      let total = 0;
      for (let after: bigint | undefined = 0n; after !== undefined; ) {
        const rows = statement.all(value, after, candidatesAtOnce);
        total += rows.filter(([, text]) => matches(text)).length;
        after = rows.length < candidatesAtOnce ? undefined : rows.at(-1)?.[0];
        if (after !== undefined) await this.#others();
      }
      return total;
    });
  }

  async #inSnapshot(work: (db: DatabaseSync) => Promise<number>): Promise<number> {
    try {
      return await this.#oneAtOnce.run(() => this.#connected(work));
    } catch (cause) {
      if (cause instanceof SemaphoreFull)
        throw unavailable(`${waitingMax} counts wait for another.`);
      throw storeErrorOf(cause);
    }
  }

  async #connected(work: (db: DatabaseSync) => Promise<number>): Promise<number> {
    const db = connect(this.#path);
    try {
      db.exec("BEGIN");
      return await work(db);
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
      if (after !== null) await this.#others();
    }
    return total;
  }

  /** Lets other requests be served. */
  #others(): Promise<void> {
    return new Promise((next) => this.#clock.next(next));
  }
}

export function countStep(rows: string, condition?: string): string {
  const counted = condition === undefined ? "count(*)" : `sum(${condition})`;
  return `SELECT count(*), max(id), ${counted} FROM (${rows} LIMIT ${rowsAtOnce}) AS seen`;
}
