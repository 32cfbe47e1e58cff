import { Gathering } from "./gathering.ts";
import { hasNul } from "./texts.ts";

const keysMax = 200;

/** Finds what is stored under each of these keys, no two of them alike. */
type Find<Value> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

/** Look-ups by a text, gathered: however many ask for one host at once, it is looked up once. */
export class GatheredLookUps<Value> {
  readonly #gathering: Gathering<string, Value | undefined>;

  constructor(find: Find<Value>) {
    this.#gathering = new Gathering({ groupMax: keysMax }, async (keys) => {
      const found = await find([...new Set(keys)]);
      return keys.map((key) => found.get(key));
    });
  }

  async get(key: string): Promise<Value | undefined> {
    return hasNul(key) ? undefined : this.#gathering.ask(key);
  }
}
