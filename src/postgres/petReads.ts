import type { Pet } from "../catalogue/pet.ts";
import type { JsonOf } from "../contract/operations.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
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
  readonly #byId: GatheredReads<string>;
  #lastRevision = Number.NaN;

  constructor(database: Database) {
    this.#byId = new GatheredReads(async (ids) => {
      const rows = await failing(database.read<[id: bigint, text: string]>(findPets, [int8s(ids)]));
      const found = new Map(rows);
      const revision = found.get(revisionPlace);
      if (revision === undefined) throw new Error("The counters are missing from the database.");
      this.#lastRevision = Number(revision);
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

  revision(): Promise<number> {
    return this.#byId.get(revisionPlace).then(Number);
  }

  /** As it was when anything was last read. */
  lastRevision(): number {
    return this.#lastRevision;
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

export const findPets = `SELECT id, json FROM pets WHERE id = ANY($1::int8[])
  UNION ALL SELECT ${revisionPlace}, value::text FROM counters WHERE name = 'pet_revision'`;

const moveRevision = `UPDATE counters
  SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::int8)
  WHERE name = 'pet_revision'`;
