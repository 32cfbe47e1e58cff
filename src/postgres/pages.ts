/** Pages of what has an id: one row more than asked for tells whether anything follows. */

/** Takes what was found when one more than `limit` was asked for. */
export function pageOf<Row extends [id: bigint, ...rest: unknown[]]>(
  rows: Row[],
  limit: number,
): { rows: Row[]; next: bigint | undefined; readUpTo: bigint | undefined } {
  if (rows.length <= limit) return { rows, next: undefined, readUpTo: undefined };
  const readUpTo = rows.pop()?.[0];
  return { rows, next: rows.at(-1)?.[0], readUpTo };
}
