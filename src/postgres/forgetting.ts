import { onceMs } from "../once.ts";
import type { Database } from "./database.ts";

/** More than one, so that the marks of a busy day are gone soon after; few, so that nobody waits. */
const forgottenForEach = 4;
/** Fewer would cost more in round trips than in work. */
const forgottenAtOnceMin = 100;

/**
 * Removes marks whose time is over, a few for each one that is kept, so that they stay few. Beside
 * the writes and not among them: nobody waits for it.
 */
export class Forgetting {
  readonly #database: Database;
  #owed = 0;
  #underWay = false;
  #nowMs = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** After so many were kept, the earliest of them at an instant. */
  kept(marks: number, nowMs: number): void {
    this.#owed += marks * forgottenForEach;
    this.#nowMs = nowMs;
    this.#forget();
  }

  #forget(): void {
    if (this.#owed < forgottenAtOnceMin || this.#underWay) return;
    const limit = this.#owed;
    this.#owed = 0;
    this.#underWay = true;
    void this.#database
      .write(forgetExpired, [this.#nowMs - onceMs, limit])
      // What was not forgotten now is forgotten another time.
      .catch(() => {})
      .finally(() => {
        this.#underWay = false;
        // Those that were kept meanwhile may be the last for a long time.
        this.#forget();
      });
  }
}

// The instant is asked for twice: a mark may be kept anew between the search and the removal.
export const forgetExpired = `DELETE FROM once_marks WHERE created_at_ms <= $1 AND (key_id, mark) IN (
  SELECT key_id, mark FROM once_marks WHERE created_at_ms <= $1 ORDER BY created_at_ms LIMIT $2)`;
