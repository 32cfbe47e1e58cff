/** Pages of what has an id: one row more than asked for tells whether anything follows. */
import type { DatabaseSync, StatementSync } from "node:sqlite";

/** The text selects an id and something more, in the order of the ids, up to a limit. */
export function prepareList(db: DatabaseSync, text: string): StatementSync {
  const statement = db.prepare(text);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  return statement;
}

/** Takes what was found when one more than `limit` was asked for. */
export function pageOf<T>(
  found: unknown[],
  limit: number,
): { rows: [id: bigint, item: T][]; next: bigint | undefined; readUpTo: bigint | undefined } {
  const rows = found as [id: bigint, item: T][];
  if (rows.length <= limit) return { rows, next: undefined, readUpTo: undefined };
  const readUpTo = rows.pop()?.[0];
  return { rows, next: rows.at(-1)?.[0], readUpTo };
}
