import type { JsonOf } from "../../contract/document.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { Done, IdempotentRequest, Mismatch } from "../idempotency/idempotency.ts";
import type { IfMatch, NewPet, Pet, PetPatch, PetStatus } from "./pet.ts";
import type { PetChanges } from "./petChanges.ts";

/** An absent member does not restrict the result. */
export interface PetFilter {
  readonly status?: PetStatus | undefined;
  /** At most `idsFilterMax` of them. */
  readonly ids?: readonly bigint[] | undefined;
  /** Pets of any of these. At most `categoriesFilterMax` of them. */
  readonly categoryIds?: readonly bigint[] | undefined;
  /** By `searchWordsOf`: a word of the pet's name begins with each. 1 to `searchWordsMax`. */
  readonly words?: readonly string[] | undefined;
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
  /** The id of the next pet, which was read to find out whether anything follows. */
  readonly readUpTo: bigint | undefined;
}

/** Conditions of an addition. */
export interface AddTerms {
  readonly idempotency?: IdempotentRequest | undefined;
  /** Refuse a pet whose category is not among the categories. */
  readonly knownCategoryOnly?: boolean;
}

/** Then it can be stored without reading anything. */
export function isUnconditional({ idempotency, knownCategoryOnly }: AddTerms): boolean {
  return idempotency === undefined && !knownCategoryOnly;
}

export type AddOutcome = Done<Pet> | Mismatch | { readonly kind: "no_such_category" };

/** Conditions of a deletion. */
export interface DeleteTerms {
  readonly idempotency?: IdempotentRequest | undefined;
  /** Refuse a pet that is not as one of these entity tags says. */
  readonly ifMatch?: IfMatch | undefined;
}

/** Why a pet was left as it is. */
export type PetRefusal =
  | { readonly kind: "no_such_pet" }
  | { readonly kind: "precondition_failed" }
  /** An open order holds the pet. */
  | { readonly kind: "reserved"; readonly orderId: bigint };

export type UpdateOutcome = AddOutcome | PetRefusal;
/** Done without a text: nothing is left to show. */
export type DeleteOutcome = Done<never> | Mismatch | PetRefusal;

/** A pet of an import. Without an id it gets the next free one. */
export interface ImportedPet extends NewPet {
  readonly id?: bigint | undefined;
}

export type ImportOutcome =
  | { readonly kind: "stored"; readonly added: number; readonly unchanged: number }
  /** The id of the pet at this index belongs to another pet. Nothing of the batch was stored. */
  | { readonly kind: "conflict"; readonly id: bigint; readonly index: number };

export const idsFilterMax = 100;
/** For a client the contract allows 100; an export reads in larger steps. */
export const pageSizeMax = 10_000;
export const importBatchMax = 10_000;
/** Half of all ids are reserved for pets that are added later. */
export const idGivenMax = 2n ** 62n;

/** Checks the maxima of lists. */
export function requireAtMost(max: number, items: readonly unknown[], plural: string): void {
  if (items.length > max) throw new RangeError(`At most ${max} ${plural} at once.`);
}

/**
 * The pets. A write that resolves is on disk. A failure of the engine is a Problem
 * `store_unavailable`; the write may or may not have happened then, and is not acknowledged. All
 * methods may be called concurrently.
 */
export interface Catalogue {
  /** Assigns the id. Ids grow, start at 1, and are never used twice. A refusal leaves nothing. */
  add(pet: NewPet, terms?: AddTerms): Promise<AddOutcome>;

  /** Changes the status only while no open order holds the pet. A refusal leaves it as it is. */
  update(id: bigint, patch: PetPatch, terms?: AddTerms & DeleteTerms): Promise<UpdateOutcome>;

  /** Its id is not assigned again; only an import that names it can bring it back. */
  delete(id: bigint, terms?: DeleteTerms): Promise<DeleteOutcome>;

  get(id: bigint): MaybePromise<JsonOf<Pet> | undefined>;

  /** Costs the same at any depth: it seeks to `after` and never counts past rows. */
  list(query: PetQuery): MaybePromise<PetPage>;

  /** Costs more the more there are. */
  count(filter: PetFilter): MaybePromise<number>;

  /**
   * Stores all of the batch or, on a conflict, nothing. A pet that is already there with the same
   * content counts as unchanged, so an interrupted import can be run again. Later ids of `add` are
   * larger than every imported id up to `idGivenMax`; imported ids above that are skipped, so that
   * no import can exhaust the ids. At most `importBatchMax` pets, ids from 1 up.
   */
  import(pets: readonly ImportedPet[]): Promise<ImportOutcome>;

  /**
   * Pets that any process has changed, removed or inserted before others. Additions at the end do
   * not count, unless they were lost in a failover.
   */
  readonly changes: PetChanges;

  /**
   * Updates `changes` with all that was committed before the call, and returns its revision. What
   * is read after a revision stays valid until a later change affects it.
   */
  revision(): MaybePromise<number>;
}
