import type pg from "pg";
import { sqlStateOf } from "./failures.ts";

/** Unique indexes, with what it means when one of them refuses a row. */
type Refusals<Refusal> = Readonly<Record<string, Refusal>>;

/** Waits for a transaction. One that such an index refused has left nothing behind: an outcome. */
export async function refusedBy<Outcome, Refusal>(
  refusals: Refusals<Refusal>,
  work: Promise<Outcome>,
): Promise<Outcome | Refusal> {
  try {
    return await work;
  } catch (cause) {
    const constraint =
      sqlStateOf(cause) === "23505" ? (cause as pg.DatabaseError).constraint : undefined;
    const refusal = refusals[constraint ?? ""];
    if (refusal === undefined) throw cause;
    return refusal;
  }
}
