/** Deletes what a run has created. */
import { int64FromJson } from "../contract/int64.ts";
import { parseJson } from "../contract/json.ts";
import type { Caller } from "./caller.ts";

/** The pets, orders and categories of a run, as the service confirmed them. */
export class Created {
  /** Names by id. */
  readonly pets = new Map<bigint, string>();
  readonly orders = new Set<bigint>();
  /** Names by id. */
  readonly categories = new Map<bigint, string>();

  note(method: string, path: string, status: number, text: string): void {
    if (!(method === "POST" && status === 201) && !(method === "PATCH" && status === 200)) return;
    const { id, name } = membersOf(text);
    if (id === undefined) return;
    for (const kind of ["pets", "categories"] as const) {
      const own = path === `/${kind}` || (path === `/${kind}/${id}` && this[kind].has(id));
      if (own && typeof name === "string") this[kind].set(id, name);
    }
    if (path === "/store/orders") this.orders.add(id);
  }
}

function membersOf(text: string): { id?: bigint | undefined; name?: unknown } {
  try {
    const { id, name } = parseJson(text) as Readonly<Record<string, unknown>>;
    return { id: int64FromJson(id), name };
  } catch {
    return {};
  }
}

const idsAtOnce = 100;
const categoryPagesMax = 30;

/** How many pets are left, because the service could not or would not delete them. */
export async function cleanUp(caller: Caller, created: Created): Promise<number> {
  const { pets, orders } = created;
  try {
    await Promise.all([...orders].map((id) => caller.send("POST", `/store/orders/${id}/cancel`)));
    const ids = [...pets.keys()];
    for (let at = 0; at < ids.length; at += idsAtOnce) {
      const query = ids.slice(at, at + idsAtOnce).map((id) => `id=${id}`);
      const found = (await caller.get(`/pets?limit=100&${query.join("&")}`)).pets();
      // Only under the name that it was given: a service that mixes up ids must not lose others.
      const own = found.filter(({ id, name }) => pets.get(id) === name);
      const gone = await Promise.all(own.map(({ id }) => isDeleted(caller, id)));
      for (const [index, { id }] of own.entries()) if (gone[index]) pets.delete(id);
      if (gone.includes(false)) break;
      for (const id of ids.slice(at, at + idsAtOnce)) {
        if (!found.some((pet) => pet.id === id)) pets.delete(id);
      }
    }
    await deleteCategories(caller, created);
  } catch {
    // The report is about the checks. What is left is counted.
  }
  return pets.size;
}

/** After the pets, because a category that a pet has cannot be deleted. */
async function deleteCategories(caller: Caller, { categories }: Created): Promise<void> {
  if (categories.size === 0) return;
  const found = [];
  for await (const seen of caller.walk("/categories", "limit=100", categoryPagesMax)) {
    found.push(...seen.categories());
  }
  const own = found.filter(({ id, name }) => categories.get(id) === name);
  await Promise.all(own.map(({ id }) => caller.send("DELETE", `/categories/${id}`)));
}

async function isDeleted(caller: Caller, id: bigint): Promise<boolean> {
  const { status } = await caller.send("DELETE", `/pets/${id}`);
  return status === 204 || status === 404;
}
