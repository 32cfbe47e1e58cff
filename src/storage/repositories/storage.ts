/**
 * What a repository needs of a database. Statements are written once, in the SQL that both engines
 * share; `forPostgres` and `forSqlite` translate the few differences.
 */
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { CarriedTrace } from "../../core/tracing.ts";
import type { WriteArgument, WriteName, WriteResult } from "./repositories.ts";

/** `undefined` is stored as NULL. A list is for `= ANY(?1)`. */
export type Value = Scalar | bigint | readonly (string | number)[];
type Scalar = string | number | boolean | Uint8Array | null | undefined;

/** The values of a row that is to be inserted. */
export type Row = readonly Scalar[];

/**
 * Rows are objects by the names of their columns. An integer is read as a number, so it must not
 * exceed 2^53; NULL is read as undefined, and a boolean as 0 or 1.
 */
export interface Reader {
  /** The first row. No row matches a text that the engine cannot store. */
  get<Found>(text: string, values?: readonly Value[]): MaybePromise<Found | undefined>;
  all<Found>(text: string, values?: readonly Value[]): MaybePromise<Found[]>;
}

export type CounterName =
  | "key_revision"
  | "site_revision"
  | "edge_revision"
  | "last_fence"
  | "last_event_id"
  | "last_audit_number";

/**
 * All of its changes are committed together, or none if the write throws. On SQLite it is the only
 * write. On PostgreSQL others run concurrently: a write must lock the rows that it decides on with
 * `FOR UPDATE` when it reads them, and a row that must not exist needs a unique index; a write that
 * such an index rejects is run once more, and then finds the row.
 */
export interface Transaction extends Reader {
  /** When it was begun, by the clock of the process. */
  readonly nowMs: number;
  /** Of the request that makes it. */
  readonly trace: CarriedTrace | undefined;
  /** Returns how many rows were changed. */
  run(text: string, values?: readonly Value[]): MaybePromise<number>;
  /** Runs `INSERT … VALUES (?1, …)` for each of the rows, no two of them with the same key. */
  insertAll(text: string, rows: readonly Row[]): MaybePromise<void>;
  /**
   * Adds to a counter and returns it. Once the write is acknowledged, no process uses what it
   * cached before a revision was advanced.
   */
  advance(counter: CounterName, by?: number): MaybePromise<number>;
  /**
   * The value for a column `ordinal`, which is in the order of creation: of all rows of a table, or
   * of those with the same value in a column. Null if the engine assigns it.
   */
  ordinal(within?: OrdinalScope): MaybePromise<number | null>;
  /** A pet of this category, if there is one: each engine has an index of its own for it. */
  petOfCategory(id: bigint): MaybePromise<bigint | undefined>;
}

/** Writes by name. `repositories.ts` says what they may do. */
export type Writes = Readonly<
  Record<string, (tx: Transaction, argument: never) => Promise<unknown>>
>;

export interface OrdinalScope {
  readonly table: string;
  readonly column: string;
  readonly value: string;
}

/** A lookup by a unique key that many requests make concurrently: `= ANY(?1)` or `= ANY(?1, ?2)`. */
export interface LookUp<Found> {
  readonly text: string;
  /** The key of a row, in the order of the parameters. */
  keyOf(row: Found): readonly string[];
}

export interface Storage extends Reader {
  /** Concurrent lookups may share a statement, which is sent after all of them. */
  lookUp<Found>(lookUp: LookUp<Found>, ...key: string[]): MaybePromise<Found | undefined>;
  /**
   * Runs one of `writes` in a transaction. Resolves when it is on disk. On SQLite, work beside
   * the requests can wait for their writes, so that both share a commit.
   */
  write<Name extends WriteName>(
    name: Name,
    argument: WriteArgument<Name>,
    options?: { readonly canWaitMs: number },
  ): Promise<WriteResult<Name>>;
  /** As this process knows it, without a query; NaN while it cannot know. */
  revision(counter: "key_revision" | "site_revision"): number;
  /** Increases with every change to what edges serve, by any process. */
  edgeRevision(): MaybePromise<number>;
  /** The same, if it is available synchronously, without a query. */
  edgeRevisionNow?(): number;
}

/** By code units, independent of the collation of a PostgreSQL server. */
export function byText<T>(textOf: (item: T) => string): (one: T, other: T) => number {
  return (one, other) => {
    const [a, b] = [textOf(one), textOf(other)];
    return a === b ? 0 : a < b ? -1 : 1;
  };
}

/**
 * The notation of the statements of the repositories:
 *
 * - `?1` is a parameter.
 * - `= ANY(?1)` compares with each member of a list, and `(a, b) = ANY(?1, ?2)` with each pair of two
 *   lists of texts.
 * - `COLLATE "C"` compares texts by code units, independent of the collation of a PostgreSQL server.
 * - `FOR UPDATE`, with `OF` and `SKIP LOCKED`, locks rows where others write at the same time;
 *   `FOR NO KEY UPDATE` lets them refer to the row meanwhile.
 */
const list = /= ANY\((\?\d+)\)/g;
const pairs = /= ANY\((\?\d+), (\?\d+)\)/g;
const codeUnits = / COLLATE "C"/g;
const lock = /\s+FOR (?:NO KEY )?UPDATE(?: OF \w+)?(?: SKIP LOCKED)?/g;

export function forPostgres(text: string): string {
  return text
    .replace(pairs, "IN (SELECT * FROM unnest($1::text[], $2::text[]))")
    .replace(/\?(\d+)/g, "$$$1");
}

/**
 * Lists are passed as JSON. Locks are not needed: there is one writer at a time. Texts are always
 * compared by code units.
 */
export function forSqlite(text: string): string {
  return text
    .replace(lock, "")
    .replace(codeUnits, "")
    .replace(list, "IN (SELECT value FROM json_each($1))");
}

/** A lookup of a single key, on SQLite. */
export function forSqliteOne(text: string): string {
  return text.replace(list, "= $1").replace(pairs, "= ($1, $2)");
}

/** A page of rows, of which one more than `limit` was read to find out whether anything follows. */
export function pageOf<Found extends [id: bigint, ...rest: unknown[]]>(
  rows: Found[],
  limit: number,
): { rows: Found[]; next: bigint | undefined; readUpTo: bigint | undefined } {
  if (rows.length <= limit) return { rows, next: undefined, readUpTo: undefined };
  const readUpTo = rows.pop()?.[0];
  return { rows, next: rows.at(-1)?.[0], readUpTo };
}
