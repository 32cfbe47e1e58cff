import { Gathering } from "./gathering.ts";

/** As many as a page of a busy list: larger groups save nothing more. */
const idsMax = 200;

/** What is stored under each of these ids, no two of them alike. */
type Read<Value> = (ids: readonly bigint[]) => Promise<ReadonlyMap<bigint, Value>>;

/** Reads by id, gathered. */
export class GatheredReads<Value> {
  readonly #one: Gathering<bigint, Value | undefined>;
  readonly #several: Gathering<readonly bigint[], ReadonlyMap<bigint, Value>>;

  constructor(read: Read<Value>) {
    this.#one = new Gathering({ groupMax: idsMax }, async (ids) => {
      const found = await read([...new Set(ids)]);
      return ids.map((id) => found.get(id));
    });
    const size = { groupMax: idsMax, of: (ids: readonly bigint[]) => ids.length };
    this.#several = new Gathering(size, async (questions) => {
      const found = await read([...new Set(questions.flat())]);
      return questions.map(() => found);
    });
  }

  get(id: bigint): Promise<Value | undefined> {
    return this.#one.ask(id);
  }

  /** All in one statement, so that they are from one instant. Others may be among what it found. */
  getAll(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, Value>> {
    return this.#several.ask(ids);
  }
}
