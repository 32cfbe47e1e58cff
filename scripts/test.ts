// What `npm test` runs: formatter and linter, types, contract, then every test. It goes on after a
// failure, so that one run tells all, and closes with the line `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testMsMax } from "../test/hanging.ts";

const folder = mkdtempSync(join(tmpdir(), "petstore-report-"));
const report = join(folder, "report.xml");

const checks: [what: string, command: string, ...args: string[]][] = [
  ["format and lint", "biome", "check", "--error-on-warnings"],
  ["types", "tsc", "--project", "."],
  ["contract", "redocly", "lint", "petstore"],
];

function run(command: string, args: readonly string[]): boolean {
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error !== undefined) console.error(`${command}: ${error.message}. Run npm ci first.`);
  return status === 0;
}

let passed = 0;
let failed = 0;
for (const [what, command, ...args] of checks) {
  const fine = run(command, args);
  console.log(`${fine ? "ok" : "FAILED"}: ${what}`);
  if (fine) passed++;
  else failed++;
}

const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
const wanted = process.argv.slice(2);
const fine = run("bun", [
  "test",
  // Most tests wait for processes of their own: three at a time keep two cores busy.
  "--parallel=3",
  "--timeout",
  String(testMsMax),
  ...reporter,
  ...(wanted.length > 0 ? wanted : ["test/"]),
]);
const counted = count();
passed += counted.passed;
failed += counted.failed;
// A runner that ends badly without a failed test has failed all the same.
if (!fine && counted.failed === 0) failed++;
rmSync(folder, { recursive: true });

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function count(): { passed: number; failed: number } {
  let text = "";
  try {
    text = readFileSync(report, "utf8");
  } catch {
    return { passed: 0, failed: 1 };
  }
  const root = /<testsuites[^>]*>/.exec(text)?.[0] ?? "";
  const attribute = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  const bad = attribute("failures") + attribute("errors");
  return { passed: attribute("tests") - bad - attribute("skipped"), failed: bad };
}
