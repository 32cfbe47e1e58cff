import {
  type ImportedPet,
  idGivenMax,
  isUnconditional,
} from "../../petstore/catalogue/catalogue.ts";
import { petText } from "../../petstore/catalogue/pet.ts";
import {
  addPet,
  deletePet,
  importPets,
  type PetAddition,
  type PetDeletion,
  type PetUpdate,
  updatePet,
} from "../../petstore/catalogue/petCommands.ts";
import { retentionMs } from "../../petstore/idempotency/idempotency.ts";
import {
  moveOrder,
  type OrderMove,
  type Placement,
  placeOrder,
} from "../../petstore/orders/orderCommands.ts";
import { type BatchOutcome, runBatch, type Write, WriteQueue } from "../repositories/writeQueue.ts";
import type { CommitReport } from "../stores.ts";
import { int8s } from "./connection.ts";
import type { Database } from "./database.ts";
import { errorFrom, isUnavailable } from "./failures.ts";
import { PetRevisionWriter } from "./petRevision.ts";
import { vectorOf, writeWords } from "./petWords.ts";
import { PostgresTransaction } from "./storage.ts";
import { lastIdsOf, lockCounters, ReadSet, readAll, WorkingSet, writeAll } from "./workingSet.ts";

type AnyWrite = Write<keyof typeof commands>;
type Commands = {
  [Name in keyof typeof commands]: (
    argument: Parameters<(typeof commands)[Name]["decide"]>[1],
  ) => ReturnType<(typeof commands)[Name]["decide"]>;
};

/** Runs the batches on the database. */
export class Writer extends WriteQueue<Commands> {
  readonly #database: Database;
  readonly #onCommit: (report: CommitReport) => void;
  readonly #pruner: IdempotencyPruner;
  readonly #petRevision = new PetRevisionWriter();

  constructor(database: Database, onCommit: (report: CommitReport) => void = () => {}) {
    super(database.clock, (writes) => this.#run(writes));
    this.#database = database;
    this.#onCommit = onCommit;
    this.#pruner = new IdempotencyPruner(database);
  }

  async #run(writes: readonly AnyWrite[]): Promise<BatchOutcome<unknown>> {
    const { clock } = this.#database;
    const transact = async (some: readonly AnyWrite[]) =>
      (await this.#addPlainly(some)) ?? (await this.#transact(some));
    const reply = await runBatch(writes, { clock, transact, failureOf: errorFrom, isUnavailable });
    for (const commit of reply.commits) this.#onCommit(commit);
    return reply;
  }

  /**
   * Unconditional additions read nothing, so they are one statement, which holds the locks only
   * while it runs. Undefined if there are other writes, or the ids come close to imported ones.
   */
  async #addPlainly(writes: readonly AnyWrite[]): Promise<unknown[] | undefined> {
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
      pets.map(({ name }) => vectorOf(name)),
      this.#database.clock.now(),
      writes.map(({ trace }) => trace),
    ]);
    const [row] = rows;
    if (row === undefined) return undefined;
    const before = row[0] - BigInt(pets.length);
    return ends.map((end, index) => {
      const id = before + BigInt(index + 1);
      return { kind: "done", id, text: `{"id":${id}${end}` };
    });
  }

  async #transact(writes: readonly AnyWrite[]): Promise<unknown[]> {
    const withLog = writes.some(({ origin }) => origin !== undefined);
    const begin = lockCounters(withLog);
    const { results, set } = await this.#database.transact(begin, async (session, begun) => {
      const before = lastIdsOf(begun);
      const set = new WorkingSet(before.lastPetId, before.lastOrderId);
      const reads = new ReadSet();
      for (const { name, argument } of writes) commands[name].reads(argument as never, reads);
      await readAll(session, reads, set);
      const results = writes.map(({ name, argument, origin, trace }) => {
        set.changes.begin(origin);
        set.trace = trace;
        return commands[name].decide(set, argument as never);
      });
      const nowMs = this.#database.clock.now();
      await writeAll(session, set, before, nowMs);
      await writeWords(session, set.renamedPets);
      if (set.imported) await this.#petRevision.move(session, undefined);
      else if (set.changedPets.size + set.deletedPets.size > 0)
        await this.#petRevision.move(session, [...set.changedPets, ...set.deletedPets]);
      if (withLog) await set.changes.append(new PostgresTransaction(session, nowMs));
      return { results, set };
    });
    if (set.storedResponses.size > 0)
      this.#pruner.stored(set.storedResponses.size, set.responsesNowMs);
    return results;
  }
}

function isPlainAddition({ name, argument }: AnyWrite): boolean {
  return name === "addPet" && isUnconditional((argument as PetAddition).terms);
}

