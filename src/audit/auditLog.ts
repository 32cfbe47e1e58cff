/** The audit log: what an entry is, how entries are chained, and how a log is verified. */
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../contract/json.ts";
import { type MaybePromise, then } from "../core/maybePromise.ts";

/** An entry as it is stored: what is JSON is the text of it. */
export interface AuditEntry {
  /** From 1, without gaps, in the order of the commits. */
  readonly number: number;
  readonly atMs: number;
  /** As `Origin.actor`. */
  readonly actor: string;
  /** `key.revoke` */
  readonly action: string;
  /** `keys/key_4fK2mQ9xW1Zt` */
  readonly subject: string;
  readonly source: string;
  readonly requestId: string | undefined;
  /** The subject before and after; undefined where it did not exist, or nothing is to be said. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** SHA-256 of the hash before and of `canonicalText`, in hex. */
  readonly hash: string;
}

export type UnchainedEntry = Omit<AuditEntry, "hash">;

/** The number and the hash of an entry, which stand for all entries up to it. */
export type AuditHead = Pick<AuditEntry, "number" | "hash">;

/** Before the first entry. */
export const emptyLog: AuditHead = { number: 0, hash: "0".repeat(64) };

/**
 * An entry as a line of JSON without its hash. Others can verify an export with nothing but SHA-256
 * on its lines. It identifies the columns, since each of them is JSON of its own.
 */
export function canonicalText(entry: UnchainedEntry): string {
  const { number, atMs, actor, action, subject, requestId = null } = entry;
  const at = new Date(atMs).toISOString();
  const start = JSON.stringify({ number, at, actor, action, subject, requestId }).slice(0, -1);
  const { source, before = null, after = null } = entry;
  return `${start},"source":${source},"before":${before},"after":${after}}`;
}

export function chained(previous: Pick<AuditHead, "hash">, entry: UnchainedEntry): AuditEntry {
  return { ...entry, hash: hash("sha256", `${previous.hash}\n${canonicalText(entry)}`) };
}

/** A line of an export. */
export function exportedLine(entry: AuditEntry): string {
  return `${canonicalText(entry).slice(0, -1)},"hash":"${entry.hash}"}`;
}

export interface ChangedMember {
  readonly name: string;
  /** Undefined where it did not exist. */
  readonly before: unknown;
  readonly after: unknown;
}

/** What an entry changed, by the members of its subject. */
export function changedMembers({
  before,
  after,
}: Pick<AuditEntry, "before" | "after">): ChangedMember[] {
  const [was, is] = [before ?? "{}", after ?? "{}"].map(
    (text) => parseJson(text) as Readonly<Record<string, unknown>>,
  );
  return Object.keys({ ...was, ...is })
    .map((name) => ({ name, before: was?.[name], after: is?.[name] }))
    .filter(({ before, after }) => !isDeepStrictEqual(before, after));
}

/** Each is exact, or a group: `key` and `key.` are all actions on keys, `keys` all keys. */
export interface AuditQuery {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** Only entries with a smaller number. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** What is recorded that no other write records. */
export interface AuditedAction {
  readonly action: string;
  readonly subject: string;
  readonly actor?: string | undefined;
  readonly after?: unknown;
  /** Not recorded if it was within so many milliseconds before. */
  readonly onceInMs?: number;
}

export interface AuditStore {
  /** Newest first. */
  list(query: AuditQuery): MaybePromise<readonly AuditEntry[]>;
  get(number: number): MaybePromise<AuditEntry | undefined>;
  /** Oldest first. */
  listAfter(number: number, limit: number): MaybePromise<readonly AuditEntry[]>;
  /** The number of the last entry that was made, by the counter that assigns it. */
  lastNumber(): MaybePromise<number>;
  record(action: AuditedAction): Promise<void>;
}

export type Fault = {
  readonly number: number;
  readonly kind: "altered" | "missing" | "reordered" | "cut";
  readonly message: string;
};

export interface Verified {
  readonly entries: number;
  readonly head: AuditHead;
  readonly fault: Fault | undefined;
}

const readAtOnce = 1_000;

/** All entries, oldest first, in pages. */
export async function* pagesOf(store: Pick<AuditStore, "listAfter">, after = 0) {
  for (;;) {
    const page = await store.listAfter(after, readAtOnce);
    if (page.length > 0) yield page;
    after = page.at(-1)?.number ?? after;
    if (page.length < readAtOnce) return;
  }
}

export function headOf(store: AuditStore): MaybePromise<AuditHead> {
  return then(store.list({ limit: 1 }), ([last]) =>
    last === undefined ? emptyLog : { number: last.number, hash: last.hash },
  );
}

/**
 * Reads the whole log, up to the first fault. Whoever can write to the database can also compute the
 * chain anew, and cut off its end; only a head that was noted elsewhere shows that.
 */
export async function verify(
  store: AuditStore,
  noted?: AuditHead,
  progress: (entries: number) => void = () => {},
): Promise<Verified> {
  // Before the entries: all of them are visible then.
  const last = await store.lastNumber();
  let head = emptyLog;
  const end = (fault?: Fault): Verified => ({ entries: head.number, head, fault });
  for await (const page of pagesOf(store)) {
    for (const entry of page) {
      const fault = faultOf(entry, head, page) ?? faultByNoted(entry, noted);
      if (fault !== undefined) return end(fault);
      head = entry;
    }
    progress(head.number);
  }
  const expected = Math.max(last, noted?.number ?? 0);
  if (head.number >= expected) return end();
  const message = `The log ends with entry ${head.number}, but there was an entry ${expected}.`;
  return end({ number: head.number + 1, kind: "cut", message });
}

function faultOf(
  entry: AuditEntry,
  previous: AuditHead,
  page: readonly AuditEntry[],
): Fault | undefined {
  const number = previous.number + 1;
  if (entry.number !== number) {
    return { number, kind: "missing", message: `Entry ${number} is missing.` };
  }
  if (isIntact(entry, previous)) return undefined;
  const moved = page.find((other) => isIntact({ ...other, number }, previous));
  return moved === undefined
    ? { number, kind: "altered", message: `Entry ${number} was altered: its hash is another.` }
    : {
        number,
        kind: "reordered",
        message: `Entry ${number} was moved, and is entry ${moved.number} now.`,
      };
}

function faultByNoted(entry: AuditEntry, noted: AuditHead | undefined): Fault | undefined {
  if (entry.number !== noted?.number || entry.hash === noted.hash) return undefined;
  const message = `Entry ${entry.number} or one before it was altered, and the chain was computed anew: its hash is not ${noted.hash}.`;
  return { number: entry.number, kind: "altered", message };
}

function isIntact(entry: AuditEntry, previous: AuditHead): boolean {
  try {
    // Otherwise the end of one column could be moved to the next.
    for (const text of [entry.source, entry.before, entry.after]) {
      if (text !== undefined && typeof (JSON.parse(text) ?? undefined) !== "object") return false;
    }
    return chained(previous, entry).hash === entry.hash;
  } catch {
    // A column holds no JSON, or the time none that exists.
    return false;
  }
}
