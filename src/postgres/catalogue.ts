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
import { normalIds } from "../catalogue/cursor.ts";
import type { NewPet, Pet } from "../catalogue/pet.ts";
import type { PetChanges } from "../catalogue/petChanges.ts";
import type { JsonOf } from "../contract/operations.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { GatheredPages, pageStatements } from "./gatheredPages.ts";
import { pageOf } from "./pages.ts";
import type { PetReads, PetRow } from "./petReads.ts";
import { int8s } from "./session.ts";
import type { Writer } from "./writer.ts";

export class PostgresCatalogue implements Catalogue {
  readonly changes: PetChanges;
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #reads: PetReads;
  readonly #pages: GatheredPages<Pet>;

  constructor(database: Database, writer: Writer, reads: PetReads) {
    this.#database = database;
    this.#writer = writer;
    this.#reads = reads;
    this.changes = reads.changes;
    this.#pages = new GatheredPages(database, petPages);
  }

  add({ name, categoryId, status }: NewPet, terms: AddTerms = {}): Promise<AddOutcome> {
    return this.#writer.submit("addPet", { pet: { name, categoryId, status }, terms });
  }

  get(id: bigint): Promise<JsonOf<Pet> | undefined> {
    return this.#reads.get(id);
  }

  async list({ status, ids, after = 0n, limit }: PetQuery): Promise<PetPage> {
    if (ids === undefined) {
      const { items, ...page } = await this.#pages.get({ status, after }, limit);
      return { ...page, pets: items };
    }
    if (ids.length > idsFilterMax) throw new RangeError(`At most ${idsFilterMax} ids at once.`);
    const found =
      status === undefined
        ? await this.#reads.getAll(normalIds(ids).filter((id) => id > after))
        : await failing(
            this.#database.read<PetRow>(listPetsOfByStatus, [int8s(ids), after, limit + 1, status]),
          );
    const { rows, ...page } = pageOf(found.slice(0, limit + 1), limit);
    return { ...page, pets: rows.map(([, text]) => text) };
  }

  async import(pets: readonly ImportedPet[]): Promise<ImportOutcome> {
    if (pets.length > importBatchMax) {
      throw new RangeError(`At most ${importBatchMax} pets at once.`);
    }
    return this.#writer.submit("importPets", pets);
  }

  revision(): Promise<number> {
    return this.#reads.revision();
  }
}

export const petPages = pageStatements("pets");

export const listPetsOfByStatus = `SELECT id, json FROM pets
  WHERE id = ANY($1::int8[]) AND id > $2 AND status = $4 ORDER BY id LIMIT $3`;
