import type { JsonOf } from "../../contract/document.ts";
import {
  type AddOutcome,
  type AddTerms,
  type Catalogue,
  type ImportedPet,
  type ImportOutcome,
  idsFilterMax,
  importBatchMax,
  type PetFilter,
  type PetPage,
  type PetQuery,
  requireAtMost,
} from "../../petstore/catalogue/catalogue.ts";
import { normalIds } from "../../petstore/catalogue/cursor.ts";
import {
  type NewPet,
  type Pet,
  type PetStatus,
  petStatuses,
} from "../../petstore/catalogue/pet.ts";
import { petWrites } from "../../petstore/catalogue/petCommands.ts";
import { categoriesFilterMax, petMatches } from "../../petstore/catalogue/petSearch.ts";
import { orderWrites } from "../../petstore/orders/orderCommands.ts";
import type { Order, OrderStore } from "../../petstore/orders/orders.ts";
import { pageOf } from "../repositories/storage.ts";
import { int8s } from "./connection.ts";
import type { Database } from "./database.ts";
import { mapErrors, sqlStateOf } from "./failures.ts";
import { PetRevision, petRevisionRows } from "./petRevision.ts";
import {
  BatchedPages,
  batcherByKey,
  batcherByKeys,
  pageStatements,
  type ReadBatcher,
} from "./readBatcher.ts";
import type { Writer } from "./writer.ts";

type PetRow = [id: bigint, json: JsonOf<Pet>];

/** Smaller ids are not those of pets: see `petRevisionRows`. */
const idMin = 1n;

/** Concurrent reads of pets by id and of the revision share a statement, and so a snapshot. */
export class PostgresCatalogue implements Catalogue {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #byId: ReadBatcher<bigint, string | undefined>;
  readonly #byIds: ReadBatcher<readonly bigint[], ReadonlyMap<bigint, string>>;
  readonly #pages: BatchedPages<Pet>;
  readonly #revision = new PetRevision();
  readonly changes = this.#revision.changes;
  readonly update: Catalogue["update"];
  readonly delete: Catalogue["delete"];
  #findPets = findPets;

  constructor(database: Database, writer: Writer) {
    this.#database = database;
    this.#writer = writer;
    ({ update: this.update, delete: this.delete } = petWrites(writer));
    this.#pages = new BatchedPages(database, petPages);
    const find = async (ids: readonly bigint[]) => {
      const asked = this.#revision.value;
      const rows = await mapErrors(this.#read(ids, asked));
      this.#revision.note(
        rows.filter(([id]) => id < idMin),
        asked,
      );
      return new Map(rows);
    };
    this.#byId = batcherByKey(database.clock, find);
    this.#byIds = batcherByKeys(database.clock, find);
  }

  add({ name, categoryId, status }: NewPet, terms: AddTerms = {}): Promise<AddOutcome> {
    return this.#writer.submit("addPet", { pet: { name, categoryId, status }, terms });
  }

  async import(pets: readonly ImportedPet[]): Promise<ImportOutcome> {
    requireAtMost(importBatchMax, pets, "pets");
    return this.#writer.submit("importPets", pets);
  }

  get(id: bigint): Promise<JsonOf<Pet> | undefined> {
    if (id < idMin) return Promise.resolve(undefined);
    return this.#byId.read(id) as Promise<JsonOf<Pet> | undefined>;
  }

