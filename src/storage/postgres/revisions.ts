import type pg from "pg";
import { type Clock, pause } from "../../core/clock.ts";
import { int8s, type Session, sessionOn } from "./connection.ts";
import type { Database } from "./database.ts";

/** How often the counters are read without a notification. */
const readEveryMs = 1_000;
/** How long a process may use the counters it has read. */
const trustedMs = 2_000;
/** Presence is measured by the clock of the server, which is rounded here and may be adjusted. */
const presentMs = trustedMs + 500;
/** How often to check whether all processes are up to date. */
const pollEveryMs = 3;
/** Rows of processes that ended without removing them. */
const staleMs = 3_600_000;
const channel = "petstore";

/** Counters that any process advances, and by which processes validate their caches. */
export type WatchedCounter = "key_revision" | "site_revision";

interface Watched {
  value: bigint;
  /** Differs after each change, even if the counter of a promoted server is smaller. */
  number: number;
}

/**
 * Knows the revisions without a query for each request, and lets a process that advances one wait
 * until all others know. A process uses what it has read for `trustedMs` after it reported its
 * presence; one that advances a revision waits for all that were present in that time. So it waits
 * for milliseconds if notifications arrive, for a second if they do not (pgbouncer), and for
 * `trustedMs` if a process hangs, which by then no longer trusts what it read.
 */
export class RevisionWatcher {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #id: string;
  readonly #watched: ReadonlyMap<WatchedCounter, Watched>;
  #client: pg.Client | undefined;
  #trustedUntilMs = Number.NEGATIVE_INFINITY;
  #round: Promise<void> | undefined;
  #again = false;
  #closed = false;
  readonly #stop: () => void;

  constructor(database: Database, counters: readonly WatchedCounter[]) {
    this.#database = database;
    this.#clock = database.clock;
    this.#id = Buffer.from(this.#clock.random(12)).toString("base64url");
    this.#watched = new Map(counters.map((name) => [name, { value: -1n, number: 0 }]));
    this.#stop = this.#clock.every(readEveryMs, () => void this.refresh());
  }

  /** NaN, which equals nothing, while it is unknown. */
  of(counter: WatchedCounter): number {
    if (this.#clock.elapsed() > this.#trustedUntilMs) return Number.NaN;
    return this.#watched.get(counter)?.number ?? Number.NaN;
  }

  /**
   * After a commit that advanced a counter to a value: resolves when no process caches anything
   * older. Never rejects: at the deadline no process can.
   */
  async announce(counter: WatchedCounter, value: bigint): Promise<void> {
    const deadlineMs = this.#clock.elapsed() + trustedMs;
    this.#notice(counter, value);
    // Only to save time: without it, the others read within a second.
    await this.#database.read("SELECT pg_notify($1, '')", [channel]).catch(() => {});
    while (this.#clock.elapsed() < deadlineMs) {
      const behind = await this.#database
        .read<[count: bigint]>(countBehind, [counter, value, this.#id, presentMs])
        .catch(() => undefined);
      if (behind?.[0]?.[0] === 0n) return;
      await pause(this.#clock, pollEveryMs);
    }
  }

  /** Reads the counters, now or right after the read in progress. */
  refresh(): Promise<void> {
    this.#again = true;
    this.#round ??= this.#rounds().finally(() => {
      this.#round = undefined;
      if (this.#again && !this.#closed) void this.refresh();
    });
    return this.#round;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    await this.#round;
    this.#trustedUntilMs = Number.NEGATIVE_INFINITY;
    // So that the others do not wait for this process.
    await this.#client?.query("DELETE FROM watchers WHERE id = $1", [this.#id]).catch(() => {});
    await this.#client?.end().catch(() => {});
  }

  async #rounds(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      try {
        this.#client ??= await this.#listen();
        await this.#readCounters(sessionOn(this.#client, false));
      } catch {
        // The database is unavailable: the trust expires soon, and the next round will come.
        this.#drop();
      }
    }
  }

  async #readCounters(session: Session): Promise<void> {
    const names = [...this.#watched.keys()];
    const values = [...this.#watched.values()].map(({ value }) => value);
    const sentMs = this.#clock.elapsed();
    // This is committed before the counters are read: a process that advances one after that sees
    // this process as present, and waits until a later round reports the new value.
    await session.query(reportPresence, [this.#id, names, int8s(values)]);
    const asked = new Map(this.#watched.entries().map(([name, { number }]) => [name, number]));
    const { rows } = await session.query<[WatchedCounter, bigint]>(readCounters, [names]);
    for (const [name, value] of rows) {
      const watched = this.#watched.get(name);
      if (watched === undefined || watched.value === value) continue;
      // Others wait for this process to report the value. A value that was read before a change by
      // this process is outdated: it is read again.
      this.#again = true;
      if (watched.number === asked.get(name)) this.#notice(name, value);
    }
    this.#trustedUntilMs = sentMs + trustedMs;
  }

  /** Smaller values too: the database may have been restored. */
  #notice(counter: WatchedCounter, value: bigint): void {
    const watched = this.#watched.get(counter);
    if (watched === undefined || watched.value === value) return;
    watched.value = value;
    watched.number++;
  }

  async #listen(): Promise<pg.Client> {
    const client = await this.#database.dedicated();
    const gone = () => {
      if (this.#client === client) this.#drop();
    };
    client.on("error", gone);
    client.on("end", gone);
    client.on("notification", () => void this.refresh());
    try {
      // CockroachDB has no notifications: there the counters are read every second.
      await client.query(`LISTEN ${channel}`).catch(() => {});
      await client.query(removeStale, [staleMs]);
      return client;
    } catch (cause) {
      // Otherwise each round would leak a connection.
      void client.end().catch(() => {});
      throw cause;
    }
  }

  /** The next server may have a different history, so all known values are discarded. */
  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    this.#trustedUntilMs = Number.NEGATIVE_INFINITY;
    for (const watched of this.#watched.values()) {
      watched.value = -1n;
      watched.number++;
    }
    void client?.end().catch(() => {});
  }
}

const nowMs = "(extract(epoch FROM now()) * 1000)::int8";

const reportPresence = `INSERT INTO watchers (id, counter, value, seen_at_ms)
  SELECT $1::text, counter, value, ${nowMs} FROM unnest($2::text[], $3::int8[]) AS w (counter, value)
  ON CONFLICT (counter, id) DO UPDATE
  SET value = excluded.value, seen_at_ms = excluded.seen_at_ms`;

const readCounters = "SELECT name, value FROM counters WHERE name = ANY($1::text[])";

const countBehind = `SELECT count(*) FROM watchers
  WHERE counter = $1 AND value < $2::int8 AND id <> $3 AND seen_at_ms > ${nowMs} - $4::int8`;

const removeStale = `DELETE FROM watchers WHERE seen_at_ms < ${nowMs} - $1::int8`;
