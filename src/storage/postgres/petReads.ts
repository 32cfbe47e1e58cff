import type { JsonOf } from "../../contract/document.ts";
import type { Pet } from "../../petstore/catalogue/pet.ts";
import { PetChanges } from "../../petstore/catalogue/petChanges.ts";
import { int8s, type Session } from "./connection.ts";
import type { Database } from "./database.ts";
import { failing, sqlStateOf } from "./failures.ts";
import { BatchedReads } from "./readBatcher.ts";

/** Further back, everything counts as changed. */
const transactionsMax = 1_000;
const prunedAfterTransactions = 256;
const keptSeconds = 60;

/** What `petRevisionRows` has read, each with the id that no pet has. */
export type RevisionRow = readonly [place: bigint, text: string];

/**
 * Rows in the form of pets, so that they are read with pets and from the same instant: the revision
 * at 0, and at its negative each transaction after the revision in $2, with the one before and the
 * ids of the pets it changed. With the server's timeline: one that takes over may lack the last pets
 * that were added, which move no counter, and give their ids to others.
 */
const petRevisionRows = (timeline: string) => `
  SELECT 0, ${timeline} || ' ' || value::text FROM counters WHERE name = 'pet_revision'
  UNION ALL (SELECT -revision, previous::text || ' ' || array_to_string(pet_ids, ' ')
    FROM pet_changes WHERE revision > $2::int8 ORDER BY revision DESC LIMIT ${transactionsMax})`;

/** Follows the revision, in whichever order the answers of several connections arrive. */
export class PetRevision {
  readonly changes = new PetChanges();
  #timeline: string | undefined;
  #value = 0n;

  /** The last one known, to be given to the statement. */
  get value(): bigint {
    return this.#value;
  }

  /** `asked` is the value that the statement was given. */
  note(rows: readonly RevisionRow[], asked: bigint): void {
    const [timeline, text] = rows.find(([place]) => place === 0n)?.[1].split(" ") ?? [];
    if (text === undefined) throw new Error("The counters are missing from the database.");
    const value = BigInt(text);
    const isSameServer = timeline === this.#timeline;
    // An answer from before the last one we had, unless the revision itself went back.
    if (isSameServer && value <= this.#value && value >= asked) return;
    const ids = isSameServer ? changedSince(this.#value, value, rows) : undefined;
    if (ids === undefined) this.changes.addAll();
    else for (const id of ids) this.changes.add(id);
    this.#timeline = timeline;
    this.#value = value;
  }
}

/** Undefined where a transaction is missing, which then may have changed any pet. */
function changedSince(
  before: bigint,
  now: bigint,
  rows: readonly RevisionRow[],
): bigint[] | undefined {
  const ids: bigint[] = [];
  let reached = before;
  // The newest comes first.
  for (const [place, text] of rows.filter(([place]) => place < -before).reverse()) {
    const [previous, ...changed] = text.split(" ").map(BigInt);
    if (previous !== reached) return undefined;
    ids.push(...changed);
    reached = -place;
  }
  return reached === now ? ids : undefined;
}

/**
 * Moves the revision, within the turn, so that it moves in the order of the commits. By the time of
 * day, since a server that takes over may lack the last changes: what it counts on must not meet
 * what was known of them.
 */
export class PetRevisionWriter {
  #transactions = 0;

  /** Without ids, any pet may have changed. */
  async move(session: Session, ids: readonly bigint[] | undefined): Promise<void> {
    const { count } =
      ids === undefined
        ? await session.query(moveRevision)
        : await session.query(moveWithChanges, [int8s(ids)]);
    if (count !== 1) throw new Error("The counters are missing from the database.");
    this.#transactions++;
    if (this.#transactions % prunedAfterTransactions === 0) await session.query(prune);
  }
}

const moveRevision = `UPDATE counters
  SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::int8)
  WHERE name = 'pet_revision'`;

const moveWithChanges = `WITH before AS (
    SELECT value FROM counters WHERE name = 'pet_revision' FOR UPDATE),
  moved AS (
    UPDATE counters SET value =
      greatest(before.value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::int8)
    FROM before WHERE counters.name = 'pet_revision'
    RETURNING counters.value AS revision, before.value AS previous)
  INSERT INTO pet_changes (revision, previous, pet_ids)
  SELECT revision, previous, $1::int8[] FROM moved`;

/** Those of the last minute stay, by the clock that the revision follows. */
const prune = `DELETE FROM pet_changes WHERE revision <
  (SELECT value - ${keptSeconds * 1_000_000} FROM counters WHERE name = 'pet_revision')`;

type PetRow = [id: bigint, json: JsonOf<Pet>];

/** Ids from here on are those of pets; see `petRevisionRows`. */
const idMin = 1n;

/**
 * Pets by id, and their revision, read in batches: those who ask for either at a moment share one
 * statement, and so one instant.
 */
export class PetReads {
  readonly #database: Database;
  readonly #byId: BatchedReads<string>;
  readonly #revision = new PetRevision();
  #findPets = findPets;

  constructor(database: Database) {
    this.#database = database;
    this.#byId = new BatchedReads(database.clock, async (ids) => {
      const asked = this.#revision.value;
      const rows = await failing(this.#read(ids, asked));
      this.#revision.note(
        rows.filter(([id]) => id < idMin),
        asked,
      );
      return new Map(rows);
    });
  }

  get changes(): PetChanges {
    return this.#revision.changes;
  }

  get(id: bigint): Promise<JsonOf<Pet> | undefined> {
    if (id < idMin) return Promise.resolve(undefined);
    return this.#byId.get(id) as Promise<JsonOf<Pet> | undefined>;
  }

  /** Those that are there, in the order of the ids, and from one instant. */
  async getAll(ids: readonly bigint[]): Promise<PetRow[]> {
    const found = await this.#byId.getAll(ids);
    return ids
      .filter((id) => id >= idMin && found.has(id))
      .map((id) => [id, found.get(id) as JsonOf<Pet>]);
  }

  async revision(): Promise<number> {
    await this.#byId.get(0n);
    return this.changes.revision;
  }

  async #read(ids: readonly bigint[], asked: bigint): Promise<[id: bigint, text: string][]> {
    const values = [int8s(ids), asked];
    try {
      return await this.#database.read(this.#findPets, values);
    } catch (cause) {
      if (sqlStateOf(cause) !== noSuchFunction || this.#findPets === findPetsPlainly) throw cause;
      this.#findPets = findPetsPlainly;
      return this.#database.read(findPetsPlainly, values);
    }
  }
}

const found = (timeline: string) => `SELECT id, json FROM pets WHERE id = ANY($1::int8[])
  UNION ALL ${petRevisionRows(timeline)}`;

export const findPets = found(`CASE WHEN pg_is_in_recovery() THEN 'standby'
  ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END`);

/** CockroachDB has no timelines, and loses nothing that was acknowledged. */
const findPetsPlainly = found("'none'");
const noSuchFunction = "42883";
