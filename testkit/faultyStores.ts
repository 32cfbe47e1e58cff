import type { Catalogue } from "../src/petstore/catalogue/catalogue.ts";
import type { Stores } from "../src/storage/stores.ts";

/** A real store whose catalogue throws a given error until it is reset. */
export function faultyStores(stores: Stores): Stores & { fault: unknown } {
  const failing = <T>(work: () => T): T => {
    if (faulty.fault !== undefined) throw faulty.fault;
    return work();
  };
  const { catalogue } = stores;
  const wrapped: Catalogue = {
    add: async (pet, terms) => failing(() => catalogue.add(pet, terms)),
    update: async (id, patch, terms) => failing(() => catalogue.update(id, patch, terms)),
    delete: async (id, terms) => failing(() => catalogue.delete(id, terms)),
    get: (id) => failing(() => catalogue.get(id)),
    list: (query) => failing(() => catalogue.list(query)),
    count: (filter) => failing(() => catalogue.count(filter)),
    import: async (pets) => failing(() => catalogue.import(pets)),
    changes: catalogue.changes,
    revision: () => failing(() => catalogue.revision()),
  };
  const faulty = {
    ...stores,
    catalogue: wrapped,
    ready: async () => failing(() => stores.ready()),
    fault: undefined as unknown,
  };
  return faulty;
}
