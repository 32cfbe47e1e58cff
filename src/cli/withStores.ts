import type { Soon } from "../soon.ts";
import type { Stores } from "../stores.ts";
import type { World } from "./world.ts";

/** Opens the store for as long as the work takes. */
export async function withStores<T>(world: World, work: (stores: Stores) => Soon<T>): Promise<T> {
  const stores = await world.openStores();
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}
