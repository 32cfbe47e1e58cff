/** The storage of the repositories: each write is a transaction. */

import { currentOrigin } from "../../audit/origin.ts";
import { getOrInsert } from "../../core/recentMap.ts";
import { type CarriedTrace, currentTrace } from "../../core/tracing.ts";
import { perform } from "../repositories/audited.ts";
import type { WriteArgument, WriteName, WriteResult } from "../repositories/repositories.ts";
import {
  type CounterName,
  forPostgres,
  type LookUp,
  type OrdinalScope,
  type Reader,
  type Row,
  type Storage,
  type Transaction,
  type Value,
} from "../repositories/storage.ts";
import { int8s, type QueryRows, type Session } from "./connection.ts";
import type { Database } from "./database.ts";
import { mapErrors, sqlStateOf } from "./failures.ts";
import { batcherByKey, type ReadBatcher } from "./readBatcher.ts";
import type { RevisionWatcher, WatchedCounter } from "./revisions.ts";

const uniqueViolation = "23505";
/** PostgreSQL cannot store NUL in a text, so no row matches one. */
const nul = "\0";

type Query = (text: string, values: readonly unknown[]) => Promise<QueryRows<unknown[]>>;

/** By the text in the repositories. Texts are constants, so the map stays small. */
const translated = new Map<string, string>();

const translate = (text: string) => getOrInsert(translated, text, forPostgres);

class QueryReader implements Reader {
  protected readonly query: Query;

  constructor(query: Query) {
    this.query = query;
  }

  async get<Found>(text: string, values?: readonly Value[]): Promise<Found | undefined> {
    return (await this.all<Found>(text, values))[0];
  }

  async all<Found>(text: string, values: readonly Value[] = []): Promise<Found[]> {
    if (values.some((value) => typeof value === "string" && value.includes(nul))) return [];
    const { rows, fields } = await this.query(translate(text), values);
    return rows.map((row) => {
      const entries = fields.map(({ name }, index) => [name, read(row[index])]);
      return Object.fromEntries(entries) as Found;
    });
  }
}

function read(column: unknown): unknown {
  if (typeof column === "bigint" || typeof column === "boolean") return Number(column);
  return column ?? undefined;
}

export class PostgresStorage extends QueryReader implements Storage {
  readonly #database: Database;
  readonly #revisions: RevisionWatcher;
  readonly #lookUps = new Map<string, ReadBatcher<string, unknown>>();

  constructor(database: Database, revisions: RevisionWatcher) {
    super((text, values) => mapErrors(database.query(text, values)));
    this.#database = database;
    this.#revisions = revisions;
  }

  /** Not cached: the result is read after the call. */
  async lookUp<Found>(
    { text, keyOf }: LookUp<Found>,
    ...key: string[]
  ): Promise<Found | undefined> {
    if (key.some((each) => each.includes(nul))) return undefined;
    const find = async (keys: readonly string[]) => {
      const rows = await this.all<Found>(text, columnsOf(keys.map((each) => each.split(nul))));
      return new Map<string, unknown>(rows.map((row) => [keyOf(row).join(nul), row]));
    };
    const { clock } = this.#database;
    const batcher = getOrInsert(this.#lookUps, text, () => batcherByKey(clock, find));
    return batcher.read(key.join(nul)) as Promise<Found | undefined>;
  }

  write<Name extends WriteName>(
    name: Name,
    argument: WriteArgument<Name>,
  ): Promise<WriteResult<Name>> {
    const [origin, trace] = [currentOrigin(), currentTrace()];
    const work = (transaction: Transaction) => perform(transaction, name, argument, origin);
    return mapErrors(this.#write(work, trace)) as Promise<WriteResult<Name>>;
  }

  async #write<T>(
    work: (transaction: Transaction) => Promise<T>,
    trace: CarriedTrace | undefined,
  ): Promise<T> {
    const transact = () =>
      this.#database.transact("BEGIN", async (session) => {
        const transaction = new PostgresTransaction(session, this.#database.clock.now(), trace);
        return { result: await work(transaction), moved: transaction.moved };
      });
    const { result, moved } = await transact().catch((cause) => {
      // Another transaction has added the same row after this one had looked for it.
      if (sqlStateOf(cause) === uniqueViolation) return transact();
      throw cause;
    });
    for (const [counter, value] of moved) await this.#revisions.announce(counter, value);
    return result;
  }

