/** Pages of what has an id: one row more than asked for tells whether anything follows. */

/** Takes what was found when one more than `limit` was asked for. */
export function pageOf<Row extends [id: bigint, ...rest: unknown[]]>(
  rows: Row[],
  limit: number,
): { rows: Row[]; next: bigint | undefined } {
  const followed = rows.length > limit;
  if (followed) rows.pop();
  return { rows, next: followed ? rows.at(-1)?.[0] : undefined };
}
