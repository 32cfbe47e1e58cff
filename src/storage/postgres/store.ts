import type { Clock } from "../../core/clock.ts";
import type { Environment } from "../../petstore/keys/token.ts";
import { repositoriesOn } from "../repositories/repositories.ts";
import {
  requireEnvironment,
  type Stores,
  type StoresOptions,
  type StoreVersion,
} from "../stores.ts";
import { shownAddress } from "./address.ts";
import { PostgresCatalogue, postgresOrders } from "./catalogue.ts";
import { Database, type DatabaseSettings } from "./database.ts";
import { mapErrors, sqlStateOf } from "./failures.ts";
import {
  claimEnvironment,
  environmentOf,
  explainOpening,
  latestVersion,
  migrate,
  versionOf,
} from "./migrations.ts";
import { SharedBuckets } from "./rateLimits.ts";
import { RevisionWatcher } from "./revisions.ts";
import { PostgresStorage } from "./storage.ts";
import { Writer } from "./writer.ts";

/**
 * Opens the database at an address, and creates its tables if necessary. Any number of processes,
 * on any number of machines, may have it open.
 */
export async function openPostgres(
  settings: DatabaseSettings,
  options: StoresOptions,
): Promise<Stores> {
  const database = new Database(settings, options.clock);
  const revisions = new RevisionWatcher(database, ["key_revision", "site_revision"]);
  const writer = new Writer(database, options.onCommit);
  const catalogue = new PostgresCatalogue(database, writer);
  const shown = shownAddress(settings.address);
  try {
    await migrate(database, shown);
    await claimEnvironment(database, options.environment);
    requireEnvironment(shown, await environmentOf(database), options.environment);
    await revisions.refresh();
    // So that the first responses can be cached.
    await catalogue.revision();
  } catch (cause) {
    await revisions.close();
    await database.close();
    return explainOpening(shown, cause);
  }
  return {
    ...repositoriesOn(new PostgresStorage(database, revisions)),
    catalogue,
    orders: postgresOrders(database, writer),
    limiter: (quota) => new SharedBuckets(quota, database),
    revisions: () => ({
      keys: revisions.of("key_revision"),
      pets: catalogue.changes.revision,
      exact: false,
    }),
    ready: () => mapErrors(probe(database)),
    queues: () => ({ writes: writer.queued, connections: database.pool }),
    size: () => mapErrors(sizeOf(database)),
    async close() {
      await writer.close();
      await revisions.close();
      await database.close();
    },
  };
}

/** Throws where opening the database would throw. Changes nothing. */
export async function postgresVersion(
  settings: DatabaseSettings,
  environment: Environment,
  clock: Clock,
): Promise<StoreVersion> {
  const database = new Database(settings, clock);
  const shown = shownAddress(settings.address);
  try {
    const version = await versionOf(database, shown);
    const owner = version === undefined ? undefined : await environmentOf(database);
    requireEnvironment(shown, owner, environment);
    return { version, latest: latestVersion };
  } catch (cause) {
    return explainOpening(shown, cause);
  } finally {
    await database.close();
  }
}

/** Only a write that reaches the disk proves that writes do. */
async function probe(database: Database): Promise<void> {
  const text = "UPDATE counters SET value = value + 1 WHERE name = 'probe'";
  const { count } = await database.write(text, []);
  if (count !== 1) throw new Error("The counters are missing from the database.");
}

async function sizeOf(database: Database): Promise<Record<string, number>> {
  try {
    const text = "SELECT pg_database_size(current_database())";
    const [row] = await database.read<[bytes: bigint | null]>(text);
    const bytes = row?.[0] ?? undefined;
    // The function of YugabyteDB returns null.
    return bytes === undefined ? {} : { database: Number(bytes) };
  } catch (cause) {
    // CockroachDB does not have the function.
    if (sqlStateOf(cause) === "42883") return {};
    throw cause;
  }
}
