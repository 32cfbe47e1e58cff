import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  type Category,
  type CategoryAddition,
  type CategoryPage,
  type CategoryStore,
  decideCategory,
  type NewCategory,
} from "../../petstore/catalogue/categories.ts";
import { pageOf } from "../repositories/storage.ts";
import { prepareList } from "./connection.ts";
import { reading } from "./failures.ts";
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
    const found: unknown[] = reading(() =>
      after === undefined ? this.#listFirst.all(limit + 1) : this.#listAfter.all(after, limit + 1),
    );
    const { rows, next } = pageOf(found as [id: bigint, name: string][], limit);
    return { categories: rows.map(([id, name]) => ({ id, name })), next };
  }
}

// Two, because "larger than" has no value that lets the smallest int64 through.
export const listFirstCategories = "SELECT id, name FROM categories ORDER BY id LIMIT ?";
export const listCategoriesAfter =
  "SELECT id, name FROM categories WHERE id > ? ORDER BY id LIMIT ?";

/** The writes to the categories. They run in the writer's thread, within its transaction. */
export function categoryCommands(db: DatabaseSync) {
  const findHolders = db.prepare("SELECT id, name FROM categories WHERE id = ? OR name = ?");
  const findLast = db.prepare("SELECT id FROM categories ORDER BY id DESC LIMIT 1");
  for (const statement of [findHolders, findLast]) statement.setReadBigInts(true);
  const insert = db.prepare("INSERT INTO categories (id, name) VALUES (?, ?)");
  const remove = db.prepare("DELETE FROM categories WHERE id = ?");

  return {
    addCategory(wanted: NewCategory): CategoryAddition {
      const held = findHolders.all(wanted.id ?? null, wanted.name) as unknown as Category[];
      const lastId = findLast.get()?.["id"] as bigint | undefined;
      const addition = decideCategory(wanted, held, lastId);
      if (addition.kind === "added") insert.run(addition.category.id, addition.category.name);
      return addition;
    },

    /** False, with nothing done, when there is no such category. */
    removeCategory(id: bigint): boolean {
      return remove.run(id).changes !== 0;
    },
  };
}
