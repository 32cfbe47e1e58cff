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
import { petWrites } from "../../petstore/catalogue/petCommands.ts";
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

  async list({ status, ids, after = 0n, limit }: PetQuery): Promise<PetPage> {
    if (ids === undefined) {
      const { items, ...page } = await this.#pages.get({ status, after }, limit);
      return { ...page, pets: items };
    }
    requireAtMost(idsFilterMax, ids, "ids");
    const wanted = normalIds(ids).filter((id) => id > after && id >= idMin);
    const found = await this.#byIds.read(wanted);
    const pets = wanted.flatMap((id): PetRow[] => {
      const text = found.get(id) as JsonOf<Pet> | undefined;
      const matches = text !== undefined && (status === undefined || hasStatus(text, status));
      return matches ? [[id, text]] : [];
    });
    const { rows, ...page } = pageOf(pets.slice(0, limit + 1), limit);
    return { ...page, pets: rows.map(([, text]) => text) };
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
    async list({ status, after = 0n, limit }) {
      const { items, next } = await pages.get({ status, after }, limit);
      return { orders: items, next };
    },
  };
}

const findOrders = "SELECT id, json FROM orders WHERE id = ANY($1::int8[])";

export const orderPages = pageStatements("orders");
