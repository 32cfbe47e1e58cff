import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { Gathering } from "./gathering.ts";
import type { Session } from "./session.ts";

/** As many as may wait: all of them get the same answer. */
const groupMax = 10_000;

/** The pets' revision, asked of the database each time: one question for all who ask at a moment. */
export class PetRevision {
  readonly #asked: Gathering<undefined, number>;
  #last = Number.NaN;

  constructor(database: Database) {
    this.#asked = new Gathering({ groupMax }, async (questions) => {
      const [row] = await failing(database.read<[value: bigint]>(readRevision));
      if (row === undefined) throw new Error("The counters are missing from the database.");
      this.#last = Number(row[0]);
      return questions.map(() => this.#last);
    });
  }

  now(): Promise<number> {
    return this.#asked.ask(undefined);
  }

  last(): number {
    return this.#last;
  }
}

/**
 * Within the turn, so that it moves in the order of the commits. By the time of day, since a server
 * that takes over may lack the last changes: what it counts on must not meet what was known of them.
 */
export async function movePetRevision(session: Session): Promise<void> {
  const { count } = await session.query(moveRevision);
  if (count !== 1) throw new Error("The counters are missing from the database.");
}

const readRevision = "SELECT value FROM counters WHERE name = 'pet_revision'";

const moveRevision = `UPDATE counters
  SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::int8)
  WHERE name = 'pet_revision'`;
