import type { DatabaseSync } from "node:sqlite";
import { int64After } from "../../contract/int64.ts";
import type { CounterName } from "../repositories/storage.ts";

type CountedName = CounterName | "last_pet_id" | "last_order_id";

export type Counters = Readonly<Record<CountedName, Counter>>;

export function countersOf(db: DatabaseSync): Counters {
  return {
    last_pet_id: new Counter(db, "last_pet_id"),
    last_order_id: new Counter(db, "last_order_id"),
    key_revision: new Counter(db, "key_revision"),
    site_revision: new Counter(db, "site_revision"),
    edge_revision: new Counter(db, "edge_revision"),
    last_fence: new Counter(db, "last_fence"),
  };
}

/**
 * One of the numbers in `counters`, read and written at most once in a transaction. Another process
 * may change it between two transactions.
 */
class Counter {
  readonly #name: string;
  readonly #read;
  readonly #write;
  #value: bigint | undefined;
  #changed = false;

  constructor(db: DatabaseSync, name: CountedName) {
    this.#name = name;
    this.#read = db.prepare("SELECT value FROM counters WHERE name = ?");
    this.#read.setReadBigInts(true);
    this.#write = db.prepare("UPDATE counters SET value = ? WHERE name = ?");
  }

  get(): bigint {
    this.#value ??= this.#read.get(this.#name)?.["value"] as bigint;
    return this.#value;
  }

  set(value: bigint): void {
    this.#value = value;
    this.#changed = true;
  }

  /** Advances it by one, to a value that was never used. */
  next(): bigint {
    const next = int64After(this.get(), this.#name);
    this.set(next);
    return next;
  }

  /** Before the commit. */
  save(): void {
    if (this.#changed) this.#write.run(this.get(), this.#name);
  }

  /** After the commit or the rollback. */
  forget(): void {
    this.#value = undefined;
    this.#changed = false;
  }
}
