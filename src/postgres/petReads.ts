import type { Pet } from "../catalogue/pet.ts";
import type { PetChanges } from "../catalogue/petChanges.ts";
import type { JsonOf } from "../contract/operations.ts";
import type { Database } from "./database.ts";
import { failing, sqlStateOf } from "./failures.ts";
import { GatheredReads } from "./gatheredReads.ts";
import { PetRevision, petRevisionRows } from "./petRevision.ts";
import { int8s } from "./session.ts";

export type PetRow = [id: bigint, json: JsonOf<Pet>];

/** Ids from here on are those of pets; see `petRevisionRows`. */
const idMin = 1n;

/**
 * Pets by id, and their revision, gathered: those who ask for either at a moment share one
 * statement, and so one instant.
 */
export class PetReads {
  readonly #database: Database;
  readonly #byId: GatheredReads<string>;
  readonly #revision = new PetRevision();
  #findPets = findPets;

  constructor(database: Database) {
    this.#database = database;
    this.#byId = new GatheredReads(async (ids) => {
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
