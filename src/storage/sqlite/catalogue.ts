import type { DatabaseSync } from "node:sqlite";
import type { JsonOf } from "../../contract/document.ts";
import type { Clock } from "../../core/clock.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
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
  type PetFilter,
  type PetPage,
  type PetQuery,
  requireAtMost,
} from "../../petstore/catalogue/catalogue.ts";
import { normalIds } from "../../petstore/catalogue/cursor.ts";
import { type NewPet, type Pet, petStatuses, petText } from "../../petstore/catalogue/pet.ts";
import type { PetChanges } from "../../petstore/catalogue/petChanges.ts";
import { petWrites } from "../../petstore/catalogue/petCommands.ts";
import { categoriesFilterMax, petMatches } from "../../petstore/catalogue/petSearch.ts";
import { orderWrites } from "../../petstore/orders/orderCommands.ts";
import {
  type Order,
  type OrderQuery,
  type OrderStore,
  orderStatuses,
} from "../../petstore/orders/orders.ts";
import { pageOf } from "../repositories/storage.ts";
import { prepareRows, type RowStatement } from "./connection.ts";
import { candidatesAtOnce, type StepwiseCounter } from "./counting.ts";
import { mapErrors, storeErrorOf } from "./failures.ts";
import { listByTerms, matchText } from "./petTerms.ts";
import type { RevisionReader } from "./revisions.ts";
import type { Writer } from "./writer.ts";

type PetRow = [id: bigint, json: JsonOf<Pet>];

/** Candidates for each pet of a page, at first. */
const candidatesForEach = 5;
/** Enough to tell rare words from others. */
const candidatesMin = 100;
/** One in so many. */
const rareBelow = 50;

export class SqliteCatalogue implements Catalogue {
  readonly changes: PetChanges;
  readonly update: Catalogue["update"];
  readonly delete: Catalogue["delete"];
  readonly #db: DatabaseSync;
  readonly #writer: Writer;
  readonly #revisions: RevisionReader;
  readonly #counter: StepwiseCounter;
  readonly #clock: Clock;
  readonly #find: RowStatement<[json: JsonOf<Pet>]>;
  readonly #listAll: RowStatement<PetRow>;
  readonly #listStatus: RowStatement<PetRow>;
  readonly #listTerms: RowStatement<PetRow>;
  /** By their number. */
  readonly #listIds = new Map<number, RowStatement<PetRow>>();

