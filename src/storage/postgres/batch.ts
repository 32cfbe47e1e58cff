import { type ImportedPet, idGivenMax } from "../../petstore/catalogue/catalogue.ts";
import { petText } from "../../petstore/catalogue/pet.ts";
import { addPet, importPets, type PetAddition } from "../../petstore/catalogue/petCommands.ts";
import { retentionMs } from "../../petstore/idempotency/idempotency.ts";
import {
  moveOrder,
  type OrderMove,
  type Placement,
  placeOrder,
} from "../../petstore/orders/orderCommands.ts";
import type { CommitReport } from "../stores.ts";
import { int8s } from "./connection.ts";
import type { Database } from "./database.ts";
import { isUnavailable } from "./failures.ts";
import { PetRevisionWriter } from "./petRevision.ts";
import { lastIdsOf, lockCounters, readWanted, Wanted, WorkingSet, writeAll } from "./workingSet.ts";

type Outcome =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "failure"; readonly cause: unknown };

/** Carries out writes in as few transactions as can be: one, unless a write fails. */
export class BatchRunner {
  readonly #database: Database;
  readonly #onCommit: (report: CommitReport) => void;
  readonly #pruner: IdempotencyPruner;
  readonly #petRevision = new PetRevisionWriter();

  constructor(database: Database, onCommit: (report: CommitReport) => void) {
    this.#database = database;
    this.#onCommit = onCommit;
    this.#pruner = new IdempotencyPruner(database);
  }

  /** One outcome for each write, in their order. */
  async run(writes: readonly Write[]): Promise<readonly Outcome[]> {
    const { clock } = this.#database;
    const startedMs = clock.elapsed();
    try {
      const results = (await this.#addPlainly(writes)) ?? (await this.#transact(writes));
      const durationMs = clock.elapsed() - startedMs;
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
    const pets = writes.map(({ argument }) => (argument as PetAddition).pet);
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
    const { results, set } = await this.#database.transact(lockCounters, async (session, begun) => {
      const before = lastIdsOf(begun);
      const set = new WorkingSet(before.lastPetId, before.lastOrderId);
      const wanted = new Wanted();
      for (const { name, argument } of writes) commands[name].wants(argument as never, wanted);
      await readWanted(session, wanted, set);
      const results = writes.map(({ name, argument }) =>
        commands[name].decide(set, argument as never),
      );
      await writeAll(session, set, before);
      if (set.imported) await this.#petRevision.move(session, undefined);
      else if (set.changedPets.size > 0)
        await this.#petRevision.move(session, [...set.changedPets]);
      return { results, set };
    });
    if (set.keptResponses.size > 0) this.#pruner.kept(set.keptResponses.size, set.responsesNowMs);
    return results;
  }
}

function isPlainAddition({ name, argument }: Write): boolean {
  if (name !== "addPet") return false;
  const { idempotency, knownCategoryOnly } = (argument as PetAddition).terms;
  return idempotency === undefined && !knownCategoryOnly;
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

/**
 * Every write that shares its transaction with others, by name. Each first says what it wants to
 * know, and then decides in memory, before anything is written, whether it refuses.
 */
const commands = {
  addPet: {
    wants({ pet, terms }: PetAddition, wanted: Wanted): void {
      wanted.newPets++;
      wanted.response(terms.idempotency);
      if (terms.knownCategoryOnly) wanted.categoryIds.add(pet.categoryId);
    },
    decide: addPet,
  },

  importPets: {
    wants(pets: readonly ImportedPet[], wanted: Wanted): void {
      for (const { id } of pets) {
        if (id === undefined) wanted.newPets++;
        else wanted.petIds.add(id);
      }
    },
    decide: importPets,
  },

  placeOrder: {
    wants({ order, idempotency }: Placement, wanted: Wanted): void {
      wanted.petIds.add(order.petId);
      wanted.response(idempotency);
    },
    decide: placeOrder,
  },

  moveOrder: {
    wants({ id, idempotency }: OrderMove, wanted: Wanted): void {
      wanted.orderIds.add(id);
      wanted.response(idempotency);
    },
    decide: moveOrder,
  },
};

type Commands = typeof commands;
export type CommandName = keyof Commands;
export type Argument<Name extends CommandName> = Parameters<Commands[Name]["decide"]>[1];
export type Result<Name extends CommandName> = ReturnType<Commands[Name]["decide"]>;

/** The pair is type-checked where it is submitted. */
export interface Write {
  readonly name: CommandName;
  readonly argument: unknown;
}

/** More than one, so that the keys of a busy day are gone soon after; few, so that nobody waits. */
const prunedForEach = 4;
/** Fewer would cost more in round trips than in work. */
const prunedAtOnceMin = 100;

/**
 * Deletes expired idempotency keys, a few for each one that is stored, so that they stay few. Beside
 * the writes and not among them: nobody waits for it.
 */
class IdempotencyPruner {
  readonly #database: Database;
  #owed = 0;
  #underWay = false;
  #nowMs = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** After so many were kept, the earliest of them at an instant. */
  kept(responses: number, nowMs: number): void {
    this.#owed += responses * prunedForEach;
    this.#nowMs = nowMs;
    this.#forget();
  }

  #forget(): void {
    if (this.#owed < prunedAtOnceMin || this.#underWay) return;
    const limit = this.#owed;
    this.#owed = 0;
    this.#underWay = true;
    void this.#database
      .write(pruneExpired, [this.#nowMs - retentionMs, limit])
      // What was not forgotten now is forgotten another time.
      .catch(() => {})
      .finally(() => {
        this.#underWay = false;
        // Those that were kept meanwhile may be the last for a long time.
        this.#forget();
      });
  }
}

// The instant is asked for twice: a key may be stored anew between the search and the deletion.
export const pruneExpired = `DELETE FROM idempotency_keys
  WHERE created_at_ms <= $1 AND (key_id, idempotency_key) IN (
    SELECT key_id, idempotency_key FROM idempotency_keys
    WHERE created_at_ms <= $1 ORDER BY created_at_ms LIMIT $2)`;
