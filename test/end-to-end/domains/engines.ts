/** The databases that the tests of domains run on. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgres } from "../../../src/postgres/store.ts";
import { openSqlite } from "../../../src/sqlite/store.ts";
import type { Stores, StoresOptions } from "../../../src/stores.ts";
import { startPostgres } from "../../postgres/server.ts";
import { describeWithBed } from "./bed/tools.ts";

export interface Engine {
  readonly name: "SQLite" | "PostgreSQL";
  start(): Promise<RunningEngine>;
}

export interface RunningEngine {
  /** The database of a process whose data are in the folder. */
  open(folder: string, options: StoresOptions): Promise<Stores>;
  /** How such a process finds it. */
  readonly variables: Readonly<Record<string, string>>;
  /** All that is stored in it, as it is stored. */
  storedText(folder: string): Promise<string>;
  stop(): Promise<void>;
}

const sqlite: Engine = {
  name: "SQLite",
  async start() {
    return {
      open: (folder, options) => openSqlite(join(folder, "production", "petstore.db"), options),
      variables: {},
      async storedText(folder) {
        return readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
          .join("\n");
      },
      async stop() {},
    };
  },
};

const postgres: Engine = {
  name: "PostgreSQL",
  async start() {
    const server = await startPostgres();
    const address = await server.database("domains");
    const settings = { address, connectionsMax: 8, namedStatements: false };
    return {
      open: (_folder, options) => openPostgres(settings, options),
      variables: { DATABASE_URL: address },
      async storedText() {
        const tables = (await server.query(
          "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
          address,
        )) as { table_name: string }[];
        const rows = [];
        for (const { table_name: table } of tables) {
          rows.push(...(await server.query(`SELECT ${table}::text AS row FROM ${table}`, address)));
        }
        return rows.map((each) => (each as { row: string }).row).join("\n");
      },
      stop: () => server.remove(),
    };
  },
};

const asked = process.env.PETSTORE_TEST_ENGINE;
const known: Readonly<Record<string, Engine>> = { sqlite, postgres };

if (asked !== undefined && known[asked] === undefined) {
  throw new Error(`PETSTORE_TEST_ENGINE is ${asked}, and must be one of: ${Object.keys(known)}.`);
}

/** The one that PETSTORE_TEST_ENGINE names, and SQLite where it names none. */
export const usualEngine: Engine = known[asked ?? "sqlite"] as Engine;
/** The one that it names, and all where it names none. */
export const engines: readonly Engine[] =
  asked === undefined ? Object.values(known) : [usualEngine];

/** Tests with a bed, once on each engine. */
export function describeOnEngines(name: string, body: (engine: Engine) => void): void {
  for (const engine of engines) {
    describeWithBed(`${name}, on ${engine.name}`, () => body(engine));
  }
}
