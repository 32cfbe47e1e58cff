import { readdirSync, readlinkSync, readSync, realpathSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { changesMax, PetChanges } from "../../petstore/catalogue/petChanges.ts";
import { mapErrors } from "./failures.ts";

/** The header is stored twice. SQLite writes the second copy first, and trusts two equal copies. */
const headWords = 12;
const headBytes = 4 * headWords;
/** The version of the format that this code supports. */
const layout = 3_007_000;

/**
 * The index of the write-ahead log: a file beside the database that all connections of all
 * processes share. Its header changes with every commit, before the commit is visible to readers
 * (https://www.sqlite.org/walformat.html#walidxfmt). Reading it takes half a microsecond; a query
 * takes two.
 */
export class WalIndex {
  readonly #descriptor: number;
  readonly #words = new Uint32Array(2 * headWords);
  readonly #bytes = new Uint8Array(this.#words.buffer);
  /** The header at the last `remember`. */
  readonly #head = new Uint32Array(headWords);
  #remembers = false;

  /**
   * Uses the descriptor of SQLite itself, while SQLite has the file open. It must not be opened a
   * second time: when a process closes any descriptor of a file, it loses all its locks on that
   * file, including those of SQLite. Undefined where descriptors cannot be listed, as on macOS.
   */
  static of(databasePath: string): WalIndex | undefined {
    try {
      const path = `${realpathSync(databasePath)}-shm`;
      const folder = "/proc/self/fd";
      const descriptor = readdirSync(folder).find((name) => linkOf(`${folder}/${name}`) === path);
      if (descriptor === undefined) return undefined;
      const index = new WalIndex(Number(descriptor));
      index.#read(2 * headBytes);
      return index.#words[0] === layout ? index : undefined;
    } catch {
      return undefined;
    }
  }

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Whether nothing was committed since the last `remember`. */
  isUnchanged(): boolean {
    if (!this.#remembers || !this.#read(headBytes)) return false;
    for (let word = 0; word < headWords; word++) {
      if (this.#words[word] !== this.#head[word]) return false;
    }
    return true;
  }

  /** Call it before reading: what is read is valid while the header is unchanged. */
  remember(): void {
    this.#remembers = this.#read(2 * headBytes);
    for (let word = 0; word < headWords; word++) {
      const first = this.#words[word] ?? 0;
      this.#head[word] = first;
      // It is being written: what is read next may be from before that commit.
      if (this.#words[word + headWords] !== first) this.#remembers = false;
    }
  }

  #read(bytes: number): boolean {
    try {
      return readSync(this.#descriptor, this.#bytes, 0, bytes, 0) === bytes;
    } catch {
      return false;
    }
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // It was the descriptor of the listing itself.
    return undefined;
  }
}

const names = ["key_revision", "pet_revision", "site_revision", "edge_revision"] as const;

/** Counters that show whether any process has changed data of a kind. */
type RevisionCounters = Readonly<Record<(typeof names)[number], number>>;

/** Reads the current revisions, mostly without a query: nothing was committed since the last one. */
export class RevisionReader {
  readonly #walIndex: WalIndex | undefined;
  readonly #readAll: StatementSync;
  readonly #readChanged: StatementSync;
  readonly petChanges = new PetChanges();
  #petRevision: number | undefined;
  #revisions: RevisionCounters | undefined;

  /** The connection must stay open while this is used. */
  constructor(db: DatabaseSync, path: string) {
    // One lookup per counter: a scan of the counters takes twice as long.
    const each = names.map((name) => `(SELECT value FROM counters WHERE name = '${name}') ${name}`);
    this.#readAll = db.prepare(`SELECT ${each.join(", ")}`);
    this.#readChanged = db.prepare(
      "SELECT pet_id FROM pet_changes WHERE revision > ? AND revision <= ?",
    );
    this.#readChanged.setReadBigInts(true);
    this.#walIndex = WalIndex.of(path);
  }

  read(): RevisionCounters {
    if (this.#revisions !== undefined && this.#walIndex?.isUnchanged()) return this.#revisions;
    return mapErrors(() => {
      // If the query fails, the known revisions do not belong to the header remembered now.
      this.#revisions = undefined;
      // Before the query: a commit between the two is noticed by the next call.
      this.#walIndex?.remember();
      const revisions = this.#readAll.get() as RevisionCounters;
      this.#notePets(revisions.pet_revision);
      this.#revisions = revisions;
      return revisions;
    });
  }

  /** A change whose row is missing or pruned may be of any pet. */
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
