/** The writes to the categories. They run in the writer's thread, within its transaction. */
import type { DatabaseSync } from "node:sqlite";
import type { Category, CategoryAddition } from "../catalogue/categories.ts";
import { int64Max } from "../contract/int64.ts";

export interface NewCategory {
  readonly name: string;
  readonly id: bigint | undefined;
}

export function categoryCommands(db: DatabaseSync) {
  const find = db.prepare("SELECT id, name FROM categories WHERE id = ?");
  const findByName = db.prepare("SELECT id, name FROM categories WHERE name = ?");
  const findLast = db.prepare("SELECT id FROM categories ORDER BY id DESC LIMIT 1");
  for (const statement of [find, findByName, findLast]) statement.setReadBigInts(true);
  const insert = db.prepare("INSERT INTO categories (id, name) VALUES (?, ?)");
  const remove = db.prepare("DELETE FROM categories WHERE id = ?");

  function nextId(): bigint {
    const last = (findLast.get()?.id as bigint | undefined) ?? 0n;
    if (last === int64Max) throw new Error("The largest category id is taken: name a free one.");
    return last + 1n;
  }

  return {
    addCategory({ name, id }: NewCategory): CategoryAddition {
      const holder = (id === undefined ? undefined : find.get(id)) ?? findByName.get(name);
      if (holder !== undefined) {
        return { kind: "taken", by: { id: holder.id as bigint, name: holder.name as string } };
      }
      const category: Category = { id: id ?? nextId(), name };
      insert.run(category.id, name);
      return { kind: "added", category };
    },

    /** False, with nothing done, when there is no such category. */
    removeCategory(id: bigint): boolean {
      return remove.run(id).changes !== 0;
    },
  };
}
