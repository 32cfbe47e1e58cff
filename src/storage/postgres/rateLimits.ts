import {
  type Quota,
  type RateLimiter,
  roundingError,
  tokensPerMs,
  type Verdict,
  verdictOf,
} from "../../petstore/keys/rateLimiter.ts";
import { unavailable } from "../stores.ts";
import type { Database } from "./database.ts";
import { mapErrors } from "./failures.ts";

/** Beyond it a request is rejected: it would wait too long. */
const waitingMax = 10_000;
/** After so many rounds, full buckets are removed. */
const roundsPerSweep = 10_000;

interface Waiting {
  readonly wants: 1 | -1;
  resolve(verdict: Verdict): void;
  reject(reason: unknown): void;
}

type BucketRow = [keyId: string, tokens: number, taken: bigint];

/**
 * Token buckets in the database, by the clock of the database: a key has one bucket for all
 * processes. Requests that arrive during a round share the next one, so a busy process writes once
 * for many.
 */
export class SharedBuckets implements RateLimiter {
  readonly quota: Quota;
  readonly #database: Database;
  #waiting = new Map<string, Waiting[]>();
  /** In all queues of `#waiting` together. */
  #waitingCount = 0;
  #inFlight = false;
  #rounds = 0;

  constructor(quota: Quota, database: Database) {
    this.quota = quota;
    this.#database = database;
  }

  take(keyId: string): Promise<Verdict> {
    return this.#ask(keyId, 1);
  }

  giveBack(keyId: string): Promise<Verdict> {
    return this.#ask(keyId, -1);
  }

  #ask(keyId: string, wants: 1 | -1): Promise<Verdict> {
    // Not for `giveBack`: there are never more of these than requests that were allowed.
    if (wants === 1 && this.#waitingCount >= waitingMax) {
      return Promise.reject(unavailable(`${waitingMax} requests wait for their quota.`));
    }
    this.#waitingCount++;
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(keyId) ?? [];
      queue.push({ wants, resolve, reject });
      this.#waiting.set(keyId, queue);
      if (!this.#inFlight) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#inFlight = true;
    // Other requests of this turn of the event loop join the round.
    await undefined;
    while (this.#waiting.size > 0) {
      const round = this.#waiting;
      this.#waiting = new Map();
      this.#waitingCount = 0;
      try {
        const rows = await mapErrors(this.#settle(round));
        for (const [keyId, tokens, taken] of rows)
          this.#resolve(round.get(keyId) ?? [], tokens, taken);
      } catch (cause) {
        for (const queue of round.values()) for (const { reject } of queue) reject(cause);
      }
    }
    this.#inFlight = false;
  }

  async #settle(round: ReadonlyMap<string, readonly Waiting[]>): Promise<readonly BucketRow[]> {
    // In one order, so that processes with the same keys rarely deadlock.
    const keyIds = [...round.keys()].sort();
    const count = (keyId: string, wants: number) =>
      (round.get(keyId) ?? []).filter((each) => each.wants === wants).length;
    const { requests, windowSeconds } = this.quota;
    if (++this.#rounds % roundsPerSweep === 0) {
      await this.#database.write(removeFull, [windowSeconds * 1000]);
    }
    const asked = [
      keyIds,
      keyIds.map((keyId) => count(keyId, 1)),
      keyIds.map((keyId) => count(keyId, -1)),
      requests,
      tokensPerMs(this.quota),
    ];
    const { rows } = await this.#database.write<BucketRow>(settleBuckets, asked);
    if (rows.length === keyIds.length) return rows;
    // Existing buckets are settled; only the missing ones are retried.
    const settled = new Set(rows.map(([keyId]) => keyId));
    const missing = keyIds.filter((keyId) => !settled.has(keyId));
    await this.#database.write(addBuckets, [missing, requests]);
    const rest = new Map(missing.map((keyId) => [keyId, round.get(keyId) ?? []]));
    return [...rows, ...(await this.#settle(rest))];
  }

  /** First come, first served. Tokens that were given back are available to all of them. */
  #resolve(queue: readonly Waiting[], tokens: number, taken: bigint): void {
    let left = Number(taken);
    for (const { wants, resolve } of queue) {
      const allowed = wants === -1 || left > 0;
      if (wants === 1 && allowed) left -= 1;
      resolve(verdictOf(this.quota, tokens, allowed));
    }
  }
}

/** Constant within a statement. */
const nowMs = "CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS int8)";

/** $4: the capacity of a bucket; $5: how many tokens it gains in a millisecond. */
const filled = `least($4::float8,
  bucket.tokens + CAST(greatest(0, ${nowMs} - bucket.filled_at_ms) AS float8) * $5::float8
    + asked.given)`;
const taken = `least(asked.wanted, floor(${filled} + ${roundingError}))`;

const settleBuckets = `
  UPDATE quota_buckets AS bucket SET
    tokens = greatest(0, ${filled} - ${taken}),
    taken = ${taken},
    filled_at_ms = greatest(bucket.filled_at_ms, ${nowMs})
  FROM unnest($1::text[], $2::float8[], $3::float8[]) AS asked (key_id, wanted, given)
  WHERE bucket.key_id = asked.key_id
  RETURNING bucket.key_id, bucket.tokens, bucket.taken`;

const addBuckets = `
  INSERT INTO quota_buckets (key_id, tokens, filled_at_ms, taken)
  SELECT key_id, $2::float8, ${nowMs}, 0 FROM unnest($1::text[]) AS missing (key_id)
  ON CONFLICT (key_id) DO NOTHING`;

const removeFull = `DELETE FROM quota_buckets WHERE filled_at_ms < ${nowMs} - $1::int8`;
