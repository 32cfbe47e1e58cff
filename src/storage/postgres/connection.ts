/** What holds for each connection: time-outs, exact integers, and that it leads to the primary. */
import pg from "pg";
import { ConnectionLost } from "./failures.ts";

export const connectMsMaxDefault = 3_000;
const statementMsMax = 10_000;
/** How long a transaction waits for its turn to write before it gives up. */
const lockMsMax = 5_000;
/** A process that hangs within its transaction must not keep the others out for longer. */
const idleInTransactionMsMax = 5_000;
/** The same as for a statement and a little more: the server's own answer is the better one. */
const responseMsMax = statementMsMax + 2_000;
const idleMsMax = 30_000;

const int8 = 20;

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    // Never a double: it would round what an int64 holds.
    return oid === int8 ? BigInt : pg.types.getTypeParser(oid, format as "text");
  },
};

export interface ConnectionSettings {
  readonly connectionsMax: number;
  /** How long a connection may take to come about, or to become free. */
  readonly connectMsMax?: number;
}

export function clientConfig(address: string, connectMsMax = connectMsMaxDefault): pg.ClientConfig {
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
    ...clientConfig(address, settings.connectMsMax),
    max: settings.connectionsMax,
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
  watchReplication(client);
  // Not pg_is_in_recovery(): CockroachDB has no such thing, and a primary that was told to stop
  // taking writes is no primary either.
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

/** One connection, for as long as it is lent. One statement at a time. */
export interface Session {
  /** Rows are arrays of their columns. */
  query<Row extends unknown[]>(text: string, values?: readonly unknown[]): Promise<QueryRows<Row>>;
  /** Statements without values, in one go. Gives back the rows of the last. */
  script(text: string): Promise<unknown[][]>;
}

/** Connections on which the server did not wait for its standbys to have a commit. */
const unreplicated = new WeakSet<pg.ClientBase>();

/**
 * Whoever cancels a commit that waits for a standby makes the server acknowledge it with a mere
 * warning, though the loss of the primary would take it away.
 */
function watchReplication(client: pg.ClientBase): void {
  client.on("notice", ({ routine }) => {
    // Its text follows the language of the server.
    if (routine === "SyncRepWaitForLSN") unreplicated.add(client);
  });
}

/** By their text. The texts are constants of this program, so they are few. */
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
    async script(text) {
      const answer = await sent(client, client.query({ text, rowMode: "array" }));
      // Of several statements there is a list of results.
      const last = Array.isArray(answer) ? (answer as pg.QueryArrayResult[]).at(-1) : answer;
      return last?.rows ?? [];
    },
  };
}

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `petstore_${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}

/** What goes wrong on the way, as opposed to what the server says, is a lost connection. */
async function sent<T>(client: pg.ClientBase, answer: Promise<T>): Promise<T> {
  try {
    const given = await answer;
    if (!unreplicated.delete(client)) return given;
  } catch (cause) {
    throw cause instanceof pg.DatabaseError ? cause : new ConnectionLost(cause);
  }
  throw new ConnectionLost("The commit was cancelled while it waited for a standby.");
}

/** Arrays go as text: for numbers there is nothing to quote. */
export function int8s(values: readonly (bigint | number)[]): string {
  // Texts first: joining bigints takes three times as long.
  return `{${values.map(String).join(",")}}`;
}

/** The address of a database, which may name several hosts: `postgres://a:5432,b:5432/pets`. */

interface AddressParts {
  readonly scheme: string;
  /** With the `@` that follows it; empty where there is none. */
  readonly credentials: string;
  readonly hosts: readonly string[];
  /** The database and the parameters, from the first `/` or `?` on. */
  readonly rest: string;
}

/** One address for each host, in the order in which they are to be tried. */
export function addressesOf(address: string): readonly string[] {
  const { scheme, credentials, hosts, rest } = partsOf(address);
  return hosts.map((host) => `${scheme}${credentials}${host}${rest}`);
}

/** What may be shown of an address: where it leads, without user, password and parameters. */
export function shownAddress(address: string): string {
  const { scheme, hosts, rest } = partsOf(address);
  return `${scheme}${hosts.join(",")}${rest.replace(/\?.*$/s, "")}`;
}

function partsOf(address: string): AddressParts {
  const [, scheme, credentials = "", hosts = "", rest = ""] =
    /^(postgres(?:ql)?:\/\/)([^/?]*@)?([^/?]*)(.*)$/s.exec(address) ?? [];
  if (scheme === undefined) throw new Error("This is no address of a PostgreSQL database.");
  return { scheme, credentials, hosts: hosts.split(","), rest };
}
