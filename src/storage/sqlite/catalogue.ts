import type { DatabaseSync } from "node:sqlite";
import type { JsonOf } from "../../contract/document.ts";
import { getOrInsert } from "../../core/recentMap.ts";
import {
  type AddOutcome,
  type AddTerms,
  type Catalogue,
  type ImportedPet,
  type ImportOutcome,
  idsFilterMax,
  importBatchMax,
  isUnconditional,
  type PetPage,
  type PetQuery,
  requireAtMost,
} from "../../petstore/catalogue/catalogue.ts";
import { normalIds } from "../../petstore/catalogue/cursor.ts";
import { type NewPet, type Pet, petText } from "../../petstore/catalogue/pet.ts";
import type { PetChanges } from "../../petstore/catalogue/petChanges.ts";
import { petWrites } from "../../petstore/catalogue/petCommands.ts";
import { orderWrites } from "../../petstore/orders/orderCommands.ts";
import type { Order, OrderStore } from "../../petstore/orders/orders.ts";
import { pageOf } from "../repositories/storage.ts";
import { prepareRows, type RowStatement } from "./connection.ts";
import { mapErrors, storeErrorOf } from "./failures.ts";
import type { RevisionReader } from "./revisions.ts";
import type { Writer } from "./writer.ts";

type PetRow = [id: bigint, json: JsonOf<Pet>];

export class SqliteCatalogue implements Catalogue {
  readonly changes: PetChanges;
  readonly update: Catalogue["update"];
  readonly delete: Catalogue["delete"];
  readonly #db: DatabaseSync;
  readonly #writer: Writer;
  readonly #revisions: RevisionReader;
  readonly #find: RowStatement<[json: JsonOf<Pet>]>;
  readonly #listAll: RowStatement<PetRow>;
  readonly #listStatus: RowStatement<PetRow>;
  /** By their text: at most one for each number of ids, with and without a status. */
  readonly #listIds = new Map<string, RowStatement<PetRow>>();

  constructor(db: DatabaseSync, writer: Writer, revisions: RevisionReader) {
    this.#db = db;
    this.#writer = writer;
    this.#revisions = revisions;
    this.changes = revisions.petChanges;
    ({ update: this.update, delete: this.delete } = petWrites(writer));
    this.#find = prepareRows(db, "SELECT json FROM pets WHERE id = ?");
    this.#listAll = prepareRows(db, listQuery(false, undefined));
    this.#listStatus = prepareRows(db, listQuery(true, undefined));
  }

  async add({ name, categoryId, status }: NewPet, terms: AddTerms = {}): Promise<AddOutcome> {
    const pet = { name, categoryId, status };
    if (!isUnconditional(terms)) return this.#writer.submit("addPetOnTerms", { pet, terms });
    const id = await this.#writer.submit("addPet", pet);
    return { kind: "done", id, text: petText({ id, ...pet }) };
  }

  get(id: bigint): JsonOf<Pet> | undefined {
    try {
      // Binding a number takes two thirds of the time of a bigint.
      const key = id <= Number.MAX_SAFE_INTEGER ? Number(id) : id;
      return this.#find.get(key)?.[0];
    } catch (cause) {
      throw storeErrorOf(cause);
    }
  }

  list(query: PetQuery): PetPage {
    try {
      const { rows, ...page } = pageOf(this.#rows(query), query.limit);
      return { ...page, pets: rows.map((row) => row[1]) };
    } catch (cause) {
      throw storeErrorOf(cause);
    }
  }

  revision(): number {
    this.#revisions.read();
    return this.changes.revision;
  }

  /** One more than requested, to find out whether anything follows. */
  #rows({ status, ids, after = 0n, limit }: PetQuery): PetRow[] {
    if (ids !== undefined) {
      requireAtMost(idsFilterMax, ids, "ids");
      const wanted = normalIds(ids);
      const text = listQuery(status !== undefined, wanted.length);
      const statement = getOrInsert(this.#listIds, text, () => prepareRows<PetRow>(this.#db, text));
      const restriction = status === undefined ? wanted : [...wanted, status];
      return statement.all(...restriction, after, limit + 1);
    }
    if (status !== undefined) return this.#listStatus.all(status, after, limit + 1);
    return this.#listAll.all(after, limit + 1);
  }

  async import(pets: readonly ImportedPet[]): Promise<ImportOutcome> {
    requireAtMost(importBatchMax, pets, "pets");
    return this.#writer.submit("importPets", pets);
  }
}

/** Seeks its first row in an index and continues from there, with any combination of filters. */
export function listQuery(byStatus: boolean, idsCount: number | undefined): string {
  const conditions = [
    ...(idsCount === undefined ? [] : [`id IN (${Array(idsCount).fill("?").join(", ")})`]),
    // With ids, looking up each is fastest: the plus keeps SQLite from using the index on status.
    ...(byStatus ? [idsCount === undefined ? "status = ?" : "+status = ?"] : []),
    "id > ?",
  ];
  return `SELECT id, json FROM pets WHERE ${conditions.join(" AND ")} ORDER BY id LIMIT ?`;
}

type OrderRow = [id: bigint, json: JsonOf<Order>];

export function sqliteOrders(db: DatabaseSync, writer: Writer): OrderStore {
  const find = prepareRows<[json: JsonOf<Order>]>(db, "SELECT json FROM orders WHERE id = ?");
  const listAll = prepareRows<OrderRow>(db, listAllOrders);
  const listStatus = prepareRows<OrderRow>(db, listOrdersByStatus);
  return {
    ...orderWrites(writer),
    get: (id) => mapErrors(() => find.get(id)?.[0]),
    list({ status, after = 0n, limit }) {
      const found = mapErrors(() =>
        status === undefined
          ? listAll.all(after, limit + 1)
          : listStatus.all(status, after, limit + 1),
      );
      const { rows, next } = pageOf(found, limit);
      return { orders: rows.map(([, text]) => text), next };
    },
  };
}

export const listAllOrders = "SELECT id, json FROM orders WHERE id > ? ORDER BY id LIMIT ?";
export const listOrdersByStatus =
  "SELECT id, json FROM orders WHERE status = ? AND id > ? ORDER BY id LIMIT ?";
