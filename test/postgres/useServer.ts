import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import type { DatabaseSettings } from "../../src/postgres/database.ts";
import { openPostgres } from "../../src/postgres/store.ts";
import type { Stores, StoresOptions } from "../../src/stores.ts";
import { type PostgresServer, startPostgres } from "./server.ts";

export interface TestDatabase {
  readonly server: PostgresServer;
  /** Of the database of this test, which is empty when the test begins. */
  readonly address: string;
  settings(changes?: Partial<DatabaseSettings>): DatabaseSettings;
  /** Closed after the test if still open. */
  open(changes?: Partial<DatabaseSettings>, options?: Partial<StoresOptions>): Promise<Stores>;
}

/** One server for the file, and an empty database for each of its tests. */
export function usePostgres(): TestDatabase {
  let server: PostgresServer;
  let address = "";
  let opened: Stores[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  beforeEach(async () => {
    address = await server.schema();
  });
  afterEach(async () => {
    await Promise.all(opened.map((stores) => stores.close()));
    opened = [];
  });
  afterAll(() => server?.remove());

  const settings = (changes: Partial<DatabaseSettings> = {}): DatabaseSettings => ({
    address,
    connectionsMax: 4,
    namedStatements: false,
    ...changes,
  });
  return {
    get server() {
      return server;
    },
    get address() {
      return address;
    },
    settings,
    async open(changes, options) {
      const stores = await openPostgres(settings(changes), {
        environment: "production",
        ...options,
      });
      let closing: Promise<void> | undefined;
      const closable = {
        ...stores,
        close() {
          closing ??= stores.close();
          return closing;
        },
      };
      opened.push(closable);
      return closable;
    },
  };
}
