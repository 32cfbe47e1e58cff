import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import type { DatabaseSettings } from "../../src/storage/postgres/database.ts";
import { openPostgres } from "../../src/storage/postgres/store.ts";
import type { Stores, StoresOptions } from "../../src/storage/stores.ts";
import { type PostgresServer, startPostgres, withoutSync } from "../../testkit/postgresServer.ts";
import { hangMs } from "../../testkit/timeouts.ts";

export interface TestDatabase {
  readonly server: PostgresServer;
  /** Of the database of this test, which is empty when the test begins. */
  readonly address: string;
  settings(changes?: Partial<DatabaseSettings>): DatabaseSettings;
  /** Closed after the test if still open. */
  open(changes?: Partial<DatabaseSettings>, options?: Partial<StoresOptions>): Promise<Stores>;
}

/**
 * One server for the file, and an empty database for each of its tests: without as much as a table,
 * or as the first one to open it left it where it is said to be `migrated`. Many who ask at once wait
 * for a connection for as long as the machine takes, unless a test is about how long that is.
 */
export function usePostgres({ migrated = false, connectMsMax = hangMs } = {}): TestDatabase {
  let server: PostgresServer;
  let address = "";
  let opened: Stores[] = [];
  beforeAll(async () => {
    server = await startPostgres(withoutSync);
  });
  beforeEach(async () => {
    if (migrated && address !== "") await server.empty(address);
    else address = await server.schema();
  });
  afterEach(async () => {
    await Promise.all(opened.map((stores) => stores.close()));
    opened = [];
  });
  afterAll(() => server?.remove());

  const settings = (changes: Partial<DatabaseSettings> = {}): DatabaseSettings => ({
    address,
    connectionsMax: 4,
    connectMsMax,
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
        clock: systemClock,
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