  constructor(
    db: DatabaseSync,
    writer: Writer,
    revisions: RevisionReader,
    counter: StepwiseCounter,
    clock: Clock,
  ) {
    this.#db = db;
    this.#writer = writer;
    this.#revisions = revisions;
    this.#counter = counter;
    this.#clock = clock;
    this.changes = revisions.petChanges;
    ({ update: this.update, delete: this.delete } = petWrites(writer));
    this.#find = prepareRows(db, "SELECT json FROM pets WHERE id = ?");
    this.#listAll = prepareRows(db, listPets);
    this.#listStatus = prepareRows(db, listPetsByStatus);
    this.#listTerms = prepareRows(db, listByTerms);
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

  list(query: PetQuery): MaybePromise<PetPage> {
    try {
      const { status, ids, categoryIds, words, after = 0n, limit } = query;
      requireAtMost(categoriesFilterMax, categoryIds ?? [], "categories");
      if (categoryIds?.length === 0) return petPage([], limit);
      if (ids !== undefined) return petPage(this.#withIds(ids, after, query), limit);
      if (categoryIds !== undefined || words !== undefined) return this.#search(query);
      const rows =
        status === undefined
          ? this.#listAll.all(after, limit + 1)
          : this.#listStatus.all(status, after, limit + 1);
      return petPage(rows, limit);
    } catch (cause) {
      throw storeErrorOf(cause);
    }
  }

  count(filter: PetFilter): MaybePromise<number> {
    const { status, ids } = filter;
    if (filter.categoryIds?.length === 0) return 0;
    if (ids !== undefined) return mapErrors(() => this.#withIds(ids, 0n, filter).length);
    if (filter.categoryIds === undefined && filter.words === undefined) {
      // By the index of a status: its rows are smaller than those of the table.
      const parts = status === undefined ? petStatuses : [status];
      return this.#counter.count(parts.map((value) => ({ rows: petsOfStatus, value })));
    }
    const sample = mapErrors(() =>
      this.#listTerms.all(matchText(filter, isNone), 0n, candidatesAtOnce),
    );
    const rare = rareWords(filter, sample);
    const value = matchText(filter, (word) => rare.has(word));
    if (value !== matchText(filter)) {
      const matches = (text: JsonOf<Pet>) => petMatches(text, filter);
      return this.#counter.countCandidates({ list: listByTerms, value, matches });
    }
    const where = status && { condition: hasStatus, value: status };
    return this.#counter.count([{ rows: petsWithTerms, value, where }]);
  }

  revision(): number {
    this.#revisions.read();
    return this.changes.revision;
  }

  #withIds(ids: readonly bigint[], after: bigint, filter: PetFilter): PetRow[] {
    requireAtMost(idsFilterMax, ids, "ids");
    const wanted = normalIds(ids);
    const statement = getOrInsert(this.#listIds, wanted.length, (count) =>
      prepareRows<PetRow>(this.#db, listPetsWithIds(count)),
    );
    return statement.all(...wanted, after).filter(([, text]) => petMatches(text, filter));
  }

  /**
   * Reads candidates from the index, in steps. The first reads the lists of beginnings; words that
   * few of these pets have are rare, and the next steps look for the whole of them.
   */
  #search(query: PetQuery): MaybePromise<PetPage> {
    const { status, categoryIds, words, after: first = 0n, limit } = query;
    const exact = matchText(query);
    const found: PetRow[] = [];
    const rare = new Set<string>();
    const step = (match: string, after: bigint, size: number): MaybePromise<PetPage> => {
      const isExact = match === exact && status === undefined;
      const atOnce = isExact ? limit + 1 - found.length : size;
      const candidates = mapErrors(() => this.#listTerms.all(match, after, atOnce));
      const named = candidates.filter(([, text]) => petMatches(text, { categoryIds, words }));
      found.push(...named.filter(([, text]) => petMatches(text, { status })));
      const last = candidates.at(-1);
      if (found.length > limit || candidates.length < atOnce || last === undefined) {
        return petPage(found, limit);
      }
      if (named.length * rareBelow < candidates.length) {
        for (const word of rareWords(query, candidates)) rare.add(word);
      }
      const next = matchText(query, (word) => rare.has(word));
      return new Promise<void>((done) => this.#clock.next(done)).then(() =>
        step(next, last[0], candidatesAtOnce),
      );
    };
    const size = Math.max(candidatesForEach * (limit + 1), candidatesMin);
    return step(matchText(query, isNone), first, size);
  }

  async import(pets: readonly ImportedPet[]): Promise<ImportOutcome> {
    requireAtMost(importBatchMax, pets, "pets");
    return this.#writer.submit("importPets", pets);
  }
}

const isNone = () => false;

/** The words that few of the candidates have. To look for the whole of others would take long. */
function rareWords({ words = [] }: PetFilter, candidates: readonly PetRow[]): Set<string> {
  const having = (word: string) =>
    candidates.filter(([, text]) => petMatches(text, { words: [word] })).length;
  return new Set(words.filter((word) => having(word) * rareBelow < candidates.length));
}

/** Of rows that may be one more than requested, which shows that something follows. */
function petPage(found: PetRow[], limit: number): PetPage {
  const { rows, ...page } = pageOf(found.slice(0, limit + 1), limit);
  return { ...page, pets: rows.map((row) => row[1]) };
}

export const listPets = "SELECT id, json FROM pets WHERE id > ? ORDER BY id LIMIT ?";
export const listPetsByStatus =
  "SELECT id, json FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?";

export function listPetsWithIds(count: number): string {
  const wanted = Array(count).fill("?").join(", ");
  return `SELECT id, json FROM pets WHERE id IN (${wanted}) AND id > ? ORDER BY id`;
}

export const petsOfStatus = "SELECT id FROM pets WHERE status = ?1 AND id > ?2 ORDER BY id";
export const petsWithTerms = `SELECT rowid AS id FROM pet_terms
  WHERE pet_terms MATCH ?1 AND rowid > ?2 ORDER BY rowid`;
export const hasStatus = "(SELECT status FROM pets WHERE pets.id = seen.id) = ?3";

type OrderRow = [id: bigint, json: JsonOf<Order>];

export function sqliteOrders(
  db: DatabaseSync,
  writer: Writer,
  counter: StepwiseCounter,
): OrderStore {
  const find = prepareRows<[json: JsonOf<Order>]>(db, "SELECT json FROM orders WHERE id = ?");
  const listAll = prepareRows<OrderRow>(db, listAllOrders);
  const listStatus = prepareRows<OrderRow>(db, listOrdersByStatus);
  const listPet = prepareRows<OrderRow>(db, listOrdersByPet);
  const rowsOf = ({ status, petId, after = 0n, limit }: OrderQuery) => {
    if (petId !== undefined) return listPet.all(petId, status ?? null, after, limit + 1);
    if (status !== undefined) return listStatus.all(status, after, limit + 1);
    return listAll.all(after, limit + 1);
  };
  return {
    ...orderWrites(writer),
    get: (id) => mapErrors(() => find.get(id)?.[0]),
    list(query) {
      const { rows, next } = pageOf(
        mapErrors(() => rowsOf(query)),
        query.limit,
      );
      return { orders: rows.map(([, text]) => text), next };
    },
    count({ status, petId }) {
      if (petId !== undefined) {
        const where = status && { condition: "status = ?3", value: status };
        return counter.count([{ rows: ordersOfPet, value: petId, where }]);
      }
      const parts = status === undefined ? orderStatuses : [status];
      return counter.count(parts.map((value) => ({ rows: ordersOfStatus, value })));
    },
  };
}

export const listAllOrders = "SELECT id, json FROM orders WHERE id > ? ORDER BY id LIMIT ?";
export const listOrdersByStatus =
  "SELECT id, json FROM orders WHERE status = ? AND id > ? ORDER BY id LIMIT ?";
// A pet has few orders.
export const listOrdersByPet = `SELECT id, json FROM orders
  WHERE pet_id = ?1 AND +status = coalesce(?2, status) AND id > ?3 ORDER BY id LIMIT ?4`;
export const ordersOfPet =
  "SELECT id, status FROM orders WHERE pet_id = ?1 AND id > ?2 ORDER BY id";
export const ordersOfStatus = "SELECT id FROM orders WHERE status = ?1 AND id > ?2 ORDER BY id";
