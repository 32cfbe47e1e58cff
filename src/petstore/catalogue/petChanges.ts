/**
 * Which pets changed lately. What was read of the catalogue would be read again as long as none of
 * the pets it depends on has changed, whatever else has.
 */

/** The pets that something depends on: those in a range of ids, or only some of them. */
export interface PetExtent {
  readonly first: number;
  readonly last: number;
  readonly ids?: readonly number[] | undefined;
}

/** How many changes are remembered one by one. */
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
 * Ids are held as floating-point numbers. Rounding never changes the order of two of them, so that
 * a large id can be taken for its neighbour, which costs a cached response, but is never missed.
 */
export class PetChanges {
  readonly #ids = new Float64Array(changesMax);
  #revision = 0;
  /** Changes up to this one are not remembered. */
  #forgotten = 0;

  /** Grows with every change that this process learns of, and means nothing to another process. */
  get revision(): number {
    return this.#revision;
  }

  add(id: bigint): void {
    this.#ids[this.#revision % changesMax] = Number(id);
    this.#revision++;
    this.#forgotten = Math.max(this.#forgotten, this.#revision - changesMax);
  }

  /** Anything may have changed. */
  addAll(): void {
    this.#revision++;
    this.#forgotten = this.#revision;
  }

  /** Whether what was read of these pets after `revision` may be another now. */
  affect({ first, last, ids }: PetExtent, revision: number): boolean {
    if (revision < this.#forgotten) return true;
    for (let change = revision; change < this.#revision; change++) {
      const id = this.#ids[change % changesMax] as number;
      if (id >= first && id <= last && (ids === undefined || ids.includes(id))) return true;
    }
    return false;
  }
}
