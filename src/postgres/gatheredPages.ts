import type { JsonOf } from "../contract/operations.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { Gathering } from "./gathering.ts";
import { int8s } from "./session.ts";

/** Larger pages are for exports, and go alone: others should not wait for them. */
const limitMax = 100;
const rowsMax = 2_000;

export interface Page<Item> {
  readonly items: readonly JsonOf<Item>[];
  readonly next: bigint | undefined;
  /** The id of the item that showed that something follows. */
  readonly readUpTo: bigint | undefined;
}

/** Where a page begins and of what it is. */
export interface PageStart {
  readonly status: string | undefined;
  readonly after: bigint;
}

type PageRow = [place: bigint, ids: string | null, texts: string | null];

/**
 * Pages of a table whose rows have an `id`, a `status` and a `json`, gathered. A page that several
 * ask for in one moment is read once; different ones share a statement, a row for each of them.
 */
export class GatheredPages<Item> {
  readonly #database: Database;
  readonly #statements: PageStatements;
  readonly #byLimit = new Map<number, Gathering<PageStart, Page<Item>>>();

  constructor(database: Database, statements: PageStatements) {
    this.#database = database;
    this.#statements = statements;
  }

  get(start: PageStart, limit: number): Promise<Page<Item>> {
    if (limit <= limitMax) return this.#gathering(limit).ask(start);
    return failing(this.#read([start], limit)).then(([page]) => page as Page<Item>);
  }

  #gathering(limit: number): Gathering<PageStart, Page<Item>> {
    let gathering = this.#byLimit.get(limit);
    if (gathering === undefined) {
      const groupMax = Math.ceil(rowsMax / limit);
      gathering = new Gathering({ groupMax }, (starts) => failing(this.#read(starts, limit)));
      this.#byLimit.set(limit, gathering);
    }
    return gathering;
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

export interface PageStatements {
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
