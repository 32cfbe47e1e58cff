interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/**
 * A bounded map that keeps what was used recently. Two generations: an entry that is read moves to
 * the young one, and when that is full the old one is dropped. So a hit need not update an order.
 */
export class RecentMap<Value> {
  readonly #entriesMax: number;
  readonly #weightMax: number;
  #young = new Map<string, Entry<Value>>();
  #old = new Map<string, Entry<Value>>();
  #youngWeight = 0;

  /** The limits are of both generations together. */
  constructor(max: { readonly entries: number; readonly weight: number }) {
    this.#entriesMax = max.entries;
    this.#weightMax = max.weight;
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old.value, old.weight);
    return old?.value;
  }

  set(key: string, value: Value, weight: number): void {
    this.#youngWeight -= this.#young.get(key)?.weight ?? 0;
    if (
      this.#young.size >= this.#entriesMax / 2 ||
      this.#youngWeight + weight > this.#weightMax / 2
    ) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngWeight = 0;
    }
    this.#young.set(key, { value, weight });
    this.#youngWeight += weight;
  }

  delete(key: string): void {
    this.#youngWeight -= this.#young.get(key)?.weight ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
  }
}

export function getOrInsert<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  make: (key: Key) => Value,
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  map.set(key, made);
  return made;
}
