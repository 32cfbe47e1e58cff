import type { JsonOf } from "../../contract/document.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { Done, IdempotentRequest, Mismatch } from "../idempotency/idempotency.ts";
import type { NewPet, Pet, PetStatus } from "./pet.ts";
import type { PetChanges } from "./petChanges.ts";

/** Which pets, and from where on. No member means no restriction. */
export interface PetFilter {
  readonly status?: PetStatus | undefined;
  /** At most `idsFilterMax` of them. */
  readonly ids?: readonly bigint[] | undefined;
}

export interface PetQuery extends PetFilter {
  /** Only pets with a larger id. */
  readonly after?: bigint | undefined;
  /** From 1 to `pageSizeMax`. */
  readonly limit: number;
}

export interface PetPage {
  /** In the order of their ids, each already the JSON that a client gets. */
  readonly pets: readonly JsonOf<Pet>[];
  /** The id to continue after; undefined when nothing follows. */
  readonly next: bigint | undefined;
  /** The id of the pet that showed that something follows: no pet behind it was looked at. */
  readonly readUpTo: bigint | undefined;
}

/** What an addition depends on beside the pet itself. */
export interface AddTerms {
  readonly idempotency?: IdempotentRequest | undefined;
  /** Refuse a pet whose category is not among the categories. */
  readonly knownCategoryOnly?: boolean;
}

export type AddOutcome = Done<Pet> | Mismatch | { readonly kind: "no_such_category" };

/** A pet that comes from elsewhere. Without an id it is given the next free one. */
export interface ImportedPet extends NewPet {
  readonly id?: bigint | undefined;
}

export type ImportOutcome =
  | { readonly kind: "stored"; readonly added: number; readonly unchanged: number }
  /** Another pet has the id of the pet at this place in the batch. Nothing of it was stored. */
  | { readonly kind: "conflict"; readonly id: bigint; readonly index: number };

export const idsFilterMax = 100;
/** For a client the contract allows 100; an export reads in larger steps. */
export const pageSizeMax = 10_000;
export const importBatchMax = 10_000;
/** Half of the ids are kept for pets that are yet to be added. */
export const idGivenMax = 2n ** 62n;

/** For `idsFilterMax` and `importBatchMax`, before anything is read or written. */
export function requireAtMost(max: number, items: readonly unknown[], plural: string): void {
  if (items.length > max) throw new RangeError(`At most ${max} ${plural} at once.`);
}

/**
 * The pets, on whatever engine. A promise that resolves means: on disk. A failure of the engine is
 * a Problem `store_unavailable`; after it a write may or may not have happened, and none was
 * acknowledged. Everything may be called concurrently.
 */
export interface Catalogue {
  /** Assigns the id. Ids grow, start at 1, and are never used twice. A refusal leaves nothing. */
  add(pet: NewPet, terms?: AddTerms): Promise<AddOutcome>;

  get(id: bigint): MaybePromise<JsonOf<Pet> | undefined>;

  /** Costs the same at any depth: it seeks to `after` and never counts past rows. */
  list(query: PetQuery): MaybePromise<PetPage>;

  /**
   * Stores all of the batch or, on a conflict, nothing. A pet that is already there with the same
   * content counts as unchanged, so an interrupted import can be run again. Ids given later by
   * `add` are larger than every imported one up to `idGivenMax`; beyond it they stay out of the
   * way, so that no import can use up the ids. At most `importBatchMax` pets, ids from 1 up.
   */
  import(pets: readonly ImportedPet[]): Promise<ImportOutcome>;

  /**
   * Pets that any process has changed or removed, or put among those with smaller ids; what `add`
   * does at the end does not count, unless it was lost with a server.
   */
  readonly changes: PetChanges;

  /**
   * The revision of `changes`, which has all that was committed before the question then. What was
   * read after a revision is what would be read now, unless later changes affect it.
   */
  revision(): MaybePromise<number>;
}