  async list(query: PetQuery): Promise<PetPage> {
    const { status, ids, categoryIds, words, after = 0n, limit } = query;
    requireAtMost(categoriesFilterMax, categoryIds ?? [], "categories");
    if (ids !== undefined) return petPage(await this.#withIds(ids, after, query), limit);
    if (words !== undefined) return petPage(await this.#search(query, words), limit);
    if (categoryIds !== undefined) {
      const values = [...branchesOf(categoryIds, status), after, limit + 1];
      return petPage(await this.#rows(petsOfCategories, values), limit);
    }
    const { items, ...page } = await this.#pages.get({ status, after }, limit);
    return { ...page, pets: items };
  }

  async count(filter: PetFilter): Promise<number> {
    const { status, ids, categoryIds, words } = filter;
    if (ids !== undefined) return (await this.#withIds(ids, 0n, filter)).length;
    const categories = categoryIds && int8s(categoryIds);
    const [text, values] =
      words === undefined
        ? [countPets, [status, categories]]
        : [countPetsWithWords, [status, categories, queryOf(words)]];
    const [row] = await mapErrors(this.#database.read<[count: bigint]>(text, values));
    return Number(row?.[0]);
  }

  /** At most one more than requested. */
  async #search({ status, categoryIds, after = 0n, limit }: PetQuery, words: readonly string[]) {
    const filter = [status, categoryIds && int8s(categoryIds), queryOf(words), after, limit + 1];
    const near = await this.#rows(petsWithWordsNear, filter);
    return near.length > limit ? near : this.#rows(petsWithWords, filter);
  }

  #rows(text: string, values: readonly unknown[]): Promise<PetRow[]> {
    return mapErrors(this.#database.read<PetRow>(text, values));
  }

  async #withIds(ids: readonly bigint[], after: bigint, filter: PetFilter): Promise<PetRow[]> {
    requireAtMost(idsFilterMax, ids, "ids");
    const wanted = normalIds(ids).filter((id) => id > after && id >= idMin);
    const found = await this.#byIds.read(wanted);
    return wanted.flatMap((id): PetRow[] => {
      const text = found.get(id) as JsonOf<Pet> | undefined;
      return text !== undefined && petMatches(text, filter) ? [[id, text]] : [];
    });
  }

  async revision(): Promise<number> {
    await this.#byId.read(0n);
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

export const petPages = pageStatements("pets");

/** Of rows that may be more than requested, which shows that something follows. */
function petPage(found: PetRow[], limit: number): PetPage {
  const { rows, ...page } = pageOf(found.slice(0, limit + 1), limit);
  return { ...page, pets: rows.map(([, text]) => text) };
}

/** The index has the pets of a category and a status in the order of ids, so these are merged. */
function branchesOf(categoryIds: readonly bigint[], status: PetStatus | undefined): unknown[] {
  const statuses = status === undefined ? petStatuses : [status];
  const branches = normalIds(categoryIds).flatMap((id) => statuses.map((each) => [id, each]));
  return [int8s(branches.map(([id]) => id as bigint)), branches.map(([, each]) => each)];
}

// As a range of the index, for the reason given at `pageStatements`.
export const petsOfCategories = `SELECT id, json
  FROM unnest($1::int8[], $2::text[]) AS branch (category, of_status)
  CROSS JOIN LATERAL (SELECT id, json FROM pets
    WHERE category_id = branch.category AND (status, id) > (branch.of_status, $3::int8)
      AND status <= branch.of_status ORDER BY category_id, status, id LIMIT $4) AS items
  ORDER BY id LIMIT $4`;

/** Words contain nothing that a tsquery would interpret. */
function queryOf(words: readonly string[]): string {
  return words.map((word) => `'${word}':*`).join(" & ");
}

/** One by one: the planner would otherwise read all pets to join them. */
const theirPets = `CROSS JOIN LATERAL (SELECT id, json FROM pets WHERE id = named.pet_id
    AND ($1::text IS NULL OR status = $1) AND ($2::int8[] IS NULL OR category_id = ANY($2::int8[]))
    OFFSET 0) AS found`;

/** Common words are found among the next pets. */
const nearRows = 2_000;
export const petsWithWordsNear = `SELECT id, json FROM (
    SELECT pet_id, words FROM pet_words WHERE pet_id > $4::int8 ORDER BY pet_id LIMIT ${nearRows}
  ) AS named ${theirPets} WHERE words @@ $3::tsquery ORDER BY id LIMIT $5`;

// Materialized: to sort by id and stop early, the planner would read the words of all pets.
const withWords = `WITH named AS MATERIALIZED (
    SELECT pet_id FROM pet_words WHERE words @@ $3::tsquery`;
export const petsWithWords = `${withWords} AND pet_id > $4::int8)
  SELECT id, json FROM (SELECT pet_id FROM named ORDER BY pet_id) AS named ${theirPets} LIMIT $5`;

const countPets = `SELECT count(*) FROM pets WHERE ($1::text IS NULL OR status = $1)
  AND ($2::int8[] IS NULL OR category_id = ANY($2::int8[]))`;
const countPetsWithWords = `${withWords}) SELECT count(*) FROM named ${theirPets}`;

const found = (timeline: string) => `SELECT id, json FROM pets WHERE id = ANY($1::int8[])
  UNION ALL ${petRevisionRows(timeline)}`;

export const findPets = found(`CASE WHEN pg_is_in_recovery() THEN 'standby'
  ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END`);

/** CockroachDB has no timelines, and loses nothing that was acknowledged. */
const findPetsPlainly = found("'none'");
const noSuchFunction = "42883";

type OrderRow = [id: bigint, json: JsonOf<Order>];

export function postgresOrders(database: Database, writer: Writer): OrderStore {
  const byId = batcherByKey(
    database.clock,
    async (ids: readonly bigint[]) =>
      new Map(await mapErrors(database.read<OrderRow>(findOrders, [int8s(ids)]))),
  );
  const pages = new BatchedPages<Order>(database, orderPages);
  return {
    ...orderWrites(writer),
    get: (id) => byId.read(id),
    async list({ status, petId, after = 0n, limit }) {
      if (petId !== undefined) {
        const values = [petId, status, after, limit + 1];
        const { rows, next } = pageOf(
          await mapErrors(database.read<OrderRow>(listOrdersByPet, values)),
          limit,
        );
        return { orders: rows.map(([, text]) => text), next };
      }
      const { items, next } = await pages.get({ status, after }, limit);
      return { orders: items, next };
    },
    async count({ status, petId }) {
      const [row] = await mapErrors(database.read<[bigint]>(countOrders, [petId, status]));
      return Number(row?.[0]);
    },
  };
}

const findOrders = "SELECT id, json FROM orders WHERE id = ANY($1::int8[])";

export const orderPages = pageStatements("orders");
export const listOrdersByPet = `SELECT id, json FROM orders
  WHERE pet_id = $1 AND ($2::text IS NULL OR status = $2) AND id > $3 ORDER BY pet_id, id LIMIT $4`;
const countOrders = `SELECT count(*) FROM orders
  WHERE ($1::int8 IS NULL OR pet_id = $1) AND ($2::text IS NULL OR status = $2)`;
