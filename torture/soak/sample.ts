/** What is measured every few seconds: the processes of the service, its disk, and what its clients saw. */
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface ProcessSample {
  readonly pid: number;
  readonly rssBytes: number;
  /** What it shares with others is divided among them. */
  readonly pssBytes: number;
  readonly openFiles: number;
  readonly sockets: number;
  readonly threads: number;
}

export interface Sample {
  /** Since the load began. */
  readonly seconds: number;
  readonly supervisor: ProcessSample;
  readonly serving: readonly ProcessSample[];
  readonly disk: { readonly database: number; readonly wal: number; readonly folder: number };
  /** Rows of each table; only in some samples. */
  readonly rows?: Readonly<Record<string, number>>;
  /** The milliseconds of each answer since the last sample, by operation. */
  readonly tookMs: Readonly<Record<string, readonly number[]>>;
  readonly violations: number;
  readonly reloads: number;
  readonly renewals: number;
}

/** Undefined for a process that is ending. */
export function sampleProcess(pid: number): ProcessSample | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const field = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const files = readdirSync(`/proc/${pid}/fd`);
    return {
      pid,
      rssBytes: field("VmRSS") * 1024,
      pssBytes: Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]) * 1024,
      openFiles: files.length,
      sockets: files.filter((file) => isSocket(`/proc/${pid}/fd/${file}`)).length,
      threads: field("Threads"),
    };
  } catch {
    return undefined;
  }
}

function isSocket(link: string): boolean {
  try {
    return readlinkSync(link).startsWith("socket:");
  } catch {
    // It was closed meanwhile.
    return false;
  }
}

/** The processes that a process has started, by whichever of its threads. */
export function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.flatMap((task) => {
    try {
      const text = readFileSync(`/proc/${pid}/task/${task}/children`, "utf8");
      return text.split(" ").filter(Boolean).map(Number);
    } catch {
      return [];
    }
  });
}

export function sampleDisk(folder: string, file: string): Sample["disk"] {
  const all = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  return {
    database: bytesOf(file),
    wal: bytesOf(`${file}-wal`),
    folder: all.reduce((sum, path) => sum + bytesOf(path), 0),
  };
}

function bytesOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : 0;
}

export function countRows(file: string): Record<string, number> {
  return reading(file, (db) => {
    const tables = db
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
      )
      .all() as { name: string }[];
    const rows = tables.map(({ name }) => {
      const counted = db.prepare(`SELECT count(*) AS count FROM "${name}"`).get();
      return [name, Number(counted?.["count"])];
    });
    return Object.fromEntries(rows);
  });
}

/** Of each table, its indexes included, and of pages that are free. */
export function measureTables(file: string): Record<string, number> {
  return reading(file, (db) => {
    const rows = db
      .prepare(
        `SELECT coalesce(tbl_name, dbstat.name) AS name, sum(pgsize) AS bytes
         FROM dbstat LEFT JOIN sqlite_schema USING (name) GROUP BY 1`,
      )
      .all() as { name: string; bytes: number }[];
    const { freelist_count: free } = db.prepare("PRAGMA freelist_count").get() as never;
    const { page_size: pageSize } = db.prepare("PRAGMA page_size").get() as never;
    const bytes = rows.map(({ name, bytes: each }) => [name, Number(each)] as const);
    return { ...Object.fromEntries(bytes), "(free pages)": Number(free) * Number(pageSize) };
  });
}

function reading<T>(file: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return work(db);
  } finally {
    db.close();
  }
}
