import { refused } from "./failures.ts";
import { GatheredReads } from "./gatheredReads.ts";
import { hasNul } from "./texts.ts";

/** Waiting for an answer. Past it a look-up is refused at once: it would wait too long. */
const lookUpsPendingMax = 10_000;

/** Finds what is stored under each of these keys, no two of them alike. */
type Find<Value> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

/**
 * Look-ups by a text, gathered like reads by an id. However many ask for one host at once, it is
 * looked up once for all that came before the statement was sent: nobody gets an answer from before
 * they asked.
 */
export class GatheredLookUps<Value> {
  readonly #reads: GatheredReads<Value>;
  /** What is asked for, by the number of the one who asks. */
  readonly #asked = new Map<bigint, string>();
  #last = 0n;

  constructor(find: Find<Value>) {
    this.#reads = new GatheredReads((numbers) => this.#answer(numbers, find));
  }

  async get(key: string): Promise<Value | undefined> {
    if (hasNul(key)) return undefined;
    if (this.#asked.size >= lookUpsPendingMax) throw refused(`${lookUpsPendingMax} look-ups wait.`);
    const number = ++this.#last;
    this.#asked.set(number, key);
    return this.#reads.get(number);
  }

  async #answer(numbers: readonly bigint[], find: Find<Value>): Promise<Map<bigint, Value>> {
    const keys = new Map(numbers.map((number) => [number, this.#asked.get(number) as string]));
    for (const number of numbers) this.#asked.delete(number);
    const found = await find([...new Set(keys.values())]);
    return new Map([...keys].map(([number, key]) => [number, found.get(key) as Value]));
  }
}
