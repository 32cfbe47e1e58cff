/** The real service on a port of its own, with a database of its own. */

import { type Config, readConfig } from "../../src/config/config.ts";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { createLog } from "../../src/core/log.ts";
import type { ApiKey } from "../../src/petstore/keys/keys.ts";
import { mintKey, type NewKey } from "../../src/petstore/keys/lifecycle.ts";
import { type Service, startService } from "../../src/serve/serve.ts";
import type { Stores, StoresOptions } from "../../src/storage/stores.ts";
import { Client } from "./client.ts";
import { type Engine, sqlite, type TestDatabase } from "./engines.ts";

export interface TestService {
  readonly service: Service;
  readonly stores: Stores;
  readonly origin: string;
  readonly base: string;
  /** With a key of all scopes. */
  readonly client: Client;
  readonly token: string;
  readonly database: TestDatabase;
  /** Everything logged so far. */
  readonly logged: () => string;
  newKey(wanted?: Partial<NewKey>): Promise<{ key: ApiKey; token: string }>;
  stop(): Promise<void>;
}

export interface TestOptions {
  readonly clock?: Clock;
  readonly variables?: Record<string, string>;
  /** For what no setting changes. */
  readonly configure?: ((config: Config) => Config) | undefined;
  /** SQLite unless said. */
  readonly engine?: Engine;
  /** Whether it does what one process of several does for all. */
  readonly leads?: boolean;
  /** For stores that are not quite the usual ones of the database. */
  readonly openStores?: (options: StoresOptions, usual: () => Promise<Stores>) => Promise<Stores>;
}

export const testSecret = "a secret that only tests ever use, of good length";

export function testConfig(variables: Record<string, string> = {}): Config {
  return readConfig({ PORT: "0", PETSTORE_METRICS_PORT: "0", ...variables });
}

export async function startTestService(options: TestOptions = {}): Promise<TestService> {
  const clock = options.clock ?? systemClock;
  const { engine = sqlite, variables = {} } = options;
  const database = await engine.newDatabase({ migrated: variables["PETSTORE_ENV"] === undefined });
  const { configure = (usual: Config) => usual } = options;
  const config = configure(testConfig({ ...database.variables, ...variables }));
  let lines = "";
  const log = createLog("info", clock, (text) => {
    lines += text;
  });
  const { openStores = (_those, usual) => usual() } = options;
  const service = await startService({
    config,
    secret: testSecret,
    clock,
    log,
    leads: options.leads ?? false,
    openStores: (those) => openStores(those, () => database.open(those)),
  });
  const { stores } = service;

  async function newKey(wanted: Partial<NewKey> = {}) {
    const usual: NewKey = {
      name: "test",
      environment: config.environment,
      scopes: "all",
      expiresAtMs: undefined,
    };
    const minted = mintKey({ ...usual, ...wanted }, clock);
    await stores.keys.add(minted.key);
    return minted;
  }

  const { token } = await newKey();
  const origin = `http://127.0.0.1:${service.port}`;
  return {
    service,
    stores,
    origin,
    base: `${origin}/v1`,
    client: new Client(`${origin}/v1`, token),
    token,
    database,
    newKey,
    logged() {
      log.flush();
      return lines;
    },
    async stop() {
      await service.stop();
      await database.remove();
    },
  };
}
