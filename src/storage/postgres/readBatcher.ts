import type { JsonOf } from "../../contract/document.ts";
import type { Clock } from "../../core/clock.ts";
import { int8s } from "./connection.ts";
import type { Database } from "./database.ts";
import { mapErrors, refused } from "./failures.ts";

/** Past it a read is refused at once: it would wait too long. */
const waitingMax = 10_000;
/** More batches at once would be smaller, and take connections from others. */
const inFlightMax = 3;
/** A batch that takes longer than this keeps the next one waiting no more. */
const slowAfterMs = 20;
/** As many as a page of a busy list: larger batches save nothing more. */
const keysPerBatchMax = 200;

/** The results of the queries, in their order. */
type ReadAll<Query, Result> = (queries: readonly Query[]) => Promise<readonly Result[]>;

interface Size<Query> {
  /** How much goes into one batch. */
  readonly batchMax: number;
  /** How much a query adds to it: 1 where nothing is said. */
  of?(query: Query): number;
}

interface Waiting<Query, Result> {
  readonly query: Query;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/**
 * Reads from the database in batches: what is asked for while a batch is in flight goes along in the
 * next one, which is one statement. The busier the store, the more reads share a round trip; alone,
 * a read leaves at once. Nobody gets a result from before they asked.
 *
 * One batch is in flight, since two would each be half as large and cost as much. Others join it
 * when more waits than a batch holds, or when it is slow: its connection may be stuck.
 */
export class ReadBatcher<Query, Result> {
  readonly #clock: Clock;
  readonly #readAll: ReadAll<Query, Result>;
  readonly #size: Size<Query>;
  #waiting: Waiting<Query, Result>[] = [];
  #inFlight = 0;
  /** Of those in flight, the ones that are not slow yet. */
  #prompt = 0;
  #scheduled = false;

  constructor(clock: Clock, size: Size<Query>, readAll: ReadAll<Query, Result>) {
    this.#clock = clock;
    this.#size = size;
    this.#readAll = readAll;
  }

  read(query: Query): Promise<Result> {
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(refused(`${waitingMax} reads wait for the database.`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ query, resolve, reject });
      this.#schedule();
    });
  }

  /** After this turn of the loop: a microtask would leave with the first of the requests in it. */
  #schedule(): void {
    if (this.#scheduled || !this.#mayLeave()) return;
    this.#scheduled = true;
    this.#clock.next(() => {
      this.#scheduled = false;
      while (this.#mayLeave()) this.#send(this.#nextBatch());
    });
  }

  #mayLeave(): boolean {
    if (this.#waiting.length === 0 || this.#inFlight >= inFlightMax) return false;
    return this.#prompt === 0 || this.#waiting.length >= this.#size.batchMax;
  }

  #nextBatch(): Waiting<Query, Result>[] {
    const { batchMax, of: sizeOf = () => 1 } = this.#size;
    let size = 0;
    const tooMuch = this.#waiting.findIndex(({ query }, index) => {
      size += sizeOf(query);
      return size > batchMax && index > 0;
    });
    return this.#waiting.splice(0, tooMuch === -1 ? this.#waiting.length : tooMuch);
  }

  #send(batch: readonly Waiting<Query, Result>[]): void {
    this.#inFlight++;
    this.#prompt++;
    let isPrompt = true;
    const noLongerPrompt = () => {
      if (isPrompt) this.#prompt--;
      isPrompt = false;
      this.#schedule();
    };
    const cancelTimer = this.#clock.after(slowAfterMs, noLongerPrompt);
    void this.#settle(batch).finally(() => {
      cancelTimer();
      this.#inFlight--;
      noLongerPrompt();
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

/** What is stored under each of these keys, no two of them alike. */
type Find<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;

/** Batched reads by id. */
export class BatchedReads<Value> {
  readonly #one: ReadBatcher<bigint, Value | undefined>;
  readonly #several: ReadBatcher<readonly bigint[], ReadonlyMap<bigint, Value>>;

