import { then } from "../../core/maybePromise.ts";
import {
  type Category,
  type CategoryAddition,
  type CategoryRemoval,
  type CategoryRenaming,
  type CategoryStore,
  decideAddition,
  decideRemoval,
  decideRenaming,
  type NewCategory,
  type RemovalTerms,
} from "../../petstore/catalogue/categories.ts";
import {
  type Done,
  type IdempotencyStore,
  type IdempotentRequest,
  idempotently,
  type Mismatch,
  type StoredResponse,
} from "../../petstore/idempotency/idempotency.ts";
import type { Storage, Transaction, Writes } from "./storage.ts";

/** The id is read as text, since it may be any int64. */
interface CategoryRow {
  readonly id: string;
  readonly name: string;
}

export function categoryRepository(storage: Storage): CategoryStore {
  return {
    add: (name, id, idempotency) =>
      storage.write("addCategory", { category: { name, id }, idempotency }),
    rename: (id, name, idempotency) =>
      storage.write("renameCategory", { category: { id, name }, idempotency }),
    remove: (id, terms = {}) => storage.write("removeCategory", { id, terms }),
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

interface Addition {
  readonly category: NewCategory;
  readonly idempotency: IdempotentRequest | undefined;
}

interface Renaming {
  readonly category: Category;
  readonly idempotency: IdempotentRequest | undefined;
}

interface Removal {
  readonly id: bigint;
  readonly terms: RemovalTerms;
}

export const categoryWrites = {
  async addCategory(tx, { category, idempotency }: Addition): Promise<CategoryAddition> {
    await lockCatalogue(tx);
    const held = await holdersOf(tx, category);
    const last = await tx.get<CategoryRow>(findLast);
    const outcome = await once(tx, idempotency, () =>
      decideAddition(category, held, last && BigInt(last.id)),
    );
    if (outcome.kind === "done") {
      const values = [outcome.id, category.name];
      await tx.run("INSERT INTO categories (id, name) VALUES (?1, ?2)", values);
    }
    return outcome;
  },

  async renameCategory(tx, { category, idempotency }: Renaming): Promise<CategoryRenaming> {
    await lockCatalogue(tx);
    const held = await holdersOf(tx, category);
    const outcome = await once(tx, idempotency, () => decideRenaming(category, held));
    if (outcome.kind === "done") {
      const values = [category.name, category.id];
      await tx.run("UPDATE categories SET name = ?1 WHERE id = ?2", values);
    }
    return outcome;
  },

  async removeCategory(tx, { id, terms }: Removal): Promise<CategoryRemoval> {
    await lockCatalogue(tx);
    const held = await holdersOf(tx, { id, name: undefined });
    const petId = terms.unusedOnly ? await tx.petOfCategory(id) : undefined;
    const outcome = await once<never, Exclude<CategoryRemoval, Done<never> | Mismatch>>(
      tx,
      terms.idempotency,
      () => decideRemoval({ id }, held.length > 0, petId),
    );
    if (outcome.kind === "done") await tx.run("DELETE FROM categories WHERE id = ?1", [id]);
    return outcome;
  },
} satisfies Writes;

async function holdersOf(
  tx: Transaction,
  { id, name }: { readonly id: bigint | undefined; readonly name: string | undefined },
): Promise<Category[]> {
  return (await tx.all<CategoryRow>(findHolders, [id, name])).map(categoryOf);
}

interface ResponseRow extends Omit<StoredResponse, "entityId"> {
  readonly entityId: string;
}

/** `idempotently`, for a decision whose reads were made before. */
async function once<T, Refusal extends { readonly kind: string }>(
  tx: Transaction,
  request: IdempotentRequest | undefined,
  decide: () => Done<T> | Refusal,
): Promise<Done<T> | Mismatch | Refusal> {
  if (request === undefined) return decide();
  const { keyId, idempotencyKey } = request;
  const earlier = await tx.get<ResponseRow>(findResponse, [keyId, idempotencyKey]);
  const stored: StoredResponse[] = [];
  const store: IdempotencyStore = {
    find: () => earlier && { ...earlier, entityId: BigInt(earlier.entityId) },
    store: (_request, response) => void stored.push(response),
  };
  const outcome = idempotently<T, Refusal>(store, request, decide);
  for (const { fingerprint, entityId, text, createdAtMs } of stored) {
    const values = [keyId, idempotencyKey, fingerprint, entityId, text, createdAtMs];
    await tx.run(storeResponse, values);
  }
  return outcome;
}

const findResponse = `SELECT fingerprint, CAST(entity_id AS text) AS "entityId", text,
    created_at_ms AS "createdAtMs"
  FROM idempotency_keys WHERE key_id = ?1 AND idempotency_key = ?2`;
const storeResponse = `INSERT INTO idempotency_keys
    (key_id, idempotency_key, fingerprint, entity_id, text, created_at_ms)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT (key_id, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint,
    entity_id = excluded.entity_id, text = excluded.text, created_at_ms = excluded.created_at_ms`;

/**
 * Every write to pets, orders, idempotency keys or categories locks these rows first, in this
 * order. So such transactions of all processes run one at a time: they are isolated, ids become
 * visible in the order in which they are assigned, and no category is removed while a pet of it is
 * added.
 */
export const lockedCounters = `counters
  WHERE name IN ('last_event_id', 'last_order_id', 'last_pet_id')
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
