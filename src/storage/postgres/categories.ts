import {
  type Category,
  type CategoryAddition,
  type CategoryPage,
  type CategoryStore,
  decideCategory,
  type NewCategory,
} from "../../petstore/catalogue/categories.ts";
import { pageOf } from "../repositories/storage.ts";
import type { Session } from "./connection.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { lockCounters } from "./workingSet.ts";

type Row = [id: bigint, name: string];

export class PostgresCategories implements CategoryStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(name: string, id?: bigint): Promise<CategoryAddition> {
    const adding = (session: Session) => addCategory(session, { name, id });
    return failing(this.#database.transact(lockCounters, adding));
  }

  remove(id: bigint): Promise<boolean> {
    const remove = async (session: Session) =>
      (await session.query("DELETE FROM categories WHERE id = $1", [id])).count > 0;
    return failing(this.#database.transact(lockCounters, remove));
  }

  async list({
    after,
    limit,
  }: {
    after?: bigint | undefined;
    limit: number;
  }): Promise<CategoryPage> {
    const found = await failing(
      after === undefined
        ? this.#database.read<Row>(listFirstCategories, [limit + 1])
        : this.#database.read<Row>(listCategoriesAfter, [after, limit + 1]),
    );
    const { rows, next } = pageOf(found, limit);
    return { categories: rows.map(categoryFrom), next };
  }
}

async function addCategory(session: Session, wanted: NewCategory): Promise<CategoryAddition> {
  const { rows: held } = await session.query<Row>(findHolders, [wanted.id ?? null, wanted.name]);
  const { rows: last } = await session.query<[bigint]>(findLast);
  const addition = decideCategory(wanted, held.map(categoryFrom), last[0]?.[0]);
  if (addition.kind === "added") {
    const { id, name } = addition.category;
    await session.query("INSERT INTO categories (id, name) VALUES ($1, $2)", [id, name]);
  }
  return addition;
}

const categoryFrom = ([id, name]: Row): Category => ({ id, name });

const findHolders = "SELECT id, name FROM categories WHERE id = $1::int8 OR name = $2";
const findLast = "SELECT id FROM categories ORDER BY id DESC LIMIT 1";

// Two, because "larger than" has no value that lets the smallest int64 through.
export const listFirstCategories = "SELECT id, name FROM categories ORDER BY id LIMIT $1";
export const listCategoriesAfter =
  "SELECT id, name FROM categories WHERE id > $1 ORDER BY id LIMIT $2";
