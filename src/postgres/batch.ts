import { idGivenMax } from "../catalogue/catalogue.ts";
import { petText } from "../catalogue/pet.ts";
import { systemClock } from "../clock.ts";
import type { CommitReport } from "../stores.ts";
import { commands, type Write } from "./commands.ts";
import type { Database } from "./database.ts";
import { isUnavailable } from "./failures.ts";
import { Forgetting } from "./forgetting.ts";
import type { Addition } from "./petCommands.ts";
import { PetRevisionWriter } from "./petRevision.ts";
import { readWanted } from "./reading.ts";
import { int8s } from "./session.ts";
import { lastIdsOf, takeTurn } from "./turn.ts";
import { Wanted, WorkingSet } from "./workingSet.ts";
import { writeGathered } from "./writing.ts";

export type Outcome =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "failure"; readonly cause: unknown };

/** Carries out writes in as few transactions as can be: one, unless a write fails. */
export class BatchRunner {
  readonly #database: Database;
  readonly #onCommit: (report: CommitReport) => void;
  readonly #forgetting: Forgetting;
  readonly #petRevision = new PetRevisionWriter();

  constructor(database: Database, onCommit: (report: CommitReport) => void) {
    this.#database = database;
    this.#onCommit = onCommit;
    this.#forgetting = new Forgetting(database);
  }

  /** One outcome for each write, in their order. */
  async run(writes: readonly Write[]): Promise<readonly Outcome[]> {
    const startedMs = systemClock.elapsed();
    try {
      const results = (await this.#addPlainly(writes)) ?? (await this.#transact(writes));
      const durationMs = systemClock.elapsed() - startedMs;
      this.#onCommit({ writes: writes.length, durationMs });
      return results.map((result) => ({ kind: "result", result }));
    } catch (cause) {
      // Where the database is away, every write would fail alike, each after as long a wait.
      if (writes.length > 1 && !isUnavailable(cause)) return this.#runOneByOne(writes);
      return writes.map(() => ({ kind: "failure", cause }));
    }
  }

  /** So that only the write that cannot be carried out fails. */
  async #runOneByOne(writes: readonly Write[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    let hopeless: Outcome | undefined;
    for (const write of writes) {
      const [outcome] = hopeless ? [hopeless] : await this.run([write]);
      if (outcome === undefined) continue;
      outcomes.push(outcome);
      // What the store cannot do now it cannot do for the next one either.
      if (outcome.kind === "failure" && isUnavailable(outcome.cause)) hopeless = outcome;
    }
    return outcomes;
  }

  /**
   * Pets on no terms need nothing to be read, so that all of it is one statement, whose turn ends
   * where it ends. Undefined where something else is among them, or their ids get near imported ones.
   */
  async #addPlainly(writes: readonly Write[]): Promise<unknown[] | undefined> {
    if (!writes.every(isPlainAddition)) return undefined;
    const pets = writes.map(({ argument }) => (argument as Addition).pet);
    const ends = pets.map((pet) => petText({ id: 0n, ...pet }).slice('{"id":0'.length));
    const { rows } = await this.#database.write<[last: bigint]>(addPets, [
      pets.length,
      idGivenMax,
      pets.map(({ name }) => name),
      int8s(pets.map(({ categoryId }) => categoryId)),
      pets.map(({ status }) => status),
      ends,
    ]);
    const [row] = rows;
    if (row === undefined) return undefined;
    const before = row[0] - BigInt(pets.length);
    return ends.map((end, index) => {
      const id = before + BigInt(index + 1);
      return { kind: "done", id, text: `{"id":${id}${end}` };
    });
  }

  async #transact(writes: readonly Write[]): Promise<unknown[]> {
    const { results, set } = await this.#database.transact(takeTurn, async (session, begun) => {
      const before = lastIdsOf(begun);
      const set = new WorkingSet(before.lastPetId, before.lastOrderId);
      const wanted = new Wanted();
      for (const { name, argument } of writes) commands[name].wants(argument as never, wanted);
      await readWanted(session, wanted, set);
      const results = writes.map(({ name, argument }) =>
        commands[name].decide(argument as never, set),
      );
      await writeGathered(session, set, before);
      if (set.imported) await this.#petRevision.move(session, undefined);
      else if (set.changedPets.size > 0)
        await this.#petRevision.move(session, [...set.changedPets]);
      return { results, set };
    });
    if (set.keptMarks.size > 0) this.#forgetting.kept(set.keptMarks.size, set.marksNowMs);
    return results;
  }
}

function isPlainAddition({ name, argument }: Write): boolean {
  if (name !== "addPet") return false;
  const { once, knownCategoryOnly } = (argument as Addition).terms;
  return once === undefined && !knownCategoryOnly;
}

const addPets = `WITH turn AS (
    UPDATE counters SET value = value + $1::int8
    WHERE name = 'last_pet_id' AND value <= $2::int8 - $1::int8 RETURNING value),
  added AS (
    INSERT INTO pets (id, name, category_id, status, json)
    SELECT value - $1::int8 + place, name, category_id, status,
      '{"id":' || (value - $1::int8 + place)::text || ending
    FROM turn CROSS JOIN unnest($3::text[], $4::int8[], $5::text[], $6::text[])
      WITH ORDINALITY AS new (name, category_id, status, ending, place)
    RETURNING 1)
  SELECT value FROM turn`;
