/** Each fault of the disk, as SQLite meets it in a process of its own. */
import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeUnless } from "../../testkit/describeUnless.ts";
import {
  diskCounts,
  type Faults,
  faultyDisk,
  lacksFaultyDisk,
  setFaults,
} from "../../testkit/faultyDisk.ts";

const root = mkdtempSync(join(tmpdir(), "petstore-faulty-disk-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const program = join(root, "program.ts");
writeFileSync(
  program,
  `import { DatabaseSync } from "node:sqlite";
   const db = new DatabaseSync(process.argv[2]);
   db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS t (a)");
   const startedMs = performance.now();
   let errcode = 0;
   try {
     db.prepare("INSERT INTO t VALUES (?)").run("x".repeat(100_000));
   } catch (cause) {
     errcode = cause.errcode;
   }
   const rows = db.prepare("SELECT count(*) AS n FROM t").get().n;
   console.log(JSON.stringify({ errcode, rows, tookMs: performance.now() - startedMs, nowMs: Date.now() }));`,
);

let count = 0;

/** Writes a row on a healthy disk, then one with the faults. */
function writeWith(faults: Faults) {
  const folder = mkdtempSync(join(root, "disk-"));
  const control = join(root, `control-${count++}`);
  const run = (variables: Record<string, string>) => {
    const env = { PATH: process.env["PATH"] ?? "", ...variables };
    const args = [program, join(folder, "a.db")];
    const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as { errcode: number; rows: number; tookMs: number; nowMs: number };
  };
  run({});
  const variables = faultyDisk({ folder, control });
  setFaults(control, faults);
  return { ...run(variables), counts: diskCounts(control) };
}

describeUnless(lacksFaultyDisk(), "a disk", () => {
  test("without faults takes writes, and counts them", () => {
    const { errcode, rows, counts } = writeWith({});
    expect([errcode, rows, counts.refused]).toEqual([0, 2, 0]);
    expect(counts.writes).toBeGreaterThan(0);
    expect(counts.syncs).toBeGreaterThan(0);
  });

  test("with too little room refuses the write as full, and keeps what it had", () => {
    const { errcode, rows, counts } = writeWith({ roomBytes: 60_000 });
    expect([errcode & 0xff, rows]).toEqual([13, 1]);
    expect(counts.refused).toBeGreaterThan(0);
  });

  test("that cannot sync fails the commit", () => {
    const { errcode, rows } = writeWith({ syncFails: true });
    expect([errcode & 0xff, rows]).toEqual([10, 1]);
  });

  test("with slow syncs is slow", () => {
    const { errcode, tookMs, counts } = writeWith({ syncDelayMs: 40 });
    expect(errcode).toBe(0);
    expect(counts.syncs).toBeGreaterThan(0);
    expect(tookMs).toBeGreaterThan(35);
  });

  test("and its calendar are told apart: the process lives in another year", () => {
    const dayMs = 86_400_000;
    const { nowMs } = writeWith({ clockOffsetMs: -400 * dayMs });
    expect(Math.abs(nowMs + 400 * dayMs - Date.now())).toBeLessThan(dayMs);
  });
});
