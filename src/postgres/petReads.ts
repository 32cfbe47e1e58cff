import type { Revision } from "../catalogue/catalogue.ts";
import type { Pet } from "../catalogue/pet.ts";
import type { JsonOf } from "../contract/operations.ts";
import type { Database } from "./database.ts";
import { failing, sqlStateOf } from "./failures.ts";
import { GatheredReads } from "./gatheredReads.ts";
import { int8s, type Session } from "./session.ts";

export type PetRow = [id: bigint, json: JsonOf<Pet>];

/** Where the revision stands among what was found: no pet has this id. */
const revisionPlace = 0n;

/**
 * Pets by id, and their revision, gathered: those who ask for either at a moment share one
 * statement, and so one instant.
 */
export class PetReads {
  readonly #database: Database;
  readonly #byId: GatheredReads<string>;
  #findPets = findPets;
  #lastRevision: Revision = Number.NaN;

  constructor(database: Database) {
    this.#database = database;
    this.#byId = new GatheredReads(async (ids) => {
      const found = new Map(await failing(this.#read(ids)));
      const revision = found.get(revisionPlace);
      if (revision === undefined) throw new Error("The counters are missing from the database.");
      this.#lastRevision = revision;
      return found;
    });
  }

  get(id: bigint): Promise<JsonOf<Pet> | undefined> {
    if (id === revisionPlace) return Promise.resolve(undefined);
    return this.#byId.get(id) as Promise<JsonOf<Pet> | undefined>;
  }

  /** Those that are there, in the order of the ids, and from one instant. */
  async getAll(ids: readonly bigint[]): Promise<PetRow[]> {
    const found = await this.#byId.getAll(ids);
    return ids
      .filter((id) => id !== revisionPlace && found.has(id))
      .map((id) => [id, found.get(id) as JsonOf<Pet>]);
  }

  revision(): Promise<Revision> {
    return this.#byId.get(revisionPlace) as Promise<Revision>;
  }

  /** As it was when anything was last read. */
  lastRevision(): Revision {
    return this.#lastRevision;
  }

  async #read(ids: readonly bigint[]): Promise<[id: bigint, text: string][]> {
    try {
      return await this.#database.read(this.#findPets, [int8s(ids)]);
    } catch (cause) {
      if (sqlStateOf(cause) !== noSuchFunction || this.#findPets === findPetsPlainly) throw cause;
      this.#findPets = findPetsPlainly;
      return this.#database.read(findPetsPlainly, [int8s(ids)]);
    }
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

const found = (revision: string) => `SELECT id, json FROM pets WHERE id = ANY($1::int8[])
  UNION ALL SELECT ${revisionPlace}, ${revision} FROM counters WHERE name = 'pet_revision'`;

/**
 * With the server's timeline: one that takes over may lack the last pets that were added, which move
 * no counter, and give their ids to others.
 */
export const findPets = found(`CASE WHEN pg_is_in_recovery() THEN 'standby'
  ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END || ' ' || value::text`);

/** CockroachDB has no timelines, and loses nothing that was acknowledged. */
const findPetsPlainly = found("value::text");
const noSuchFunction = "42883";

const moveRevision = `UPDATE counters
  SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::int8)
  WHERE name = 'pet_revision'`;
