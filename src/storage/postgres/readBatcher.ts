import type { JsonOf } from "../../contract/document.ts";
import type { Clock } from "../../core/clock.ts";
import { getOrInsert } from "../../core/recentMap.ts";
import { unavailable } from "../stores.ts";
import { int8s } from "./connection.ts";
import type { Database } from "./database.ts";
import { mapErrors } from "./failures.ts";

/** Beyond it a read is rejected: it would wait too long. */
const waitingMax = 10_000;
/** More concurrent batches would be smaller, and use connections that others need. */
const inFlightMax = 3;
/** The next batch does not wait for one that takes longer than this. */
const slowAfterMs = 20;
/** Larger batches save nothing more. */
const keysPerBatchMax = 200;

/** The results of the queries, in their order. */
type ReadAll<Query, Result> = (queries: readonly Query[]) => Promise<readonly Result[]>;

interface Size<Query> {
  /** The size of a batch. */
  readonly batchMax: number;
  /** The size of a query; 1 by default. */
  of?(query: Query): number;
}

interface Waiting<Query, Result> {
  readonly query: Query;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/**
 * Reads from the database in batches: reads that arrive while a batch is in flight form the next
 * one, which is one statement. The busier the store, the more reads share a round trip; a single
 * read is sent at once. No result is older than its request.
 *
 * One batch is in flight, since two would each be half as large and cost as much. More are sent
 * when a full batch is waiting, or when one is slow: its connection may be stuck.
 */
export class ReadBatcher<Query, Result> {
  readonly #clock: Clock;
  readonly #readAll: ReadAll<Query, Result>;
  readonly #size: Size<Query>;
  #waiting: Waiting<Query, Result>[] = [];
  #inFlight = 0;
  /** Batches in flight that are not slow yet. */
  #prompt = 0;
  #scheduled = false;

  constructor(clock: Clock, size: Size<Query>, readAll: ReadAll<Query, Result>) {
    this.#clock = clock;
    this.#size = size;
    this.#readAll = readAll;
  }

  read(query: Query): Promise<Result> {
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(unavailable(`${waitingMax} reads wait for the database.`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ query, resolve, reject });
      this.#schedule();
    });
  }

  /** After this turn of the event loop: in a microtask the first read would be sent alone. */
  #schedule(): void {
    if (this.#scheduled || !this.#canSend()) return;
    this.#scheduled = true;
    this.#clock.next(() => {
      this.#scheduled = false;
      while (this.#canSend()) this.#send(this.#nextBatch());
    });
  }

  #canSend(): boolean {
    if (this.#waiting.length === 0 || this.#inFlight >= inFlightMax) return false;
    return this.#prompt === 0 || this.#waiting.length >= this.#size.batchMax;
  }

  #nextBatch(): Waiting<Query, Result>[] {
    const { batchMax, of: sizeOf = () => 1 } = this.#size;
    let size = 0;
    const firstBeyond = this.#waiting.findIndex(({ query }, index) => {
      size += sizeOf(query);
      return size > batchMax && index > 0;
    });
    return this.#waiting.splice(0, firstBeyond === -1 ? this.#waiting.length : firstBeyond);
  }

  #send(batch: readonly Waiting<Query, Result>[]): void {
    this.#inFlight++;
    this.#prompt++;
    let isPrompt = true;
    const endPrompt = () => {
      if (isPrompt) this.#prompt--;
      isPrompt = false;
      this.#schedule();
    };
    const cancelTimer = this.#clock.after(slowAfterMs, endPrompt);
    void this.#settle(batch).finally(() => {
      cancelTimer();
      this.#inFlight--;
      endPrompt();
    });
  }

  async #settle(batch: readonly Waiting<Query, Result>[]): Promise<void> {
    try {
      const results = await this.#readAll(batch.map(({ query }) => query));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (cause) {
      for (const { reject } of batch) reject(cause);
    }
  }
}

/** Finds the values of distinct keys. */
type Find<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;

