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
import { GatheredPages, pageStatements } from "./gatheredPages.ts";
import { GatheredReads } from "./gatheredReads.ts";
import { pageOf } from "./pages.ts";
import type { PetRevision } from "./petRevision.ts";
import { int8s } from "./session.ts";
import type { Writer } from "./writer.ts";

type Row = [id: bigint, json: JsonOf<Pet>];

export class PostgresCatalogue implements Catalogue {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #byId: GatheredReads<JsonOf<Pet>>;
  readonly #pages: GatheredPages<Pet>;
  readonly #revision: PetRevision;

  constructor(database: Database, writer: Writer, revision: PetRevision) {
    this.#database = database;
    this.#writer = writer;
    this.#byId = new GatheredReads(
      async (ids) => new Map(await failing(database.read<Row>(findPets, [int8s(ids)]))),
    );
    this.#pages = new GatheredPages(database, petPages);
    this.#revision = revision;
  }

  add({ name, categoryId, status }: NewPet, terms: AddTerms = {}): Promise<AddOutcome> {
    return this.#writer.submit("addPet", { pet: { name, categoryId, status }, terms });
  }

  get(id: bigint): Promise<JsonOf<Pet> | undefined> {
    return this.#byId.get(id);
  }

  async list({ status, ids, after = 0n, limit }: PetQuery): Promise<PetPage> {
    if (ids === undefined) {
      const { items, next } = await this.#pages.get({ status, after }, limit);
      return { pets: items, next };
    }
    if (ids.length > idsFilterMax) throw new RangeError(`At most ${idsFilterMax} ids at once.`);
    const found =
      status === undefined
        ? await this.#rowsOf(ids, after)
        : await failing(
            this.#database.read<Row>(listPetsOfByStatus, [int8s(ids), after, limit + 1, status]),
          );
    const { rows, next } = pageOf(found.slice(0, limit + 1), limit);
    return { pets: rows.map(([, text]) => text), next };
  }

  async #rowsOf(ids: readonly bigint[], after: bigint): Promise<Row[]> {
    const wanted = [...new Set(ids)].filter((id) => id > after);
    const found = await this.#byId.getAll(wanted);
    return wanted
      .filter((id) => found.has(id))
      .sort((one, other) => (one < other ? -1 : 1))
      .map((id) => [id, found.get(id) as JsonOf<Pet>]);
  }

  async import(pets: readonly ImportedPet[]): Promise<ImportOutcome> {
    if (pets.length > importBatchMax) {
      throw new RangeError(`At most ${importBatchMax} pets at once.`);
    }
    return this.#writer.submit("importPets", pets);
  }

  revision(): Promise<number> {
    return this.#revision.now();
  }

  lastRevision(): number {
    return this.#revision.last();
  }
}

export const findPets = "SELECT id, json FROM pets WHERE id = ANY($1::int8[])";

export const petPages = pageStatements("pets");

export const listPetsOfByStatus = `SELECT id, json FROM pets
  WHERE id = ANY($1::int8[]) AND id > $2 AND status = $4 ORDER BY id LIMIT $3`;
