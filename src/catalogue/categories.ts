import type { JsonOf, Schemas } from "../contract/operations.ts";
import type { MaybePromise } from "../maybePromise.ts";

export type Category = Schemas["Category"];

export interface CategoryPage {
  /** In the order of their ids. */
  readonly categories: readonly Category[];
  /** The id to continue after; undefined when nothing follows. */
  readonly next: bigint | undefined;
}

export type CategoryAddition =
  | { readonly kind: "added"; readonly category: Category }
  /** Another category has this id or this name. */
  | { readonly kind: "taken"; readonly by: Category };

/** The categories that the operator keeps. A promise that resolves means: on disk. */
export interface CategoryStore {
  /** Without an id it is given the next one after the largest there is. Names are unique. */
  add(name: string, id?: bigint): Promise<CategoryAddition>;

  /** False when there is no such category. Pets keep the id of a category that is gone. */
  remove(id: bigint): Promise<boolean>;

  /** `after` may be any int64: ids may be negative. */
  list(query: {
    readonly after?: bigint | undefined;
    readonly limit: number;
  }): MaybePromise<CategoryPage>;
}

export function categoryText({ id, name }: Category): JsonOf<Category> {
  return `{"id":${id},"name":${JSON.stringify(name)}}`;
}
