import type { MaybePromise } from "../maybePromise.ts";
import type { Stores } from "../stores.ts";
import { type Call, note } from "./command.ts";
import { CommandFailure, type World } from "./world.ts";

type Work<T> = (stores: Stores) => MaybePromise<T>;

/** Opens the store for as long as the work takes. Refuses, and makes nothing, where there is none. */
export async function withStores<T>(world: World, work: Work<T>): Promise<T> {
  requireStore(world);
  return opened(world, work);
}

/** The outcome of work on a store, and for the report which store was made for it, if one was. */
export interface Made<T> {
  readonly result: T;
  readonly made: { readonly store?: string };
}

/** Makes the store where there is none, and says so: the settings may be wrong. */
export async function withNewStores<T>(call: Call, world: World, work: Work<T>): Promise<Made<T>> {
  const { path, exists } = world.locateStore();
  const result = await opened(world, (stores) => {
    if (!exists) noteNewStore(call, world, path);
    return work(stores);
  });
  return { result, made: exists ? {} : { store: path } };
}

export function noteNewStore(call: Call, world: World, path: string): void {
  note(call, world, `Made a new store at ${path}.`);
}

export function requireStore(world: World): void {
  const { path, exists } = world.locateStore();
  if (exists) return;
  throw new CommandFailure(
    `There is no store at ${path}. Check PETSTORE_DATA and PETSTORE_ENV, or make a new store with petstore keys create.`,
  );
}

async function opened<T>(world: World, work: Work<T>): Promise<T> {
  const stores = await world.openStores();
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}
