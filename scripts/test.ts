// What `npm test` runs: formatter and linter, types, contract, and meanwhile every test. It goes on
// after a failure, so that one run tells all, and closes with the line `N passed, N failed, N skipped`.
// With --quick it leaves out what testRun.ts calls slow, and keeps to one engine.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCluster } from "../testkit/postgresServer.ts";
import { testSeed } from "../testkit/seed.ts";
import { testMsMax } from "../testkit/timeouts.ts";
import { isTarget } from "./build/runtimes.ts";
import { buildExecutable } from "./build.ts";
import { countsIn, slow } from "./testRun.ts";

// TypeScript 7 takes a fifth of the time of 5.9, whose programming interface it does not have.
const tsc = "node_modules/typescript7/bin/tsc";
// Several share little of what they find out, and the tests want the other cores.
const oneThread = "--singleThreaded";
const typesKept = "node_modules/.cache/petstore.tsbuildinfo";
const checks: [what: string, command: string, ...args: string[]][] = [
  ["format and lint", "biome", "check", "--error-on-warnings"],
  // What it found of files that have not changed since is kept.
  ["types", tsc, "--project", ".", "--incremental", "--tsBuildInfoFile", typesKept, oneThread],
  ["contract", "redocly", "lint", "petstore", "platform"],
];

const host = `${process.platform}-${process.arch}`;
const given = process.argv.slice(2);
const quick = given.includes("--quick");
const rest = given.filter((argument) => argument !== "--quick");
const folder = mkdtempSync(join(tmpdir(), "petstore-report-"));
const report = join(folder, "report.xml");
let passed = 0;
let failed = 0;

if (process.env["PETSTORE_TEST_SEED"] !== undefined) console.log(`The seed is ${testSeed}.`);
const [fine, ...checked] = await Promise.all([runTests(), ...checks.map(check)]);
for (const { what, fine, said } of checked) {
  console.log(`${fine ? "ok" : `${said}FAILED`}: ${what}`);
  if (fine) passed++;
  else failed++;
}
const counted = countsIn(readReport());
passed += counted.passed;
failed += counted.failed;
// A runner that ends badly without a failed test has failed all the same.
if (!fine && counted.failed === 0) failed++;
rmSync(folder, { recursive: true });

if (failed > 0) console.log(`The seed was ${testSeed}: ${repeated()} repeats it.`);
console.log(`${passed} passed, ${failed} failed, ${counted.skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);

function repeated(): string {
  const { PETSTORE_TEST_ROUNDS: rounds } = process.env;
  const seeded = `PETSTORE_TEST_SEED=${testSeed}`;
  return rounds === undefined ? seeded : `${seeded} PETSTORE_TEST_ROUNDS=${rounds}`;
}

async function check([what, command, ...args]: (typeof checks)[number]) {
  try {
    const child = Bun.spawn([command, ...args], { stdout: "pipe", stderr: "pipe" });
    const said = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { what, fine: (await child.exited) === 0, said: said.join("") };
  } catch (cause) {
    return { what, fine: false, said: `${(cause as Error).message}. Run npm ci first.\n` };
  }
}

async function runTests(): Promise<boolean> {
  const cluster = quick ? undefined : clusterIfAny();
  const env: NodeJS.ProcessEnv = { ...process.env, PETSTORE_TEST_SEED: String(testSeed) };
  if (quick) env["PETSTORE_TEST_ENGINE"] = "sqlite";
  if (cluster !== undefined) env["PETSTORE_TEST_CLUSTER"] = cluster.data;
  const whole = rest.every((argument) => argument.startsWith("--"));
  if (whole && !quick) env["PETSTORE_PROGRAM"] ??= await executable();
  const args = [
    "test",
    // Files wait two thirds of their time for processes of their own: six keep two cores busy.
    "--parallel=6",
    // The slowest files first, so that none of them is left over at the end.
    "--timings=test/timings.json",
    // Loading the modules anew for each file takes a fifth of the time.
    "--no-isolate",
    `--timeout=${testMsMax}`,
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...(quick ? slow.map((pattern) => `--path-ignore-patterns=${pattern}`) : []),
    ...rest,
    ...(whole ? ["test/"] : []),
  ];
  const child = Bun.spawn(["bun", ...args], { stdio: ["ignore", "inherit", "inherit"], env });
  try {
    return (await child.exited) === 0;
  } finally {
    cluster?.remove();
  }
}

/** What most users run, and it starts faster than the source, which test/scripts/ starts too. */
async function executable(): Promise<string | undefined> {
  if (!isTarget(host)) return undefined;
  try {
    return (await buildExecutable(join(folder, "petstore"), host)).file;
  } catch {
    // The test of the build fails with the cause.
    return undefined;
  }
}

/** Where there is no PostgreSQL, the tests that need it say so. */
function clusterIfAny() {
  try {
    return makeCluster();
  } catch {
    return undefined;
  }
}

function readReport(): string {
  try {
    return readFileSync(report, "utf8");
  } catch {
    return "";
  }
}
