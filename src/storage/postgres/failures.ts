import pg from "pg";
import { Problem } from "../../core/problems.ts";

/** The line to the server failed, or there was none: nobody knows what became of the statement. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "ConnectionLost";
  }
}

/**
 * SQLSTATEs, or the classes that they begin with, that mean: the database cannot be used as things
 * are (https://www.postgresql.org/docs/current/errcodes-appendix.html). The rest would be faults in
 * our statements.
 */
const unavailable: readonly string[] = [
  "08", // The connection.
  "25006", // This server only reads: it is a standby, or has become one.
  "25P03", // Idle within a transaction for too long.
  "28", // Refused at the door: the password was changed.
  "3D000", // No such database.
  "40", // Another transaction was in the way, again and again.
  "53", // Out of disk, memory or connections.
  "55P03", // A lock was not to be had in time.
  "57", // The server goes down, comes up, or took too long.
  "58", // The disk.
  "XX001", // Damaged data is for the operator to restore, and the service is out until then.
  "XX002",
];

/** Rolled back for the sake of another transaction: worth another attempt. */
const transient: readonly string[] = ["40001", "40P01"];

/** Undefined for what the server did not say. */
export function sqlStateOf(cause: unknown): string | undefined {
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

export function isUnavailable(cause: unknown): boolean {
  if (cause instanceof ConnectionLost) return true;
  if (cause instanceof Problem) return cause.code === "store_unavailable";
  const state = sqlStateOf(cause);
  return state !== undefined && unavailable.some((start) => state.startsWith(start));
}

export function isTransient(cause: unknown): boolean {
  return transient.includes(sqlStateOf(cause) ?? "");
}

/** A standby took the place of the server we knew, or we of it. */
export function isReadOnlyServer(cause: unknown): boolean {
  return sqlStateOf(cause) === "25006";
}

/** The connection is of no use any more. */
export function isBroken(cause: unknown): boolean {
  return cause instanceof ConnectionLost || /^(?:08|57P|25P03)/.test(sqlStateOf(cause) ?? "");
}

/** What the caller of the store gets to see for a failure. */
export function errorFrom(cause: unknown): unknown {
  if (cause instanceof Problem || !isUnavailable(cause)) return cause;
  const said = cause instanceof Error ? cause.message : String(cause);
  const state = sqlStateOf(cause);
  // Only what was said: the objects of the driver know the address with its password.
  const reason = new Error(`PostgreSQL: ${said}${state === undefined ? "" : ` (${state})`}`);
  return new Problem("store_unavailable", { cause: reason });
}

export function refused(why: string): Problem {
  return new Problem("store_unavailable", { cause: new Error(why) });
}

/** Waits for a piece of work whose failure comes out as the interfaces of the stores promise it. */
export async function mapErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw errorFrom(cause);
  }
}
