/** The order in which things were added, where there is more than one of an instant. */
import type { Session } from "./session.ts";

/**
 * The first of so many numbers that nobody else has or will have. Whoever needs any takes them
 * before locking anything else, so that two never wait for each other.
 */
export async function takeOrdinals(session: Session, count: number): Promise<bigint> {
  const { rows } = await session.query<[last: bigint]>(take, [count]);
  const [row] = rows;
  if (row === undefined) throw new Error("The counters are missing from the database.");
  return row[0] - BigInt(count) + 1n;
}

const take = `UPDATE counters SET value = value + $1::int8 WHERE name = 'last_ordinal'
  RETURNING value`;
