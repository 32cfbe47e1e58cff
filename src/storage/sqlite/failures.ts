import { Problem } from "../../core/problems.ts";

/** A failure as it crosses from the writer's thread: an Error would lose its SQLite code there. */
export interface Failure {
  readonly message: string;
  /** SQLite's extended result code; undefined when SQLite had no part in it. */
  readonly errcode: number | undefined;
}

/**
 * Result codes (https://sqlite.org/rescode.html) that mean: the database cannot be used as things
 * are on this machine. The rest would be faults in our statements.
 */
const unavailable: ReadonlyMap<number, string> = new Map([
  [3, "PERM"],
  [5, "BUSY"],
  [6, "LOCKED"],
  [7, "NOMEM"],
  [8, "READONLY"],
  [10, "IOERR"],
  // A damaged file is for the operator to restore, and the service is out until then.
  [11, "CORRUPT"],
  [13, "FULL"],
  [14, "CANTOPEN"],
  [15, "PROTOCOL"],
  [26, "NOTADB"],
]);

export function failureOf(cause: unknown): Failure {
  if (!(cause instanceof Error)) return { message: String(cause), errcode: undefined };
  const { errcode } = cause as { errcode?: unknown };
  return { message: cause.message, errcode: typeof errcode === "number" ? errcode : undefined };
}

/** What the caller of the store gets to see for a failure. */
export function errorFrom({ message, errcode }: Failure): Error {
  const name = unavailable.get(primary(errcode));
  if (name === undefined) return new Error(message);
  const cause = new Error(`SQLite answered SQLITE_${name} (${errcode}): ${message}`);
  return new Problem("store_unavailable", { cause });
}

export function isUnavailable({ errcode }: Failure): boolean {
  return unavailable.has(primary(errcode));
}

export function isBusy(cause: unknown): boolean {
  return primary(failureOf(cause).errcode) === 5;
}

/** What to throw for something thrown in a read: itself, unless it says that SQLite is out. */
export function storeErrorOf(cause: unknown): unknown {
  const failure = failureOf(cause);
  return isUnavailable(failure) ? errorFrom(failure) : cause;
}

/** Runs a read whose failure comes out as the interfaces of the stores promise it. */
export function mapErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw storeErrorOf(cause);
  }
}

/** The low byte is the kind of failure, the others say more about it. */
function primary(errcode: number | undefined): number {
  return errcode === undefined ? 0 : errcode & 0xff;
}
