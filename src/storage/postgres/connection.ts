/** Connections: timeouts, exact integers, and the check that they lead to the primary. */

import pg from "pg";
import { getOrInsert } from "../../core/recentMap.ts";
import { ConnectionLost, orConnectionLost } from "./failures.ts";

export const connectMsMaxDefault = 3_000;
const statementMsMax = 10_000;
/** How long a transaction waits for a lock. */
const lockMsMax = 5_000;
/** A process that hangs in a transaction must not block the others for longer. */
const idleInTransactionMsMax = 5_000;
/** A little more than for a statement: the server's own error says more. */
const responseMsMaxDefault = statementMsMax + 2_000;
const idleMsMax = 30_000;

const int8 = 20;

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    // Never a double, which would round an int64.
    return oid === int8 ? BigInt : pg.types.getTypeParser(oid, format as "text");
  },
};

export interface ConnectionSettings {
  readonly connectionsMax: number;
  /** How long to wait for a connection to be established or released. */
  readonly connectMsMax?: number;
  /** How long to wait for the response to a statement. */
  readonly responseMsMax?: number;
}

export function clientConfig(
  address: string,
  {
    connectMsMax = connectMsMaxDefault,
    responseMsMax = responseMsMaxDefault,
  }: Partial<ConnectionSettings> = {},
): pg.ClientConfig {
  return {
    connectionString: address,
    connectionTimeoutMillis: connectMsMax,
    query_timeout: responseMsMax,
    keepAlive: true,
    application_name: "petstore",
    types,
  };
}

export function poolConfig(address: string, settings: ConnectionSettings): pg.PoolConfig {
  return {
    ...clientConfig(address, settings),
    max: settings.connectionsMax,
    idleTimeoutMillis: idleMsMax,
    onConnect: beginSession,
  } as pg.PoolConfig;
}

/**
 * An acknowledged write is on disk, whatever the server's own settings say. Uses SET, since
 * pgbouncer rejects connection parameters. Behind pgbouncer the settings apply to all who share the
 * server connection, which are processes of this service.
 */
const sessionSettings = `SET default_transaction_isolation = 'read committed';
  SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off';
  SET statement_timeout = ${statementMsMax};
  SET lock_timeout = ${lockMsMax};
  SET idle_in_transaction_session_timeout = ${idleInTransactionMsMax};
  SHOW transaction_read_only`;

/** Sets up a new connection. Rejects unless the server accepts writes. */
export async function beginSession(client: pg.ClientBase): Promise<void> {
  // The pool does not listen to a connection in use, and an unhandled error event ends the process.
  client.on("error", () => {});
  watchReplication(client);
  // Not pg_is_in_recovery(): CockroachDB does not have it, and a read-only primary is of no use
  // either.
  const [settings] = await sessionOn(client, false).script(sessionSettings);
  if (settings?.[0] === "on") {
    throw new ConnectionLost("This server only reads: it is a standby.");
  }
}

export interface QueryRows<Row extends unknown[]> {
  readonly rows: Row[];
  readonly fields: readonly { readonly name: string }[];
  /** How many rows were read or changed. */
  readonly count: number;
}

/** One connection, while it is in use. One statement at a time. */
export interface Session {
  /** Rows are arrays of their columns. */
  query<Row extends unknown[]>(text: string, values?: readonly unknown[]): Promise<QueryRows<Row>>;
  /**
   * Runs statements without values in one round trip. Returns the rows of the last. `responseMsMax`
   * replaces that of the connection.
   */
  script(text: string, responseMsMax?: number): Promise<unknown[][]>;
}

/** Connections with a commit that was not replicated to the standbys. */
const unreplicated = new WeakSet<pg.ClientBase>();

/**
 * When a commit that waits for a standby is cancelled, the server acknowledges it with only a
 * warning, although the loss of the primary would lose it.
 */
function watchReplication(client: pg.ClientBase): void {
  client.on("notice", ({ routine }) => {
    // Not by its text, which is in the language of the server.
    if (routine === "SyncRepWaitForLSN") unreplicated.add(client);
  });
}

/** By text. Texts are constants, so the map stays small. */
const names = new Map<string, string>();

export function sessionOn(client: pg.ClientBase, named: boolean): Session {
  return {
    async query(text, values = []) {
      const statement = { text, values: values as unknown[], rowMode: "array" as const };
      const result = await sent(
        client,
        client.query(named ? { ...statement, name: nameOf(text) } : statement),
      );
      return { rows: result.rows as never, fields: result.fields, count: result.rowCount ?? 0 };
    },
    async script(text, responseMsMax) {
      const statement = { text, rowMode: "array" as const, query_timeout: responseMsMax };
      const result = await sent(client, client.query(statement));
      // Several statements have a list of results.
      const last = Array.isArray(result) ? (result as pg.QueryArrayResult[]).at(-1) : result;
      return last?.rows ?? [];
    },
  };
}

function nameOf(text: string): string {
  return getOrInsert(names, text, () => `petstore_${names.size + 1}`);
}

async function sent<T>(client: pg.ClientBase, sending: Promise<T>): Promise<T> {
  try {
    const result = await sending;
    if (!unreplicated.delete(client)) return result;
  } catch (cause) {
    throw orConnectionLost(cause);
  }
  throw new ConnectionLost("The commit was cancelled while it waited for a standby.");
}

/** An array as text: numbers need no quotes. */
export function int8s(values: readonly (bigint | number)[]): string {
  // Joining bigints directly takes three times as long.
  return `{${values.map(String).join(",")}}`;
}
