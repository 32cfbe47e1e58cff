// What `npm run fresh` runs: both commands of the README in a clean clone of the last commit, on a bare Debian and with
// each version of Node.js asked for. It closes with the line `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type BareMachine,
  type Ended,
  endAll,
  hindrance,
  installRuntime,
  Missing,
  makeRoot,
  newMachine,
} from "./fresh/bareMachine.ts";
import { callerSettings, debianMirror } from "./fresh/callerSettings.ts";
import {
  type Options,
  type Runtime,
  readOptions,
  type Suite,
  UsageError,
} from "./fresh/options.ts";
import { type Check, type Outcome, outcomeOf } from "./fresh/outcome.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const root = join(tmpdir(), `petstore-fresh-${process.arch}`);

const say = (line: string) => console.error(line);

function checksOf(tests: Suite): readonly Check[] {
  const bun = "node_modules/.bin/bun";
  const first: Check[] = [
    { name: "npm ci", command: "npm ci", msMax: 15 * 60_000, warningsFail: true },
    { name: "npm start", command: `${bun} scripts/fresh/firstCall.ts`, msMax: 3 * 60_000 },
  ];
  if (tests === "none") return first;
  const command = tests === "quick" ? "npm run test:quick" : "npm test";
  return [...first, { name: command, command, msMax: 2 * 60 * 60_000 }];
}

function uncommitted(): number {
  const { stdout } = spawnSync("git", ["status", "--porcelain"], { cwd: repository });
  return stdout.toString().split("\n").filter(Boolean).length;
}

async function tryRuntime(machine: BareMachine, runtime: Runtime, tests: Suite) {
  const folder = `petstore-node-${runtime.node}`;
  const where = { runtime: await installRuntime(root, runtime), folder };
  await machine.clone(folder);
  const { output } = await machine.run("node -v && npm -v", { ...where, msMax: 60_000 });
  const versions = `Node.js ${output.trim().replace("\n", ", npm ")}`;
  const outcomes: Outcome[] = [];
  for (const check of checksOf(tests)) {
    say(`${versions}: ${check.name} …`);
    const startedMs = performance.now();
    const ended: Ended = await machine.run(check.command, { ...where, msMax: check.msMax });
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    const outcome = outcomeOf(check, ended, { versions, seconds });
    outcomes.push(outcome);
    for (const line of outcome.complaints) say(`  ${line}`);
    const said = outcome.closingLine === undefined ? "" : `: ${outcome.closingLine}`;
    say(`${outcome.passed ? "ok" : "FAILED"}: ${versions}: ${check.name}, ${seconds} s${said}`);
    // Without packages nothing else can pass.
    if (check.name === "npm ci" && ended.code !== 0) break;
  }
  return outcomes;
}

async function runAll({ runtimes, tests }: Options): Promise<readonly Outcome[]> {
  const reason = hindrance({
    platform: process.platform,
    arch: process.arch,
    uid: process.getuid?.(),
  });
  if (reason !== undefined) throw new Missing(reason);
  const changed = uncommitted();
  if (changed > 0)
    say(`${changed} changed files are not committed, and so not part of this check.`);
  say(`A bare Debian in ${root}, kept for the next time; last.log in it has the output …`);
  await makeRoot(root, debianMirror(aptSources()));
  const machine = await newMachine(root, repository, callerSettings(process.env));
  process.on("exit", () => {
    endAll();
    machine.remove();
  });
  const outcomes: Outcome[] = [];
  for (const [at, runtime] of runtimes.entries())
    outcomes.push(...(await tryRuntime(machine, runtime, at === 0 ? tests : "none")));
  return outcomes;
}

function aptSources(): readonly string[] {
  if (!existsSync("/etc/debian_version")) return [];
  const folder = "/etc/apt/sources.list.d";
  const files = existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [];
  return [...files.filter((file) => /\.(?:list|sources)$/.test(file)), "/etc/apt/sources.list"]
    .filter(existsSync)
    .map((file) => readFileSync(file, "utf8"));
}

// Leaving by `exit` ends and removes what was started.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => process.exit(1));

try {
  const options = readOptions(process.argv.slice(2));
  const outcomes = await runAll(options);
  const passed = outcomes.filter((outcome) => outcome.passed).length;
  if (options.json) console.log(JSON.stringify(outcomes, undefined, 2));
  (options.json ? say : console.log)(`${passed} passed, ${outcomes.length - passed} failed`);
  process.exit(passed === outcomes.length ? 0 : 1);
} catch (cause) {
  if (!(cause instanceof Missing || cause instanceof UsageError)) throw cause;
  console.error(cause.message);
  process.exit(2);
}
