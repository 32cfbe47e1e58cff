import { then } from "../../core/maybePromise.ts";
import {
  type Category,
  type CategoryAddition,
  type CategoryStore,
  decideCategory,
  type NewCategory,
} from "../../petstore/catalogue/categories.ts";
import type { Storage, Transaction, Writes } from "./storage.ts";

/** The id is read as text, since it may be any int64. */
interface CategoryRow {
  readonly id: string;
  readonly name: string;
}

export function categoryRepository(storage: Storage): CategoryStore {
  return {
    add: (name, id) => storage.write("addCategory", { name, id }),
    remove: (id) => storage.write("removeCategory", id),
    list({ after, limit }) {
      const found =
        after === undefined
          ? storage.all<CategoryRow>(listFirstCategories, [limit + 1])
          : storage.all<CategoryRow>(listCategoriesAfter, [after, limit + 1]);
      return then(found, (rows) => {
        const categories = rows.slice(0, limit).map(categoryOf);
        return { categories, next: rows.length > limit ? categories.at(-1)?.id : undefined };
      });
    },
    count: () => then(storage.get<{ count: number }>(countCategories), (row) => row?.count ?? 0),
  };
}

export const categoryWrites = {
  async addCategory(tx, wanted: NewCategory): Promise<CategoryAddition> {
    await lockCatalogue(tx);
    const held = await tx.all<CategoryRow>(findHolders, [wanted.id, wanted.name]);
    const last = await tx.get<CategoryRow>(findLast);
    const addition = decideCategory(wanted, held.map(categoryOf), last && BigInt(last.id));
    if (addition.kind === "added") {
      const { id, name } = addition.category;
      await tx.run("INSERT INTO categories (id, name) VALUES (?1, ?2)", [id, name]);
    }
    return addition;
  },

  /** False, with nothing done, when there is no such category. */
  async removeCategory(tx, id: bigint): Promise<boolean> {
    await lockCatalogue(tx);
    return (await tx.run("DELETE FROM categories WHERE id = ?1", [id])) > 0;
  },
} satisfies Writes;

/**
 * Every write to pets, orders, idempotency keys or categories locks these rows first, in this
 * order. So such transactions of all processes run one at a time: they are isolated, ids become
 * visible in the order in which they are assigned, and no category is removed while a pet of it is
 * added.
 */
export const lockedCounters = `counters WHERE name IN ('last_order_id', 'last_pet_id')
  ORDER BY name FOR UPDATE`;

async function lockCatalogue(tx: Transaction): Promise<void> {
  // Without the values: an id may exceed the integers that a repository can read.
  await tx.all(`SELECT name FROM ${lockedCounters}`);
}

const categoryOf = ({ id, name }: CategoryRow): Category => ({ id: BigInt(id), name });

const select = "SELECT CAST(id AS text) AS id, name FROM categories";
const findHolders = `${select} WHERE categories.id = ?1 OR name = ?2`;
const findLast = `${select} ORDER BY categories.id DESC LIMIT 1`;
// Two statements, because no int64 is smaller than the smallest id.
export const listFirstCategories = `${select} ORDER BY categories.id LIMIT ?1`;
const countCategories = "SELECT count(*) AS count FROM categories";
export const listCategoriesAfter = `${select} WHERE categories.id > ?1
  ORDER BY categories.id LIMIT ?2`;