// Both counters are locked in the order of all transactions, so that none blocks another for ever.
const addPets = `WITH locked AS (
    SELECT name FROM counters WHERE name IN ('last_event_id', 'last_pet_id')
    ORDER BY name FOR UPDATE),
  moved AS (
    UPDATE counters SET value = value + $1::int8 FROM locked
    WHERE counters.name = locked.name
      AND (counters.name <> 'last_pet_id' OR value <= $2::int8 - $1::int8)
    RETURNING counters.name, value),
  turn AS (
    SELECT pet.value, event.value AS event_id FROM moved AS pet CROSS JOIN moved AS event
    WHERE pet.name = 'last_pet_id' AND event.name = 'last_event_id'),
  new AS (
    SELECT value - $1::int8 + place AS id, event_id - $1::int8 + place AS event_id, name,
      category_id, status, '{"id":' || (value - $1::int8 + place)::text || ending AS json, words,
      trace
    FROM turn CROSS JOIN unnest($3::text[], $4::int8[], $5::text[], $6::text[], $7::text[],
        $9::text[])
      WITH ORDINALITY AS given (name, category_id, status, ending, words, trace, place)),
  added AS (
    INSERT INTO pets (id, name, category_id, status, json)
    SELECT id, name, category_id, status, json FROM new RETURNING 1),
  named AS (
    INSERT INTO pet_words (pet_id, words)
    SELECT id, words::tsvector FROM new WHERE words <> '' RETURNING 1),
  told AS (
    INSERT INTO events (id, type, resource, at_ms, data, trace)
    SELECT event_id, 'pet.created', 'pets/' || id::text, $8::int8, json, trace FROM new RETURNING 1)
  SELECT value FROM turn`;

/**
 * The writes that run in batches, by name. Each declares what it reads, and then decides in memory,
 * before anything is written.
 */
const commands = {
  addPet: {
    reads({ pet, terms }: PetAddition, reads: ReadSet): void {
      reads.newPets++;
      reads.response(terms.idempotency);
      if (terms.knownCategoryOnly) reads.categoryIds.add(pet.categoryId);
    },
    decide: addPet,
  },

  updatePet: {
    reads({ id, patch: { categoryId }, terms }: PetUpdate, reads: ReadSet): void {
      reads.heldPetIds.add(id);
      reads.response(terms.idempotency);
      if (terms.knownCategoryOnly && categoryId !== undefined) reads.categoryIds.add(categoryId);
    },
    decide: updatePet,
  },

  deletePet: {
    reads({ id, terms }: PetDeletion, reads: ReadSet): void {
      reads.heldPetIds.add(id);
      reads.response(terms.idempotency);
    },
    decide: deletePet,
  },

  importPets: {
    reads(pets: readonly ImportedPet[], reads: ReadSet): void {
      for (const { id } of pets) {
        if (id === undefined) reads.newPets++;
        else reads.petIds.add(id);
      }
    },
    decide: importPets,
  },

  placeOrder: {
    reads({ order, idempotency }: Placement, reads: ReadSet): void {
      reads.petIds.add(order.petId);
      reads.response(idempotency);
    },
    decide: placeOrder,
  },

  moveOrder: {
    reads({ id, idempotency }: OrderMove, reads: ReadSet): void {
      reads.orderIds.add(id);
      reads.response(idempotency);
    },
    decide: moveOrder,
  },
};

/** More than one, to catch up after a busy day. */
const prunedForEach = 4;
/** For fewer, a round trip is not worthwhile. */
const prunedAtOnceMin = 100;

/**
 * Deletes expired idempotency keys, a few for each one that is stored, so that they do not
 * accumulate. No write waits for it.
 */
class IdempotencyPruner {
  readonly #database: Database;
  #due = 0;
  #inFlight = false;
  #nowMs = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Call it after so many were stored, with the time of the earliest. */
  stored(responses: number, nowMs: number): void {
    this.#due += responses * prunedForEach;
    this.#nowMs = nowMs;
    this.#prune();
  }

  #prune(): void {
    if (this.#due < prunedAtOnceMin || this.#inFlight) return;
    const limit = this.#due;
    this.#due = 0;
    this.#inFlight = true;
    void this.#database
      .write(pruneExpired, [this.#nowMs - retentionMs, limit])
      // They are deleted the next time.
      .catch(() => {})
      .finally(() => {
        this.#inFlight = false;
        // There may be no further write for a long time.
        this.#prune();
      });
  }
}

// The age is checked twice: a key may be stored again between the search and the deletion.
export const pruneExpired = `DELETE FROM idempotency_keys
  WHERE created_at_ms <= $1 AND (key_id, idempotency_key) IN (
    SELECT key_id, idempotency_key FROM idempotency_keys
    WHERE created_at_ms <= $1 ORDER BY created_at_ms LIMIT $2)`;
