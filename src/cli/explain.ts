import { Problem } from "../core/problems.ts";
import { CommandFailure } from "./context.ts";

/** What went wrong, for the person at the terminal. */
export function explain(cause: unknown): string {
  if (cause instanceof CommandFailure) return cause.message;
  if (cause instanceof Problem) {
    // A client must not learn what lies behind a problem; the operator must.
    const behind = cause.cause instanceof Error ? ` (${cause.cause.message})` : "";
    return `${cause.message}${behind}`;
  }
  // What a person can fix is thrown as a plain Error in whole sentences, or by the system with
  // the name of the file. A TypeError or the like is a defect, and its place is needed.
  if (cause instanceof Error && cause.constructor === Error) return cause.message;
  const stack = cause instanceof Error ? cause.stack : String(cause);
  return `This is a fault of the program itself; please report it.\n${stack}`;
}
