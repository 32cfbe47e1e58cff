import pg from "pg";
import { type Clock, pause } from "../../core/clock.ts";
import { unavailable } from "../stores.ts";
import { addressesOf } from "./address.ts";
import {
  beginSession,
  type ConnectionSettings,
  clientConfig,
  connectMsMaxDefault,
  poolConfig,
  type QueryRows,
  type Session,
  sessionOn,
} from "./connection.ts";
import {
  ConnectionLost,
  isBroken,
  isReadOnlyServer,
  isTransient,
  orConnectionLost,
} from "./failures.ts";

/** Requests that wait for a connection. Beyond it one is rejected: it would wait too long. */
const waitingMax = 5_000;
/** After all hosts have failed, none is tried again for this long. */
const searchAgainMs = 250;
const attemptsMax = 6;
const retryMsBase = 5;

export interface DatabaseSettings extends ConnectionSettings {
  readonly address: string;
  /** Whether the server may cache prepared statements. Not possible behind an old pgbouncer. */
  readonly namedStatements: boolean;
}

/** A pool of connections to the primary among the hosts. */
export class Database {
  readonly clock: Clock;
  readonly #addresses: readonly string[];
  readonly #settings: ConnectionSettings;
  readonly #namedStatements: boolean;
  #current: { readonly address: string; readonly pool: pg.Pool } | undefined;
  /** The host that failed last, and is tried last. */
  #lastPrimary: string | undefined;
  #searching: Promise<pg.Pool> | undefined;
  #searchableMs = 0;
  #lastFailure: unknown;
  #closed = false;

  constructor(settings: DatabaseSettings, clock: Clock) {
    this.clock = clock;
    this.#addresses = addressesOf(settings.address);
    this.#settings = settings;
    this.#namedStatements = settings.namedStatements;
  }

  async read<Row extends unknown[]>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.query<Row>(text, values)).rows;
  }

  /** A single read-only statement, which is retried when its connection is lost. */
  async query<Row extends unknown[]>(
    text: string,
    values: readonly unknown[],
  ): Promise<QueryRows<Row>> {
    const ask = (session: Session) => session.query<Row>(text, values);
    try {
      return await this.use(ask);
    } catch (cause) {
      if (this.#closed || !isBroken(cause) || this.#current === undefined) throw cause;
      return this.use(ask);
    }
  }

  /** Runs work on one connection, which is then released. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken = false;
    try {
      return await work(sessionOn(client, this.#namedStatements));
    } catch (cause) {
      // A statement that the server rejects does not harm the connection.
      broken = isBroken(cause);
      if (isReadOnlyServer(cause)) this.#dropPrimary();
      throw cause;
    } finally {
      client.release(broken);
    }
  }

  /**
   * Runs work in a transaction, with the rows of the last statement of `begin`. It is retried from
   * the start when it is rolled back in favour of another one, so it may rely only on what it reads
   * itself.
   */
  transact<T>(begin: string, work: Work<T>): Promise<T> {
    return this.#retrying((session) => transaction(session, begin, work));
  }

  /** A single statement that is its own transaction. */
  write<Row extends unknown[]>(text: string, values: readonly unknown[]): Promise<QueryRows<Row>> {
    return this.#retrying((session) => session.query<Row>(text, values));
  }

  async #retrying<T>(work: (session: Session) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.use(work);
      } catch (cause) {
        if (!isTransient(cause) || attempt === attemptsMax) throw cause;
        await pause(this.clock, retryMsBase * 2 ** attempt);
      }
    }
  }

  /** A connection outside the pool, to listen for notifications. */
  async dedicated(): Promise<pg.Client> {
    // Finds the primary, if it is not known yet.
    (await this.#connect()).release();
    const address = this.#current?.address;
    if (address === undefined) throw new ConnectionLost("The connection was lost.");
    const client = new pg.Client({
      ...clientConfig(address, this.#settings),
      query_timeout: connectMsMaxDefault,
    });
    client.on("error", () => {});
    try {
      await client.connect();
      await beginSession(client);
      return client;
    } catch (cause) {
      void client.end().catch(() => {});
      throw orConnectionLost(cause);
    }
  }

  /** How many connections there are, idle ones among them, and who waits for one. */
  get pool() {
    const { totalCount = 0, idleCount = 0, waitingCount = 0, options } = this.#current?.pool ?? {};
    const max = options?.max ?? 0;
    return { open: totalCount, idle: idleCount, waiting: waitingCount, max };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#searching?.catch(() => {});
    const { pool } = this.#current ?? {};
    this.#current = undefined;
    await pool?.end();
  }

  async #connect(): Promise<pg.PoolClient> {
    const pool = this.#current?.pool ?? (await this.#search());
    if (pool.waitingCount >= waitingMax) throw unavailable(`${waitingMax} wait for a connection.`);
    try {
      return await pool.connect();
    } catch (cause) {
      const isCurrent = this.#current?.pool === pool;
      // All connections are busy; the host is fine.
      if (isCurrent && isFull(cause)) throw unavailable("All connections are busy.");
      if (isCurrent) this.#dropPrimary();
      return await (await this.#search()).connect().catch((again) => {
        throw orConnectionLost(again);
      });
    }
  }

  /** The primary is unknown from now on. Connections in use are not interrupted. */
  #dropPrimary(): void {
    this.#lastPrimary = this.#current?.address;
    void this.#current?.pool.end().catch(() => {});
    this.#current = undefined;
  }

  /** Concurrent callers share one search. */
  async #search(): Promise<pg.Pool> {
    if (this.#closed) throw unavailable("The store was closed.");
    if (this.#current !== undefined) return this.#current.pool;
    if (this.#searching === undefined && this.clock.elapsed() < this.#searchableMs) {
      throw this.#lastFailure;
    }
    this.#searching ??= this.#tryAll().finally(() => {
      this.#searching = undefined;
    });
    return this.#searching;
  }

  async #tryAll(): Promise<pg.Pool> {
    const others = this.#addresses.filter((address) => address !== this.#lastPrimary);
    for (const address of this.#lastPrimary === undefined
      ? others
      : [...others, this.#lastPrimary]) {
      const pool = new pg.Pool(poolConfig(address, this.#settings));
      // An idle connection broke: the pool has already removed it.
      pool.on("error", () => {});
      try {
        (await pool.connect()).release();
        this.#current = { address, pool };
        return pool;
      } catch (cause) {
        this.#lastFailure = orConnectionLost(cause);
        void pool.end().catch(() => {});
      }
    }
    this.#searchableMs = this.clock.elapsed() + searchAgainMs;
    throw this.#lastFailure;
  }
}

type Work<T> = (session: Session, begun: unknown[][]) => Promise<T>;

async function transaction<T>(session: Session, begin: string, work: Work<T>): Promise<T> {
  try {
    const begun = await session.script(begin);
    const result = await work(session, begun);
    await session.script("COMMIT");
    return result;
  } catch (cause) {
    if (!isBroken(cause)) await session.script("ROLLBACK");
    throw cause;
  }
}

function isFull(cause: unknown): boolean {
  return (cause as Error).message === "timeout exceeded when trying to connect";
}