/** Concurrent reads of a key share one. */
export function batcherByKey<Key, Value>(
  clock: Clock,
  find: Find<Key, Value>,
): ReadBatcher<Key, Value | undefined> {
  return new ReadBatcher(clock, { batchMax: keysPerBatchMax }, async (keys) => {
    const found = await find([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  });
}

/** Several keys in a consistent snapshot, from one statement. The result may contain others too. */
export function batcherByKeys<Key, Value>(
  clock: Clock,
  find: Find<Key, Value>,
): ReadBatcher<readonly Key[], ReadonlyMap<Key, Value>> {
  const size = { batchMax: keysPerBatchMax, of: (keys: readonly Key[]) => keys.length };
  return new ReadBatcher(clock, size, async (queries) => {
    const found = await find([...new Set(queries.flat())]);
    return queries.map(() => found);
  });
}

/** Larger pages are for exports, and are read alone: others should not wait for them. */
const limitMax = 100;
const rowsMax = 2_000;

interface Page<Item> {
  readonly items: readonly JsonOf<Item>[];
  readonly next: bigint | undefined;
  /** The id of the item that showed that something follows. */
  readonly readUpTo: bigint | undefined;
}

/** Identifies a page, with its limit. */
interface PageStart {
  readonly status: string | undefined;
  readonly after: bigint;
}

type PageRow = [place: bigint, ids: string | null, texts: string | null];

/**
 * Pages of a table whose rows have an `id`, a `status` and a `json`, read in batches. Equal pages
 * are read once; different ones share a statement, with one row for each.
 */
export class BatchedPages<Item> {
  readonly #database: Database;
  readonly #statements: PageStatements;
  readonly #byLimit = new Map<number, ReadBatcher<PageStart, Page<Item>>>();

  constructor(database: Database, statements: PageStatements) {
    this.#database = database;
    this.#statements = statements;
  }

  get(start: PageStart, limit: number): Promise<Page<Item>> {
    if (limit <= limitMax) return this.#batcher(limit).read(start);
    return mapErrors(this.#read([start], limit)).then(([page]) => page as Page<Item>);
  }

  #batcher(limit: number): ReadBatcher<PageStart, Page<Item>> {
    return getOrInsert(this.#byLimit, limit, () => {
      const batchMax = Math.ceil(rowsMax / limit);
      const read = (starts: readonly PageStart[]) => mapErrors(this.#read(starts, limit));
      return new ReadBatcher(this.#database.clock, { batchMax }, read);
    });
  }

  async #read(starts: readonly PageStart[], limit: number): Promise<Page<Item>[]> {
    const keys = starts.map(({ status = "", after }) => `${status} ${after}`);
    const different = [...new Map(keys.map((key, index) => [key, starts[index] as PageStart]))];
    const pages = new Map<string, Page<Item>>();
    const ask = async (asked: typeof different, text: string, values: readonly unknown[]) => {
      if (asked.length === 0) return;
      for (const [place, ids, texts] of await this.#database.read<PageRow>(text, values)) {
        const [key = ""] = asked[Number(place) - 1] ?? [];
        pages.set(key, pageFrom<Item>(ids, texts, limit));
      }
    };
    const afters = (asked: typeof different) => int8s(asked.map(([, { after }]) => after));
    const ofAll = different.filter(([, { status }]) => status === undefined);
    const ofStatus = different.filter(([, { status }]) => status !== undefined);
    const statuses = ofStatus.map(([, { status }]) => status);
    await Promise.all([
      ask(ofAll, this.#statements.ofAll, [afters(ofAll), limit + 1]),
      ask(ofStatus, this.#statements.ofStatus, [afters(ofStatus), limit + 1, statuses]),
    ]);
    return keys.map((key) => pages.get(key) ?? emptyPage);
  }
}

const emptyPage = { items: [], next: undefined, readUpTo: undefined };

/** One more row than requested shows whether anything follows. */
function pageFrom<Item>(ids: string | null, texts: string | null, limit: number): Page<Item> {
  if (ids === null || texts === null) return emptyPage;
  const items = texts.split(between) as JsonOf<Item>[];
  if (items.length <= limit) return { ...emptyPage, items };
  items.pop();
  const [next, readUpTo] = ids.split(",").slice(-2).map(BigInt);
  return { items, next, readUpTo };
}

/** Never part of our JSON: it is escaped in strings. */
const between = "\n";

interface PageStatements {
  readonly ofAll: string;
  readonly ofStatus: string;
}

/** $1: the ids to start after; $2: the number of rows of each page; $3: the status of each page. */
export function pageStatements(table: "pets" | "orders"): PageStatements {
  // One row for a page, not for an item: parsing rows is most of the cost of a page.
  const inOne = `string_agg(id::text, ',' ORDER BY id) AS ids,
    string_agg(json, E'\\n' ORDER BY id) AS texts`;
  return {
    ofAll: `SELECT place, ids, texts
      FROM unnest($1::int8[]) WITH ORDINALITY AS start (after, place)
      CROSS JOIN LATERAL (SELECT ${inOne} FROM (
        SELECT id, json FROM ${table} WHERE id > start.after ORDER BY id LIMIT $2
      ) AS items) AS page`,
    // A range of the index, in its order. With `status = … ORDER BY id` the planner may scan the
    // primary key instead, past a million items of another status.
    ofStatus: `SELECT place, ids, texts
      FROM unnest($1::int8[], $3::text[]) WITH ORDINALITY AS start (after, of_status, place)
      CROSS JOIN LATERAL (SELECT ${inOne} FROM (
        SELECT id, json FROM ${table} WHERE (status, id) > (start.of_status, start.after)
          AND status <= start.of_status ORDER BY status, id LIMIT $2
      ) AS items) AS page`,
  };
}
