import type { DatabaseSync } from "node:sqlite";
import type { JsonOf } from "../contract/operations.ts";
import { type Done, type Mismatch, type Once, onceMs } from "../once.ts";

/** More than one, so that the marks of a busy day are gone soon after; few, so that nobody waits. */
export const forgottenAtOnceMax = 4;

type MarkRow = [fingerprint: string, id: bigint, text: string];

/** What earlier writes left under their marks. Used within the transaction of the effect. */
export class OnceMarks {
  readonly #find;
  readonly #keep;
  readonly #forget;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare(findMark);
    this.#find.setReadBigInts(true);
    this.#find.setReturnArrays(true);
    this.#keep = db.prepare(
      `INSERT OR REPLACE INTO once_marks (key_id, mark, fingerprint, entity_id, text, created_at_ms)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#forget = db.prepare(forgetExpired);
  }

  /** Undefined when nothing is kept under the mark any more, so that the thing is to be done. */
  recall<T>({ keyId, mark, fingerprint, nowMs }: Once): Done<T> | Mismatch | undefined {
    const row = this.#find.get(keyId, mark, nowMs - onceMs) as unknown as MarkRow | undefined;
    if (row === undefined) return undefined;
    const [first, id, text] = row;
    if (first !== fingerprint) return { kind: "mismatch" };
    return { kind: "replayed", id, text: text as JsonOf<T> };
  }

  /** After the effect. Also forgets a few marks whose time is over, so that they stay few. */
  keep({ keyId, mark, fingerprint, nowMs }: Once, id: bigint, text: string): void {
    this.#forget.run(nowMs - onceMs);
    this.#keep.run(keyId, mark, fingerprint, id, text, nowMs);
  }
}

export const findMark = `SELECT fingerprint, entity_id, text FROM once_marks
  WHERE key_id = ? AND mark = ? AND created_at_ms > ?`;

export const forgetExpired = `DELETE FROM once_marks WHERE rowid IN (
  SELECT rowid FROM once_marks WHERE created_at_ms <= ? ORDER BY created_at_ms
  LIMIT ${forgottenAtOnceMax})`;
