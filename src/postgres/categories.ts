import type {
  Category,
  CategoryAddition,
  CategoryPage,
  CategoryStore,
} from "../catalogue/categories.ts";
import { int64Max } from "../contract/int64.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { pageOf } from "./pages.ts";
import type { Session } from "./session.ts";
import { takeTurn } from "./turn.ts";

type Row = [id: bigint, name: string];

export class PostgresCategories implements CategoryStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(name: string, id?: bigint): Promise<CategoryAddition> {
    return failing(this.#database.transact(takeTurn, (session) => addCategory(session, name, id)));
  }

  remove(id: bigint): Promise<boolean> {
    const remove = async (session: Session) =>
      (await session.query("DELETE FROM categories WHERE id = $1", [id])).count > 0;
    return failing(this.#database.transact(takeTurn, remove));
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
    return { categories: rows.map(([id, name]) => ({ id, name })), next };
  }
}

async function addCategory(
  session: Session,
  name: string,
  wantedId: bigint | undefined,
): Promise<CategoryAddition> {
  const holder = await findHolder(session, name, wantedId);
  if (holder !== undefined) return { kind: "taken", by: holder };
  const id = wantedId ?? (await nextId(session));
  await session.query("INSERT INTO categories (id, name) VALUES ($1, $2)", [id, name]);
  return { kind: "added", category: { id, name } };
}

/** Who has the id comes before who has the name. */
async function findHolder(
  session: Session,
  name: string,
  wantedId: bigint | undefined,
): Promise<Category | undefined> {
  const { rows } = await session.query<Row>(
    "SELECT id, name FROM categories WHERE id = $1::int8 OR name = $2",
    [wantedId ?? null, name],
  );
  const [id, held] = rows.find(([heldId]) => heldId === wantedId) ?? rows[0] ?? [];
  return id === undefined || held === undefined ? undefined : { id, name: held };
}

async function nextId(session: Session): Promise<bigint> {
  const { rows } = await session.query<[bigint]>(
    "SELECT id FROM categories ORDER BY id DESC LIMIT 1",
  );
  const last = rows[0]?.[0] ?? 0n;
  if (last === int64Max) throw new Error("The largest category id is taken: name a free one.");
  return last + 1n;
}

// Two, because "larger than" has no value that lets the smallest int64 through.
export const listFirstCategories = "SELECT id, name FROM categories ORDER BY id LIMIT $1";
export const listCategoriesAfter =
  "SELECT id, name FROM categories WHERE id > $1 ORDER BY id LIMIT $2";
