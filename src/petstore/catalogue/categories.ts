import type { JsonOf } from "../../contract/document.ts";
import { int64Max } from "../../contract/int64.ts";
import type { Schemas } from "../../contract/operations.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { Done, IdempotentRequest, Mismatch } from "../idempotency/idempotency.ts";

export type Category = Schemas["Category"];

interface CategoryPage {
  /** In the order of their ids. */
  readonly categories: readonly Category[];
  /** The id to continue after; undefined when nothing follows. */
  readonly next: bigint | undefined;
}

interface Taken {
  /** Another category has this id or this name. */
  readonly kind: "taken";
  readonly by: Category;
}

interface NoSuchCategory {
  readonly kind: "no_such_category";
}

export type CategoryAddition =
  | Done<Category>
  | Mismatch
  | Taken
  /** The largest id is taken, so no larger one can be assigned. */
  | { readonly kind: "no_id_left" };

export type CategoryRenaming = Done<Category> | Mismatch | Taken | NoSuchCategory;

/** Done without a text: nothing is left to show. */
export type CategoryRemoval =
  | Done<never>
  | Mismatch
  | NoSuchCategory
  | { readonly kind: "in_use"; readonly petId: bigint };

export interface NewCategory {
  readonly name: string;
  readonly id: bigint | undefined;
}

/** `held` has the id or the name, at most one category each; `lastId` is the largest id there is. */
export function decideAddition(
  { name, id }: NewCategory,
  held: readonly Category[],
  lastId: bigint | undefined,
): Exclude<CategoryAddition, Mismatch> {
  const by = held.find((category) => category.id === id) ?? held[0];
  if (by !== undefined) return { kind: "taken", by };
  if (id === undefined && lastId === int64Max) return { kind: "no_id_left" };
  return done({ id: id ?? (lastId ?? 0n) + 1n, name });
}

/** `held` has the id or the name, at most one category each. */
export function decideRenaming(
  { id, name }: Category,
  held: readonly Category[],
): Exclude<CategoryRenaming, Mismatch> {
  if (!held.some((category) => category.id === id)) return { kind: "no_such_category" };
  const by = held.find((category) => category.id !== id);
  return by === undefined ? done({ id, name }) : { kind: "taken", by };
}

/** `petId` is a pet of the category, if that matters and there is one. */
export function decideRemoval(
  { id }: Pick<Category, "id">,
  exists: boolean,
  petId: bigint | undefined,
): Exclude<CategoryRemoval, Mismatch> {
  if (!exists) return { kind: "no_such_category" };
  return petId === undefined ? { kind: "done", id, text: "" } : { kind: "in_use", petId };
}

function done(category: Category): Done<Category> {
  return { kind: "done", id: category.id, text: categoryText(category) };
}

/** Conditions of a removal. */
export interface RemovalTerms {
  readonly idempotency?: IdempotentRequest | undefined;
  /** Refuse a category that a pet has. Otherwise its pets keep the id. */
  readonly unusedOnly?: boolean;
}

/** The categories. A write that resolves is on disk. A refusal changes nothing. */
export interface CategoryStore {
  /** Without an id it gets the one after the largest. Names are unique. */
  add(name: string, id?: bigint, idempotency?: IdempotentRequest): Promise<CategoryAddition>;

  rename(id: bigint, name: string, idempotency?: IdempotentRequest): Promise<CategoryRenaming>;

  remove(id: bigint, terms?: RemovalTerms): Promise<CategoryRemoval>;

  /** `after` may be any int64: ids may be negative. */
  list(query: {
    readonly after?: bigint | undefined;
    readonly limit: number;
  }): MaybePromise<CategoryPage>;

  count(): MaybePromise<number>;
}

export function categoryText({ id, name }: Category): JsonOf<Category> {
  return `{"id":${id},"name":${JSON.stringify(name)}}`;
}
