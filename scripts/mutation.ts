// Mutation testing of the rules: Stryker changes them in one place at a time, and a test has to fail.
// `npm run mutation` takes all areas of mutation/areas.ts, `npm run mutation -- orders keys` those.
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Area, areas } from "./mutation/areas.ts";
import { equivalents } from "./mutation/equivalents.ts";
import { judge, type Mutant, type Row, scoreOf, sumOf, tableOf } from "./mutation/judge.ts";

interface Position {
  readonly line: number;
  readonly column: number;
}

interface StrykerResult {
  readonly fileName: string;
  /** Lines and columns count from 1. */
  readonly location: { readonly start: Position; readonly end: Position };
  readonly replacement: string;
  readonly status: string;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "scripts", "mutation");
const json = process.argv.includes("--json");
const asked = process.argv.slice(2).filter((argument) => argument !== "--json");
const unknown = asked.filter((name) => areas[name] === undefined);
if (unknown.length > 0) {
  console.error(`There is no area ${unknown.join(", ")}. Areas: ${Object.keys(areas).join(", ")}.`);
  process.exit(2);
}

if (install()) {
  // Bun remembers that it saw this folder without packages.
  const { status } = spawnSync(process.execPath, process.argv.slice(1), { stdio: "inherit" });
  process.exit(status ?? 1);
}
process.chdir(root);
process.env["PETSTORE_TEST_ENGINE"] = "sqlite";
process.env["PETSTORE_TEST_WRITER"] = "here";
const rows: Row[] = [];
let fails = false;
for (const [name, area] of Object.entries(areas)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const { row, survivors, stale } = judge(name, await mutate(name, area), equivalents);
  rows.push(row);
  fails ||= row.mutants === 0 || survivors.length > 0 || stale.length > 0;
  if (row.mutants === 0) console.error(`Nothing to mutate: ${area.sources.join(", ")}`);
  for (const { file, line, code, becomes, status } of survivors) {
    console.error(`${status}: ${file}:${line}\n  - ${code}\n  + ${becomes}`);
  }
  for (const { file, code, becomes } of stale) {
    console.error(
      `Remove from equivalents.ts, a test notices it: ${file}\n  - ${code}\n  + ${becomes}`,
    );
  }
}
const all = sumOf(rows);
if (json) console.log(JSON.stringify(rows.map((row) => ({ ...row, score: scoreOf(row) }))));
else console.log(tableOf(rows.length > 1 ? [...rows, all] : rows));
console.error(
  `${all.killed + all.timedOut} killed, ${all.survived + all.uncovered} survived, ${all.equivalent} equivalent`,
);
process.exit(fails ? 1 : 0);

/** What the lock file says, unless it is there already. */
function install(): boolean {
  const lock = hash("sha256", readFileSync(join(folder, "package-lock.json")));
  const marker = join(folder, "node_modules", ".installed");
  if (existsSync(marker) && readFileSync(marker, "utf8") === lock) return false;
  console.error("Installing Stryker, once");
  // It runs on Bun, whatever Node.js there is.
  const args = ["ci", "--prefix", folder, "--no-audit", "--no-fund", "--engine-strict=false"];
  const { status, stderr } = spawnSync("npm", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`npm could not install what is in ${folder}: ${stderr}`);
  writeFileSync(marker, lock);
  return true;
}

async function mutate(name: string, { sources, tests }: Area): Promise<Mutant[]> {
  console.error(`Mutating ${name}`);
  const core = join(folder, "node_modules", "@stryker-mutator", "core", "dist", "src", "index.js");
  const { Stryker } = await import(core);
  const copies = mkdtempSync(join(tmpdir(), "petstore-mutation-"));
  try {
    const results: StrykerResult[] = await new Stryker({
      mutate: sources,
      testRunner: "bun",
      plugins: [join(folder, "bunTestRunner.ts")],
      ignorers: ["texts"],
      petstore: { tests },
      coverageAnalysis: "perTest",
      concurrency: 1,
      // A test that never ends is one of a fake clock, which waits for nothing.
      timeoutMS: 10_000,
      tempDirName: copies,
      cleanTempDir: "always",
      ignorePatterns: ["bench", "dist", "torture"],
      disableTypeChecks: false,
      reporters: ["progress-append-only"],
      logLevel: "error",
      warnings: false,
    }).runMutationTest();
    return results.filter(({ status }) => status !== "Ignored").map(mutantOf);
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

function mutantOf({ fileName, location, replacement, status }: StrykerResult): Mutant {
  const { start, end } = location;
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  // The end first: it may be on the same line.
  lines.push((lines.pop() ?? "").slice(0, end.column - 1));
  lines[0] = lines[0]?.slice(start.column - 1) ?? "";
  const file = relative(root, fileName);
  return { file, line: start.line, code: lines.join("\n"), becomes: replacement, status };
}
