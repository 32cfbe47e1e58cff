import type { JsonOf } from "../../contract/document.ts";
import { int64Max } from "../../contract/int64.ts";
import type { Schemas } from "../../contract/operations.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";

export type Category = Schemas["Category"];

interface CategoryPage {
  /** In the order of their ids. */
  readonly categories: readonly Category[];
  /** The id to continue after; undefined when nothing follows. */
  readonly next: bigint | undefined;
}

export type CategoryAddition =
  | { readonly kind: "added"; readonly category: Category }
  /** Another category has this id or this name. */
  | { readonly kind: "taken"; readonly by: Category };

export interface NewCategory {
  readonly name: string;
  readonly id: bigint | undefined;
}

/** `held` has the id or the name, at most one category each; `lastId` is the largest id there is. */
export function decideCategory(
  { name, id }: NewCategory,
  held: readonly Category[],
  lastId: bigint | undefined,
): CategoryAddition {
  const by = held.find((category) => category.id === id) ?? held[0];
  if (by !== undefined) return { kind: "taken", by };
  if (id !== undefined) return { kind: "added", category: { id, name } };
  if (lastId === int64Max) throw new Error("The largest category id is taken: name a free one.");
  return { kind: "added", category: { id: (lastId ?? 0n) + 1n, name } };
}

/** The categories, which the operator defines. A write that resolves is on disk. */
export interface CategoryStore {
  /** Without an id it gets the one after the largest. Names are unique. */
  add(name: string, id?: bigint): Promise<CategoryAddition>;

  /** False when there is no such category. Pets keep the id of a removed category. */
  remove(id: bigint): Promise<boolean>;

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