  revision(counter: WatchedCounter): number {
    return this.#revisions.of(counter);
  }

  async edgeRevision(): Promise<number> {
    const row = await this.get<{ revision: number }>(readEdgeRevision);
    return row?.revision ?? Number.NaN;
  }
}

export class PostgresTransaction extends QueryReader implements Transaction {
  /** Revisions to announce to the other processes after the commit. */
  readonly moved = new Map<WatchedCounter, bigint>();

  readonly nowMs: number;
  readonly trace: CarriedTrace | undefined;

  constructor(session: Session, nowMs: number, trace?: CarriedTrace) {
    super((text, values) => session.query(text, values));
    this.nowMs = nowMs;
    this.trace = trace;
  }

  async run(text: string, values: readonly Value[] = []): Promise<number> {
    return (await this.query(translate(text), values)).count;
  }

  /** In one statement, which may modify a row only once. */
  async insertAll(text: string, rows: readonly Row[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const lists = first.map((_, index) => `$${index + 1}::${typeOf(rows, index)}[]`);
    const columns = columnsOf(rows);
    await this.query(
      translate(text).replace(
        /VALUES \([^)]*\)/,
        () => `SELECT * FROM unnest(${lists.join(", ")})`,
      ),
      columns.map((column, index) =>
        typeOf(rows, index) === "int8" ? int8s(column as number[]) : column,
      ),
    );
  }

  async advance(counter: CounterName, by = 1): Promise<number> {
    const value = await this.#add(counter, by);
    if (counter === "key_revision" || counter === "site_revision") this.moved.set(counter, value);
    return Number(value);
  }

  async ordinal(within?: OrdinalScope): Promise<number> {
    if (within === undefined) return Number(await this.#add("last_ordinal", 1));
    const { table, column, value } = within;
    const text = `SELECT coalesce(max(ordinal), 0) + 1 FROM ${table} WHERE ${column} = $1`;
    return Number((await this.query(text, [value])).rows[0]?.[0]);
  }

  async petOfCategory(id: bigint): Promise<bigint | undefined> {
    return (await this.query(findPetOfCategory, [id])).rows[0]?.[0] as bigint | undefined;
  }

  async #add(counter: CounterName | "last_ordinal", by: number): Promise<bigint> {
    const { rows } = await this.query(addToCounter, [by, counter]);
    const value = rows[0]?.[0];
    if (value === undefined) throw new Error("The counters are missing from the database.");
    return value as bigint;
  }
}

function columnsOf<T>(rows: readonly (readonly T[])[]): T[][] {
  return (rows[0] ?? []).map((_, index) => rows.map((row) => row[index] as T));
}

function typeOf(rows: readonly Row[], index: number): "int8" | "boolean" | "bytea" | "text" {
  const value = rows.find((row) => row[index] !== undefined && row[index] !== null)?.[index];
  if (typeof value === "number") return "int8";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "object" ? "bytea" : "text";
}

// Plans and deployments advance `site_revision`. Both only grow, and so does their sum.
const readEdgeRevision = `SELECT CAST(sum(value) AS bigint) AS revision FROM counters
  WHERE name IN ('edge_revision', 'site_revision')`;

// In the order of its index, so that a frequent category is no reason to scan the table.
export const findPetOfCategory = `SELECT id FROM pets WHERE category_id = $1
  ORDER BY category_id, status, id LIMIT 1`;

const addToCounter = `UPDATE counters SET value = value + $1::int8 WHERE name = $2
  RETURNING value`;
