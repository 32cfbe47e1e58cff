import type { JsonOf } from "../../contract/document.ts";
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
  requireAtMost,
} from "../../petstore/catalogue/catalogue.ts";
import { normalIds } from "../../petstore/catalogue/cursor.ts";
import { hasStatus, type NewPet, type Pet } from "../../petstore/catalogue/pet.ts";
import type { PetChanges } from "../../petstore/catalogue/petChanges.ts";
import { pageOf } from "../repositories/storage.ts";
import type { Database } from "./database.ts";
import type { PetReads } from "./petReads.ts";
import { BatchedPages, pageStatements } from "./readBatcher.ts";
import type { Writer } from "./writer.ts";

export class PostgresCatalogue implements Catalogue {
  readonly changes: PetChanges;
  readonly #writer: Writer;
  readonly #reads: PetReads;
  readonly #pages: BatchedPages<Pet>;

  constructor(database: Database, writer: Writer, reads: PetReads) {
    this.#writer = writer;
    this.#reads = reads;
    this.changes = reads.changes;
    this.#pages = new BatchedPages(database, petPages);
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
    requireAtMost(idsFilterMax, ids, "ids");
    const found = await this.#reads.getAll(normalIds(ids).filter((id) => id > after));
    const wanted = found.filter(([, text]) => status === undefined || hasStatus(text, status));
    const { rows, ...page } = pageOf(wanted.slice(0, limit + 1), limit);
    return { ...page, pets: rows.map(([, text]) => text) };
  }

  async import(pets: readonly ImportedPet[]): Promise<ImportOutcome> {
    requireAtMost(importBatchMax, pets, "pets");
    return this.#writer.submit("importPets", pets);
  }

  revision(): Promise<number> {
    return this.#reads.revision();
  }
}

export const petPages = pageStatements("pets");
