import pg from "pg";
import { Problem } from "../../core/problems.ts";

/** There is no connection, or it failed: the outcome of the statement is unknown. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "ConnectionLost";
  }
}

/** Any failure that is not an error of the server is a lost connection. */
export function orConnectionLost(cause: unknown): unknown {
  return cause instanceof pg.DatabaseError ? cause : new ConnectionLost(cause);
}

/**
 * SQLSTATEs, or the classes that they begin with, that mean that the database cannot be used at
 * present (https://www.postgresql.org/docs/current/errcodes-appendix.html). All others would be
 * defects in our statements.
 */
const unavailable: readonly string[] = [
  "08", // The connection.
  "25006", // The server is read-only: a standby.
  "25P03", // Idle within a transaction for too long.
  "28", // Authentication failed: the password was changed.
  "3D000", // No such database.
  "40", // Conflicts with other transactions, after all retries.
  "53", // Out of disk, memory or connections.
  "55P03", // A lock timed out.
  "57", // The server is stopping or starting, or a statement timed out.
  "58", // The disk.
  "XX001", // The operator has to restore damaged data; until then the service is unavailable.
  "XX002",
];

/** Rolled back in favour of another transaction: to be retried. */
const transient: readonly string[] = ["40001", "40P01"];

/** Undefined for an error that is not the server's. */
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

/** The server is a standby now: the primary has changed. */
export function isReadOnlyServer(cause: unknown): boolean {
  return sqlStateOf(cause) === "25006";
}

/** The connection cannot be used any more. */
export function isBroken(cause: unknown): boolean {
  return cause instanceof ConnectionLost || /^(?:08|57P|25P03)/.test(sqlStateOf(cause) ?? "");
}

/** The error that a store throws for a failure. */
export function errorFrom(cause: unknown): unknown {
  if (cause instanceof Problem || !isUnavailable(cause)) return cause;
  const said = cause instanceof Error ? cause.message : String(cause);
  const state = sqlStateOf(cause);
  // Only the message: the driver's objects contain the address with its password.
  const reason = new Error(`PostgreSQL: ${said}${state === undefined ? "" : ` (${state})`}`);
  return new Problem("store_unavailable", { cause: reason });
}

/** Waits for work and throws errors as the store interfaces promise. */
export async function mapErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw errorFrom(cause);
  }
}
