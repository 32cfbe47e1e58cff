import type { DatabaseSync, StatementSync } from "node:sqlite";
import { systemClock } from "../clock.ts";
import type { CounterName } from "./counter.ts";
import { reading } from "./failures.ts";

const names = [
  "key_revision",
  "pet_revision",
  "site_revision",
  "edge_revision",
] as const satisfies readonly CounterName[];

/** Numbers that tell whether anything of a kind was changed, by whichever process. */
export type Revisions = Readonly<Record<(typeof names)[number], number>>;

/**
 * How old a look at them may be when it is used. Whoever changes something that is remembered says
 * that it is done only when every look from before is older than that: so nobody who was told of
 * a change is shown the time before it, and not every request has to look.
 */
const lookMsMax = 1;

/** Calls the action when no look from before this call is used any more, in any process. */
export function afterLooks(action: () => void): void {
  const overMs = systemClock.elapsed() + lookMsMax;
  const wait = () => {
    // A timer may be early by a part of a millisecond.
    if (systemClock.elapsed() < overMs) systemClock.after(lookMsMax, wait);
    else action();
  };
  wait();
}

/**
 * Reads them. The data version differs after any commit by any other connection, and the writer's
 * is one: it takes half as long as reading a row, and mostly nothing else is to do.
 */
export class RevisionReader {
  readonly #readDataVersion: StatementSync;
  readonly #readAll: StatementSync;
  #dataVersion = Number.NaN;
  #revisions: Revisions | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(db: DatabaseSync) {
    this.#readDataVersion = db.prepare("PRAGMA data_version");
    this.#readDataVersion.setReturnArrays(true);
    // Each sought for by itself: a scan of the counters takes twice as long.
    const each = names.map((name) => `(SELECT value FROM counters WHERE name = '${name}') ${name}`);
    this.#readAll = db.prepare(`SELECT ${each.join(", ")}`);
  }

  /** As they are, or were less than `lookMsMax` ago: good for what is asked from outside. */
  recent(): Revisions {
    const nowMs = systemClock.elapsed();
    if (this.#revisions !== undefined && nowMs - this.#lookedMs < lookMsMax) return this.#revisions;
    const revisions = this.read();
    this.#lookedMs = nowMs;
    return revisions;
  }

  /** As they are. The same object as long as nothing at all was committed. */
  read(): Revisions {
    return reading(() => {
      // In this order: a commit between the two reads is noticed by the next call.
      const [dataVersion] = this.#readDataVersion.get() as unknown as [number];
      if (this.#revisions === undefined || dataVersion !== this.#dataVersion) {
        this.#revisions = this.#readAll.get() as unknown as Revisions;
        this.#dataVersion = dataVersion;
      }
      return this.#revisions;
    });
  }
}
