import { Problem } from "../../core/problems.ts";

/** A failure as it is sent from the writer thread: an Error would lose its SQLite code. */
export interface Failure {
  readonly message: string;
  /** SQLite's extended result code; undefined when the failure is not SQLite's. */
  readonly errcode: number | undefined;
}

/**
 * Result codes (https://sqlite.org/rescode.html) that mean that the database cannot be used at
 * present. All others would be defects in our statements.
 */
const unavailable: ReadonlyMap<number, string> = new Map([
  [3, "PERM"],
  [5, "BUSY"],
  [6, "LOCKED"],
  [7, "NOMEM"],
  [8, "READONLY"],
  [10, "IOERR"],
  // The operator has to restore a damaged file; until then the service is unavailable.
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

/** The error that a store throws for a failure. */
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

/** The error to throw for one thrown in a read: the same, unless SQLite is unavailable. */
export function storeErrorOf(cause: unknown): unknown {
  const failure = failureOf(cause);
  return isUnavailable(failure) ? errorFrom(failure) : cause;
}

/** Runs a read and throws errors as the store interfaces promise. */
export function mapErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw storeErrorOf(cause);
  }
}

/** The low byte is the primary result code, the other bytes are details. */
function primary(errcode: number | undefined): number {
  return errcode === undefined ? 0 : errcode & 0xff;
}
