import { refused } from "./failures.ts";

/** As many as a page of a busy list: larger groups save nothing more. */
const groupMax = 200;
/** More groups at once would be smaller, and take connections from others. */
const underWayMax = 3;

/** Past it a read is refused at once: it would wait too long. */
const waitingMax = 10_000;

interface Waiting<Value> {
  readonly id: bigint;
  resolve(value: Value | undefined): void;
  reject(reason: unknown): void;
}

/**
 * Reads by id, in groups: what is asked for while others are being read goes along in the next
 * group. The busier the store, the more share one round trip; alone, a read leaves at once.
 */
export class GatheredReads<Value> {
  readonly #read: (ids: readonly bigint[]) => Promise<ReadonlyMap<bigint, Value>>;
  #waiting: Waiting<Value>[] = [];
  #underWay = 0;
  #scheduled = false;

  constructor(read: (ids: readonly bigint[]) => Promise<ReadonlyMap<bigint, Value>>) {
    this.#read = read;
  }

  get(id: bigint): Promise<Value | undefined> {
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(refused(`${waitingMax} reads wait for the database.`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject });
      if (this.#scheduled || this.#underWay >= underWayMax) return;
      this.#scheduled = true;
      queueMicrotask(() => {
        this.#scheduled = false;
        this.#send();
      });
    });
  }

  #send(): void {
    if (this.#waiting.length === 0 || this.#underWay >= underWayMax) return;
    const group = this.#waiting.splice(0, groupMax);
    this.#underWay++;
    void this.#answer(group).finally(() => {
      this.#underWay--;
      this.#send();
    });
  }

  async #answer(group: readonly Waiting<Value>[]): Promise<void> {
    try {
      const found = await this.#read(group.map(({ id }) => id));
      for (const { id, resolve } of group) resolve(found.get(id));
    } catch (cause) {
      for (const { reject } of group) reject(cause);
    }
  }
}
