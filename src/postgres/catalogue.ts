import {
  type AddOutcome,
  type AddTerms,
  type Catalogue,
  type ImportedPet,
  type ImportOutcome,
  idsFilterMax,
  importBatchMax,
  type PetPage,
  type PetQuery,
} from "../catalogue/catalogue.ts";
import type { NewPet, Pet } from "../catalogue/pet.ts";
import type { JsonOf } from "../contract/operations.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { GatheredReads } from "./gatheredReads.ts";
import { pageOf } from "./pages.ts";
import { int8s } from "./session.ts";
import type { Writer } from "./writer.ts";

type Row = [id: bigint, json: JsonOf<Pet>];

export class PostgresCatalogue implements Catalogue {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #byId: GatheredReads<JsonOf<Pet>>;

  constructor(database: Database, writer: Writer) {
    this.#database = database;
    this.#writer = writer;
    this.#byId = new GatheredReads(
      async (ids) => new Map(await failing(database.read<Row>(findPets, [int8s(ids)]))),
    );
  }

  add({ name, categoryId, status }: NewPet, terms: AddTerms = {}): Promise<AddOutcome> {
    return this.#writer.submit("addPet", { pet: { name, categoryId, status }, terms });
  }

  get(id: bigint): Promise<JsonOf<Pet> | undefined> {
    return this.#byId.get(id);
  }

  async list(query: PetQuery): Promise<PetPage> {
    const found = await failing(this.#rows(query));
    const { rows, next } = pageOf(found, query.limit);
    return { pets: rows.map(([, text]) => text), next };
  }

  /** One more than asked for, which tells whether anything follows. */
  #rows({ status, ids, after = 0n, limit }: PetQuery): Promise<Row[]> {
    const read = (text: string, values: unknown[]) => this.#database.read<Row>(text, values);
    if (ids !== undefined) {
      if (ids.length > idsFilterMax) throw new RangeError(`At most ${idsFilterMax} ids at once.`);
      const wanted = int8s(ids);
      if (status === undefined) return read(listPetsOf, [wanted, after, limit + 1]);
      return read(listPetsOfByStatus, [wanted, after, limit + 1, status]);
    }
    if (status !== undefined) return read(listPetsByStatus, [status, after, limit + 1]);
    return read(listAllPets, [after, limit + 1]);
  }

  async import(pets: readonly ImportedPet[]): Promise<ImportOutcome> {
    if (pets.length > importBatchMax) {
      throw new RangeError(`At most ${importBatchMax} pets at once.`);
    }
    return this.#writer.submit("importPets", pets);
  }
}

export const findPets = "SELECT id, json FROM pets WHERE id = ANY($1::int8[])";

export const listAllPets = "SELECT id, json FROM pets WHERE id > $1 ORDER BY id LIMIT $2";

// A stretch of the index, in its order. With `status = $1 ... ORDER BY id` the planner may walk along
// the primary key instead, in the hope of a pet of that status, past a million of others.
export const listPetsByStatus = `SELECT id, json FROM pets
  WHERE (status, id) > ($1, $2) AND status <= $1 ORDER BY status, id LIMIT $3`;

export const listPetsOf = `SELECT id, json FROM pets
  WHERE id = ANY($1::int8[]) AND id > $2 ORDER BY id LIMIT $3`;

export const listPetsOfByStatus = `SELECT id, json FROM pets
  WHERE id = ANY($1::int8[]) AND id > $2 AND status = $4 ORDER BY id LIMIT $3`;
