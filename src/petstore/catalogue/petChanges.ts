/**
 * The pets that changed recently. A cached read stays valid as long as none of the pets it depends
 * on has changed.
 */

/** The pets that something depends on: those in a range of ids, or only some of them. */
export interface PetExtent {
  readonly first: number;
  readonly last: number;
  readonly ids?: readonly number[] | undefined;
}

/** How many changes are stored individually. */
export const changesMax = 4_096;

/** Both ends included. */
export function petRange(first: bigint, last: bigint): PetExtent {
  return { first: Number(first), last: Number(last) };
}

export function petsWithIds(ids: readonly bigint[]): PetExtent {
  const numbers = ids.map(Number);
  return { first: Math.min(...numbers), last: Math.max(...numbers), ids: numbers };
}

/**
 * Ids are stored as floating-point numbers. Rounding keeps their order: a large id may be mistaken
 * for its neighbour, which costs a cached response, but a change is never missed.
 */
export class PetChanges {
  readonly #ids = new Float64Array(changesMax);
  #revision = 0;
  /** Changes up to this revision are no longer stored. */
  #droppedUpTo = 0;

  /** Grows with every change that this process learns of. Not comparable between processes. */
  get revision(): number {
    return this.#revision;
  }

  add(id: bigint): void {
    this.#ids[this.#revision % changesMax] = Number(id);
    this.#revision++;
    this.#droppedUpTo = Math.max(this.#droppedUpTo, this.#revision - changesMax);
  }

  /** Anything may have changed. */
  addAll(): void {
    this.#revision++;
    this.#droppedUpTo = this.#revision;
  }

  /** Whether a read of these pets made after `revision` may be stale now. */
  affect({ first, last, ids }: PetExtent, revision: number): boolean {
    if (revision < this.#droppedUpTo) return true;
    for (let change = revision; change < this.#revision; change++) {
      const id = this.#ids[change % changesMax] as number;
      if (id >= first && id <= last && (ids === undefined || ids.includes(id))) return true;
    }
    return false;
  }
}
