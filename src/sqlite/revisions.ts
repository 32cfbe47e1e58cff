import type { DatabaseSync, StatementSync } from "node:sqlite";
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
 * Reads them for every request. The data version differs after any commit by any other connection,
 * and the writer's is one: it takes half as long as reading a row, and mostly nothing else is to do.
 */
export class RevisionReader {
  readonly #readDataVersion: StatementSync;
  readonly #readAll: StatementSync;
  #dataVersion = Number.NaN;
  #revisions: Revisions | undefined;

  constructor(db: DatabaseSync) {
    this.#readDataVersion = db.prepare("PRAGMA data_version");
    this.#readDataVersion.setReturnArrays(true);
    // Each sought for by itself: a scan of the counters takes twice as long.
    const each = names.map((name) => `(SELECT value FROM counters WHERE name = '${name}') ${name}`);
    this.#readAll = db.prepare(`SELECT ${each.join(", ")}`);
  }

  /** The same object as long as nothing at all was committed. */
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
