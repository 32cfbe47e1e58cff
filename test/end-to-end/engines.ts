/** The databases that tests run on: real ones of each engine, and none that only pretends. */
import { afterAll, beforeAll, describe } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { systemClock } from "../../src/core/clock.ts";
import { openPostgres } from "../../src/storage/postgres/store.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import type { Stores, StoresOptions } from "../../src/storage/stores.ts";
import {
  type PostgresServer,
  type Settings,
  startPostgres,
  withoutSync,
} from "../../testkit/postgresServer.ts";
import { hangMs } from "../../testkit/timeouts.ts";
import { takeWriterThread } from "../store/writerPool.ts";

export interface Engine {
  readonly name: "SQLite" | "PostgreSQL";
  /** True for one engine of a run: what no database has a part in is tested there and only there. */
  readonly first: boolean;
  /**
   * Empty, and shared with nobody. One that is `migrated` may have its tables already, from a test
   * of production before, and is to be had sooner.
   */
  newDatabase(options?: { readonly migrated?: boolean }): Promise<TestDatabase>;
}

export interface TestDatabase {
  /** Where a process on it keeps what is not in the database. */
  readonly folder: string;
  /** How a process finds both. */
  readonly variables: Readonly<Record<string, string>>;
  /** As one more process on it; closed by whoever opened it. */
  open(options?: Partial<StoresOptions>): Promise<Stores>;
  /** A question behind the back of the store. */
  query(text: string): Promise<Record<string, unknown>[]>;
  /** What the engine finds damaged in it. */
  damage(): Promise<unknown[]>;
  /** From then on nobody can write to the table, and on SQLite to any, until its result is called. */
  keepWritersOut(table: string): Promise<() => Promise<void>>;
  /** All that is stored in it, as it is stored. */
  storedText(): Promise<string>;
  remove(): Promise<void>;
}

/** For tests that need any database, and say nothing of which. */
export const sqlite: Engine = { name: "SQLite", first: true, newDatabase: newSqliteDatabase };

const newFolder = () => mkdtempSync(join(tmpdir(), "petstore-test-"));
const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true });

async function newSqliteDatabase(): Promise<TestDatabase> {
  const folder = newFolder();
  const fileOf = (environment: string) => join(folder, environment, "petstore.db");
  const aside = async <T>(work: (database: DatabaseSync) => T): Promise<T> => {
    const database = new DatabaseSync(fileOf("production"));
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const query = (text: string) =>
    aside((database) => database.prepare(text).all() as Record<string, unknown>[]);
  return {
    folder,
    variables: { PETSTORE_DATA: folder },
    open: ({ environment = "production", ...options } = {}) =>
      openSqlite(
        fileOf(environment),
        { environment, clock: systemClock, ...options },
        takeWriterThread,
      ),
    query,
    async damage() {
      const found = (await query("PRAGMA integrity_check")).map((row) => row["integrity_check"]);
      return found.filter((each) => each !== "ok");
    },
    async keepWritersOut() {
      const database = new DatabaseSync(fileOf("production"));
      database.exec("BEGIN IMMEDIATE");
      return async () => database.close();
    },
    storedText: async () => textsIn(folder).join("\n"),
    async remove() {
      removeFolder(folder);
    },
  };
}

async function newPostgresDatabase(
  server: PostgresServer,
  address: string,
  removed: () => void,
): Promise<TestDatabase> {
  const folder = newFolder();
  const query = async (text: string) =>
    (await server.query(text, address)) as Record<string, unknown>[];
  const tables = async () =>
    (
      await query(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()",
      )
    ).map((row) => String(row["table_name"]));
  return {
    folder,
    variables: { PETSTORE_DATA: folder, DATABASE_URL: address },
    open: (options) =>
      openPostgres(
        { address, connectionsMax: 8, namedStatements: false, connectMsMax: hangMs },
        { environment: "production", clock: systemClock, ...options },
      ),
    query,
    async damage() {
      await server.query("CREATE EXTENSION IF NOT EXISTS amcheck SCHEMA public");
      // An index that is damaged, or lacks a row of its table, fails the question.
      await query(
        `SELECT public.bt_index_check(index.indexrelid, true) FROM pg_index AS index
         JOIN pg_class AS class ON class.oid = index.indexrelid
         JOIN pg_am AS method ON method.oid = class.relam AND method.amname = 'btree'
         WHERE class.relnamespace = current_schema()::regnamespace`,
      );
      return query(
        `SELECT class.relname, found.* FROM pg_class AS class, public.verify_heapam(class.oid) AS found
         WHERE class.relkind = 'r' AND class.relnamespace = current_schema()::regnamespace`,
      );
    },
    async keepWritersOut(table) {
      const client = new pg.Client(address);
      await client.connect();
      await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
      return () => client.end();
    },
    async storedText() {
      const values: unknown[] = [];
      for (const table of await tables()) {
        values.push(...(await query(`SELECT * FROM ${table}`)).flatMap(Object.values));
      }
      return [...values.map(textOf), ...textsIn(folder)].join("\n");
    },
    async remove() {
      removeFolder(folder);
      removed();
    },
  };
}

const textsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString("latin1");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** With the databases on it that a test of production has migrated and left. */
interface Host {
  readonly server: PostgresServer;
  readonly migrated: string[];
}

async function startHost(settings: Settings): Promise<Host> {
  return { server: await startPostgres(settings), migrated: [] };
}

/** Of this process, for one file after another, where the whole run removes what it leaves. */
let shared: Promise<Host> | undefined;

/** Within a `describe`: one server for all of its tests, and of its own if it has settings. */
function usePostgres(first: boolean, settings?: Settings): Engine {
  const own = settings !== undefined || process.env["PETSTORE_TEST_CLUSTER"] === undefined;
  let host: Host | undefined;
  beforeAll(async () => {
    if (!own) shared ??= startHost(withoutSync);
    host = await (own ? startHost(settings ?? withoutSync) : shared);
  });
  afterAll(async () => {
    if (own) await host?.server.remove();
  });
  return {
    name: "PostgreSQL",
    first,
    async newDatabase({ migrated = false } = {}) {
      if (host === undefined) throw new Error("There is no database before the tests begin.");
      const { server, migrated: before } = host;
      const emptied = migrated ? before.pop() : undefined;
      if (emptied !== undefined) await server.empty(emptied);
      const address = emptied ?? (await server.schema());
      return newPostgresDatabase(server, address, () => {
        if (migrated) before.push(address);
      });
    },
  };
}

const known = {
  sqlite: { name: "SQLite", use: () => sqlite },
  postgres: { name: "PostgreSQL", use: usePostgres },
} as const;

const asked = process.env["PETSTORE_TEST_ENGINE"];
const wanted = Object.entries(known).flatMap(([each, engine]) =>
  asked === undefined || asked === each ? engine : [],
);
if (wanted.length === 0) {
  throw new Error(`PETSTORE_TEST_ENGINE is ${asked}, and must be one of: ${Object.keys(known)}.`);
}

/** The same tests on each engine, or on the one that PETSTORE_TEST_ENGINE names. */
export function describeOnEngines(
  name: string,
  body: (engine: Engine) => void,
  describing: (name: string, body: () => void) => void = describe,
  /** Of the server, where it is PostgreSQL. */
  settings?: Settings,
): void {
  for (const [index, { name: engine, use }] of wanted.entries()) {
    describing(`${name}, on ${engine}`, () => body(use(index === 0, settings)));
  }
}
