export interface LastIds {
  readonly lastPetId: bigint;
  readonly lastOrderId: bigint;
}

/**
 * Whoever writes to pets, orders, marks or categories first takes these rows, in this order. So one
 * transaction of this kind is under way at a time, of whichever process, nobody comes between what
 * it reads and what it writes, and ids become visible in the order in which they are given out.
 */
export const takeTurn = `BEGIN; SELECT name, value FROM counters
  WHERE name IN ('last_order_id', 'last_pet_id') ORDER BY name FOR UPDATE`;

/** What `takeTurn` has read. */
export function lastIdsOf(rows: readonly unknown[][]): LastIds {
  const values = new Map(rows as [string, bigint][]);
  const [lastPetId, lastOrderId] = [values.get("last_pet_id"), values.get("last_order_id")];
  if (lastPetId === undefined || lastOrderId === undefined) {
    throw new Error("The counters are missing from the database.");
  }
  return { lastPetId, lastOrderId };
}
