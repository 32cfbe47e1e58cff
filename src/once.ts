/**
 * Doing a thing once, however often it is asked for: a write can carry a mark, and its outcome is
 * kept under that mark in the same transaction. Asked again, the store gives the kept outcome.
 */
import type { JsonOf } from "./contract/operations.ts";

/** How long an outcome is kept. */
export const onceHours = 24;
export const onceMs = onceHours * 3_600_000;

export interface Once {
  /** Whose mark it is: the id of an API key. The same mark of another key is another mark. */
  readonly keyId: string;
  readonly mark: string;
  /** Tells whether a repetition asks for the same thing. */
  readonly fingerprint: string;
  readonly nowMs: number;
}

/** What a write left behind: the thing it made or changed, as the client is shown it. */
export interface Done<T> {
  readonly kind: "done" | "replayed";
  readonly id: bigint;
  readonly text: JsonOf<T>;
}

/** The mark stands for another request, so nothing was done. */
export interface Mismatch {
  readonly kind: "mismatch";
}
