/** The storage of the repositories: synchronous reads, and writes in the writer thread. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { int64After } from "../../contract/int64.ts";
import type { CarriedTrace } from "../../core/tracing.ts";
import type { WriteArgument, WriteName, WriteResult } from "../repositories/repositories.ts";
import {
  type CounterName,
  forSqlite,
  forSqliteOne,
  type LookUp,
  type Reader,
  type Row,
  type Storage,
  type Transaction,
  type Value,
} from "../repositories/storage.ts";
import { mapErrors } from "./failures.ts";
import { findByTerms, matchText } from "./petTerms.ts";
import type { RevisionReader } from "./revisions.ts";
import type { Writer } from "./writer.ts";

interface Prepared {
  readonly statement: StatementSync;
  readonly names: readonly string[];
}

/** Statements by their text, each prepared when it is first used. */
class Statements implements Reader {
  readonly #db: DatabaseSync;
  readonly #translate: (text: string) => string;
  readonly #prepared = new Map<string, Prepared>();

  constructor(db: DatabaseSync, translate: (text: string) => string) {
    this.#db = db;
    this.#translate = translate;
  }

  get<Found>(text: string, values: readonly Value[] = []): Found | undefined {
    const { statement, names } = this.of(text);
    const row = statement.get(...values.map(bound));
    return row && read<Found>(names, row);
  }

  all<Found>(text: string, values: readonly Value[] = []): Found[] {
    const { statement, names } = this.of(text);
    return statement.all(...values.map(bound)).map((row) => read<Found>(names, row));
  }

  of(text: string): Prepared {
    let prepared = this.#prepared.get(text);
    if (prepared === undefined) {
      const statement = this.#db.prepare(this.#translate(text));
      statement.setReturnArrays(true);
      prepared = { statement, names: statement.columns().map(({ name }) => name) };
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }
}

function bound(value: Value): SQLInputValue {
  if (value === undefined) return null;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
    return JSON.stringify(value);
  }
  return value as SQLInputValue;
}

/** The row's type is the caller's claim: it follows from the statement, which is not checked. */
function read<Found>(names: readonly string[], row: unknown): Found {
  const columns = row as readonly unknown[];
  const object: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index++) {
    object[names[index] as string] = columns[index] ?? undefined;
  }
  return object as Found;
}

export class SqliteStorage implements Storage {
  readonly #statements: Statements;
  readonly #lookUps: Statements;
  readonly #writer: Writer;
  readonly #revisions: RevisionReader;

  constructor(db: DatabaseSync, writer: Writer, revisions: RevisionReader) {
    this.#statements = new Statements(db, forSqlite);
    this.#lookUps = new Statements(db, forSqliteOne);
    this.#writer = writer;
    this.#revisions = revisions;
  }

  get<Found>(text: string, values?: readonly Value[]): Found | undefined {
    return mapErrors(() => this.#statements.get<Found>(text, values));
  }

  all<Found>(text: string, values?: readonly Value[]): Found[] {
    return mapErrors(() => this.#statements.all<Found>(text, values));
  }

  lookUp<Found>({ text }: LookUp<Found>, ...key: string[]): Found | undefined {
    return mapErrors(() => this.#lookUps.get<Found>(text, key));
  }

  write<Name extends WriteName>(
    name: Name,
    argument: WriteArgument<Name>,
    options?: { readonly canWaitMs: number },
  ): Promise<WriteResult<Name>> {
    return this.#writer.submit(name, argument, options) as Promise<WriteResult<Name>>;
  }

  revision(counter: "key_revision" | "site_revision"): number {
    return this.#revisions.read()[counter];
  }

  /** Plans and deployments advance `site_revision`. Both only grow, and so does their sum. */
  edgeRevision(): number {
    const { edge_revision, site_revision } = this.#revisions.read();
    return edge_revision + site_revision;
  }

  /** The WAL index shows whether anything was committed; SQLite is queried only then. */
  edgeRevisionNow(): number {
    return this.edgeRevision();
  }
}

/**
 * The transaction that the writer thread has open for all writes of a batch. Every result is
 * available at once, so a write completes before the thread does anything else.
 */
/** What the thread that writes knows of the write that it runs. */
export interface CurrentWrite {
  nowMs: number;
  trace: CarriedTrace | undefined;
}

export class SqliteTransaction extends Statements implements Transaction {
  readonly #counters: Counters;
  readonly #current: CurrentWrite;

  constructor(db: DatabaseSync, counters: Counters, current: CurrentWrite) {
    super(db, forSqlite);
    this.#counters = counters;
    this.#current = current;
  }

  get nowMs(): number {
    return this.#current.nowMs;
  }

  get trace(): CarriedTrace | undefined {
    return this.#current.trace;
  }

  run(text: string, values: readonly Value[] = []): number {
    return Number(this.of(text).statement.run(...values.map(bound)).changes);
  }

  insertAll(text: string, rows: readonly Row[]): void {
    for (const row of rows) this.run(text, row);
  }

  advance(name: CounterName, by = 1): number {
    const counter = this.#counters[name];
    for (let step = 0; step < by; step++) counter.next();
    return Number(counter.get());
  }

  ordinal(): null {
    return null;
  }

  petOfCategory(id: bigint): bigint | undefined {
    const match = matchText({ categoryIds: [id] });
    const row = this.get<{ id: string }>(findByTerms, [match]);
    return row && BigInt(row.id);
  }
}

type CountedName = CounterName | "last_pet_id" | "last_order_id";

export type Counters = Readonly<Record<CountedName, Counter>>;

export function countersOf(db: DatabaseSync): Counters {
  return {
    last_pet_id: new Counter(db, "last_pet_id"),
    last_order_id: new Counter(db, "last_order_id"),
    key_revision: new Counter(db, "key_revision"),
    site_revision: new Counter(db, "site_revision"),
    edge_revision: new Counter(db, "edge_revision"),
    last_fence: new Counter(db, "last_fence"),
    last_event_id: new Counter(db, "last_event_id"),
    last_audit_number: new Counter(db, "last_audit_number"),
  };
}

/**
 * One of the numbers in `counters`, read and written at most once in a transaction. Another process
 * may change it between two transactions.
 */
class Counter {
  readonly #name: string;
  readonly #read;
  readonly #write;
  #value: bigint | undefined;
  #changed = false;

  constructor(db: DatabaseSync, name: CountedName) {
    this.#name = name;
    this.#read = db.prepare("SELECT value FROM counters WHERE name = ?");
    this.#read.setReadBigInts(true);
    this.#write = db.prepare("UPDATE counters SET value = ? WHERE name = ?");
  }

  get(): bigint {
    this.#value ??= this.#read.get(this.#name)?.["value"] as bigint;
    return this.#value;
  }

  set(value: bigint): void {
    this.#value = value;
    this.#changed = true;
  }

  /** Advances it by one, to a value that was never used. */
  next(): bigint {
    const next = int64After(this.get(), this.#name);
    this.set(next);
    return next;
  }

  /** Before the commit. */
  save(): void {
    if (this.#changed) this.#write.run(this.get(), this.#name);
  }

  /** After the commit or the rollback. */
  forget(): void {
    this.#value = undefined;
    this.#changed = false;
  }
}
