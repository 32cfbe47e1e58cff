/** What holds for each connection: time-outs, exact integers, and that it leads to the primary. */
import pg from "pg";
import { ConnectionLost } from "./failures.ts";
import { heedWarnings } from "./session.ts";

/** How long a connection may take to come about, or to become free. */
export const connectMsMax = 3_000;
const statementMsMax = 10_000;
/** How long a transaction waits for its turn to write before it gives up. */
const lockMsMax = 5_000;
/** A process that hangs within its transaction must not keep the others out for longer. */
const idleInTransactionMsMax = 5_000;
/** The same as for a statement and a little more: the server's own answer is the better one. */
const answerMsMax = statementMsMax + 2_000;
const idleMsMax = 30_000;

const int8 = 20;

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    // Never a double: it would round what an int64 holds.
    return oid === int8 ? BigInt : pg.types.getTypeParser(oid, format as "text");
  },
};

export function clientConfig(address: string): pg.ClientConfig {
  return {
    connectionString: address,
    connectionTimeoutMillis: connectMsMax,
    query_timeout: answerMsMax,
    keepAlive: true,
    application_name: "petstore",
    types,
  };
}

export function poolConfig(address: string, connectionsMax: number): pg.PoolConfig {
  return {
    ...clientConfig(address),
    max: connectionsMax,
    idleTimeoutMillis: idleMsMax,
    onConnect: beginSession,
  } as pg.PoolConfig;
}

/**
 * An acknowledged write is on disk, whatever the server's own settings say. By SET and not as parameters of the connection, which pgbouncer refuses. Behind it they hold for
 * whoever shares the server's connection, which is another process of ours.
 */
const sessionSettings = `SET default_transaction_isolation = 'read committed';
  SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off';
  SET statement_timeout = ${statementMsMax};
  SET lock_timeout = ${lockMsMax};
  SET idle_in_transaction_session_timeout = ${idleInTransactionMsMax};
  SHOW transaction_read_only`;

/** Sets up a new connection. Rejects unless it leads to a server that takes writes. */
export async function beginSession(client: pg.ClientBase): Promise<void> {
  // While it is in use, the pool does not listen, and an error that nobody hears ends the process.
  client.on("error", () => {});
  heedWarnings(client);
  // Not pg_is_in_recovery(): CockroachDB has no such thing, and a primary that was told to stop
  // taking writes is no primary either.
  const results = (await client.query(sessionSettings)) as unknown as pg.QueryResult[];
  const [answer] = results.at(-1)?.rows ?? [];
  if (answer?.transaction_read_only === "on") {
    throw new ConnectionLost("This server only reads: it is a standby.");
  }
}