  constructor(clock: Clock, find: Find<bigint, Value>) {
    this.#one = batcherByKey(clock, find);
    const size = { batchMax: keysPerBatchMax, of: (ids: readonly bigint[]) => ids.length };
    this.#several = new ReadBatcher(clock, size, async (queries) => {
      const found = await find([...new Set(queries.flat())]);
      return queries.map(() => found);
    });
  }

  get(id: bigint): Promise<Value | undefined> {
    return this.#one.read(id);
  }

  /** All in one statement, so that they are from one instant. Others may be among what it found. */
  getAll(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, Value>> {
    return this.#several.read(ids);
  }
}

/** However many ask for one key at once, it is read once. */
export function batcherByKey<Key, Value>(
  clock: Clock,
  find: Find<Key, Value>,
): ReadBatcher<Key, Value | undefined> {
  return new ReadBatcher(clock, { batchMax: keysPerBatchMax }, async (keys) => {
    const found = await find([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  });
}

/** Larger pages are for exports, and go alone: others should not wait for them. */
const limitMax = 100;
const rowsMax = 2_000;

interface Page<Item> {
  readonly items: readonly JsonOf<Item>[];
  readonly next: bigint | undefined;
  /** The id of the item that showed that something follows. */
  readonly readUpTo: bigint | undefined;
}

/** Where a page begins and of what it is. */
interface PageStart {
  readonly status: string | undefined;
  readonly after: bigint;
}

type PageRow = [place: bigint, ids: string | null, texts: string | null];

/**
 * Pages of a table whose rows have an `id`, a `status` and a `json`, read in batches. A page that several
 * ask for in one moment is read once; different ones share a statement, a row for each of them.
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
    let batcher = this.#byLimit.get(limit);
    if (batcher === undefined) {
      const batchMax = Math.ceil(rowsMax / limit);
      batcher = new ReadBatcher(this.#database.clock, { batchMax }, (starts) =>
        mapErrors(this.#read(starts, limit)),
      );
      this.#byLimit.set(limit, batcher);
    }
    return batcher;
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

/** One row more than asked for tells whether anything follows. */
function pageFrom<Item>(ids: string | null, texts: string | null, limit: number): Page<Item> {
  if (ids === null || texts === null) return emptyPage;
  const items = texts.split(between) as JsonOf<Item>[];
  if (items.length <= limit) return { ...emptyPage, items };
  items.pop();
  const [next, readUpTo] = ids.split(",").slice(-2).map(BigInt);
  return { items, next, readUpTo };
}

/** No JSON of ours has one: in texts it is escaped. */
const between = "\n";

interface PageStatements {
  readonly ofAll: string;
  readonly ofStatus: string;
}

/** $1: after which ids; $2: how many rows each; $3: of which status each. */
export function pageStatements(table: "pets" | "orders"): PageStatements {
  // A row for a page and not for an item: taking rows apart is most of what a page costs us.
  const inOne = `string_agg(id::text, ',' ORDER BY id) AS ids,
    string_agg(json, E'\\n' ORDER BY id) AS texts`;
  return {
    ofAll: `SELECT place, ids, texts
      FROM unnest($1::int8[]) WITH ORDINALITY AS start (after, place)
      CROSS JOIN LATERAL (SELECT ${inOne} FROM (
        SELECT id, json FROM ${table} WHERE id > start.after ORDER BY id LIMIT $2
      ) AS items) AS page`,
    // A stretch of the index, in its order. With `status = … ORDER BY id` the planner may walk along
    // the primary key instead, in the hope of an item of that status, past a million of others.
    ofStatus: `SELECT place, ids, texts
      FROM unnest($1::int8[], $3::text[]) WITH ORDINALITY AS start (after, of_status, place)
      CROSS JOIN LATERAL (SELECT ${inOne} FROM (
        SELECT id, json FROM ${table} WHERE (status, id) > (start.of_status, start.after)
          AND status <= start.of_status ORDER BY status, id LIMIT $2
      ) AS items) AS page`,
  };
}
