import type { JsonOf } from "../contract/operations.ts";
import type { Done, Mismatch } from "../once.ts";
import { Problem } from "../problems.ts";
import { writeHeaders } from "./answer.ts";

/** The answer of a write that was done, now or when it was first asked for. */
export function effectAnswer<T, Status extends number>(
  status: Status,
  outcome: Done<T> | Mismatch,
  more: (id: bigint) => Record<string, string> = () => ({}),
): { status: Status; body: JsonOf<T>; headers: Record<string, string> } {
  if (outcome.kind === "mismatch") throw new Problem("idempotency_mismatch");
  const replayed = outcome.kind === "replayed" ? { "idempotency-replayed": "true" } : {};
  return {
    status,
    body: outcome.text,
    headers: { ...writeHeaders, ...replayed, ...more(outcome.id) },
  };
}
