import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CategoryAddition, CategoryPage, CategoryStore } from "../catalogue/categories.ts";
import { reading } from "./failures.ts";
import { pageOf, prepareList } from "./pages.ts";
import type { Writer } from "./writer.ts";

export class SqliteCategories implements CategoryStore {
  readonly #writer: Writer;
  readonly #listFirst: StatementSync;
  readonly #listAfter: StatementSync;

  constructor(db: DatabaseSync, writer: Writer) {
    this.#writer = writer;
    this.#listFirst = prepareList(db, listFirstCategories);
    this.#listAfter = prepareList(db, listCategoriesAfter);
  }

  add(name: string, id?: bigint): Promise<CategoryAddition> {
    return this.#writer.submit("addCategory", { name, id });
  }

  remove(id: bigint): Promise<boolean> {
    return this.#writer.submit("removeCategory", id);
  }

  list({ after, limit }: { after?: bigint | undefined; limit: number }): CategoryPage {
    const found = reading(() =>
      after === undefined ? this.#listFirst.all(limit + 1) : this.#listAfter.all(after, limit + 1),
    );
    const { rows, next } = pageOf<string>(found, limit);
    return { categories: rows.map(([id, name]) => ({ id, name })), next };
  }
}

// Two, because "larger than" has no value that lets the smallest int64 through.
export const listFirstCategories = "SELECT id, name FROM categories ORDER BY id LIMIT ?";
export const listCategoriesAfter =
  "SELECT id, name FROM categories WHERE id > ? ORDER BY id LIMIT ?";
