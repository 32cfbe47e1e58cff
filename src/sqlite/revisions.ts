import type { DatabaseSync, StatementSync } from "node:sqlite";
import { changesMax, PetChanges } from "../catalogue/petChanges.ts";
import type { CounterName } from "./counter.ts";
import { reading } from "./failures.ts";
import { LogIndex } from "./logIndex.ts";

const names = [
  "key_revision",
  "pet_revision",
  "site_revision",
  "edge_revision",
] as const satisfies readonly CounterName[];

/** Numbers that tell whether anything of a kind was changed, by whichever process. */
export type Revisions = Readonly<Record<(typeof names)[number], number>>;

/** Reads them as they are, and mostly need not ask: nothing at all was committed. */
export class RevisionReader {
  readonly #logIndex: LogIndex | undefined;
  readonly #readAll: StatementSync;
  readonly #readChanged: StatementSync;
  readonly petChanges = new PetChanges();
  #petRevision: number | undefined;
  #revisions: Revisions | undefined;

  /** The connection stays open for as long as this is used. */
  constructor(db: DatabaseSync, path: string) {
    // Each sought for by itself: a scan of the counters takes twice as long.
    const each = names.map((name) => `(SELECT value FROM counters WHERE name = '${name}') ${name}`);
    this.#readAll = db.prepare(`SELECT ${each.join(", ")}`);
    this.#readChanged = db.prepare(
      "SELECT pet_id FROM pet_changes WHERE revision > ? AND revision <= ?",
    );
    this.#readChanged.setReadBigInts(true);
    this.#logIndex = LogIndex.of(path);
  }

  read(): Revisions {
    if (this.#revisions !== undefined && this.#logIndex?.isAsRemembered()) return this.#revisions;
    return reading(() => {
      // Where the reading fails, what was known is not what stands at the head remembered now.
      this.#revisions = undefined;
      // Before the reading: a commit between the two is noticed by the next call.
      this.#logIndex?.remember();
      const revisions = this.#readAll.get() as unknown as Revisions;
      this.#notePets(revisions.pet_revision);
      this.#revisions = revisions;
      return revisions;
    });
  }

  /** A change without its row, or whose row was pruned, can be that of any pet. */
  #notePets(now: number): void {
    const before = this.#petRevision ?? Number.NaN;
    if (now === before) return;
    const count = now - before;
    const rows = count > 0 && count <= changesMax ? this.#readChanged.all(before, now) : [];
    if (rows.length === count) {
      for (const { pet_id } of rows) this.petChanges.add(pet_id as bigint);
    } else {
      this.petChanges.addAll();
    }
    this.#petRevision = now;
  }
}
