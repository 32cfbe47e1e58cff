import type pg from "pg";
import { type Clock, pause } from "../../core/clock.ts";
import { int8s, type Session, sessionOn } from "./connection.ts";
import type { Database } from "./database.ts";

/** How often the counters are read where nobody calls. */
const readEveryMs = 1_000;
/** What was read longer ago than this is not believed any more, here and by those who ask. */
export const trustedMs = 2_000;
/** How often to ask whether everybody has heard. */
const pollEveryMs = 3;
/** Of processes that went without saying so. */
const staleMs = 3_600_000;
const channel = "petstore";

/** Numbers of `counters` that other processes move and this one remembers things by. */
export type WatchedCounter = "key_revision" | "site_revision";

interface Watched {
  value: bigint;
  /** Differs after each change that was noticed, also where a server that took over has less. */
  number: number;
}

/**
 * Knows the revisions without asking for each request, and lets whoever moves one wait until every
 * process knows. A process believes what it read for `trustedMs` after it said that it is there;
 * the one that moves a revision waits for those who were there in that time. So it waits for
 * milliseconds where notifications pass, for a second where they do not (pgbouncer), and for
 * `trustedMs` where a process hangs: it believes nothing by then.
 */
export class Revisions {
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

  /** NaN, which equals nothing, while nobody knows. */
  of(counter: WatchedCounter): number {
    if (this.#clock.elapsed() > this.#trustedUntilMs) return Number.NaN;
    return this.#watched.get(counter)?.number ?? Number.NaN;
  }

  /**
   * After a commit that moved a counter to a value: resolves when no process remembers anything
   * from before. Never rejects: by the time it gives up asking, nobody can.
   */
  async announce(counter: WatchedCounter, value: bigint): Promise<void> {
    const deadlineMs = this.#clock.elapsed() + trustedMs;
    this.#notice(counter, value);
    await this.#notify();
    while (this.#clock.elapsed() < deadlineMs) {
      const behind = await this.#database
        .read<[count: bigint]>(countBehind, [counter, value, this.#id, trustedMs])
        .catch(() => undefined);
      if (behind?.[0]?.[0] === 0n) return;
      await pause(this.#clock, pollEveryMs);
    }
  }

  /** Reads the counters, now or as soon as the reading under way is over. */
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
    // So that nobody waits for a process that is gone.
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
        // The database is away: what is remembered is soon not believed, and the next round comes.
        this.#drop();
      }
    }
  }

  async #readCounters(session: Session): Promise<void> {
    const names = [...this.#watched.keys()];
    const values = [...this.#watched.values()].map(({ value }) => value);
    const sentMs = this.#clock.elapsed();
    // First this, committed by itself, and only then the reading: whoever moves a counter after it
    // was read finds us here, and waits until a later round says that we know.
    await session.query(reportPresence, [this.#id, names, int8s(values)]);
    const asked = new Map(this.#watched.entries().map(([name, { number }]) => [name, number]));
    const { rows } = await session.query<[WatchedCounter, bigint]>(readCounters, [names]);
    for (const [name, value] of rows) {
      const watched = this.#watched.get(name);
      if (watched === undefined || watched.value === value) continue;
      // Others are waiting to hear that we know. And what was read before a change of our own is
      // older than what we know: it is read once more.
      this.#again = true;
      if (watched.number === asked.get(name)) this.#notice(name, value);
    }
    this.#trustedUntilMs = sentMs + trustedMs;
  }

  /** Smaller ones too: somebody may have restored the database. */
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
      // CockroachDB has no channels: there the counters are read every second.
      await client.query(`LISTEN ${channel}`).catch(() => {});
      await client.query(removeStale, [staleMs]);
      return client;
    } catch (cause) {
      // Else each round would leave a connection behind.
      void client.end().catch(() => {});
      throw cause;
    }
  }

  /** Another server may answer next, and have a past of its own: nothing is remembered over it. */
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

  /** Only a call to hurry: who does not hear it reads within the second. */
  async #notify(): Promise<void> {
    await this.#database.read("SELECT pg_notify($1, '')", [channel]).catch(() => {});
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
