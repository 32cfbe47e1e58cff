// What `npm run fresh` runs: both commands of the README in a clean clone of the last commit, on a bare Debian and with
// each version of Node.js asked for. It closes with the line `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { callerSettings } from "./debian/callerSettings.ts";
import {
  type BareMachine,
  bareMachine,
  logFile,
  type Runtime,
  requireOrExit,
} from "./debian/root.ts";
import { type Options, readOptions, type Suite, UsageError } from "./fresh/options.ts";
import { type Check, type Outcome, outcomeOf } from "./fresh/outcome.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));

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
  const where = { runtime, folder };
  machine.clone(folder);
  const { output } = await machine.run("node -v && npm -v", { ...where, msMax: 60_000 });
  const versions = `Node.js ${output.trim().replace("\n", ", npm ")}`;
  const outcomes: Outcome[] = [];
  for (const check of checksOf(tests)) {
    say(`${versions}: ${check.name} …`);
    const startedMs = performance.now();
    const ended = await machine.run(check.command, { ...where, msMax: check.msMax });
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
  const changed = uncommitted();
  if (changed > 0)
    say(`${changed} changed files are not committed, and so not part of this check.`);
  say(`${logFile} has the output …`);
  const machine = bareMachine(repository, callerSettings(process.env));
  const outcomes: Outcome[] = [];
  for (const [at, runtime] of runtimes.entries())
    outcomes.push(...(await tryRuntime(machine, runtime, at === 0 ? tests : "none")));
  return outcomes;
}

try {
  const options = readOptions(process.argv.slice(2));
  requireOrExit(["git", "npm"]);
  const outcomes = await runAll(options);
  const passed = outcomes.filter((outcome) => outcome.passed).length;
  if (options.json) console.log(JSON.stringify(outcomes, undefined, 2));
  (options.json ? say : console.log)(`${passed} passed, ${outcomes.length - passed} failed`);
  process.exit(passed === outcomes.length ? 0 : 1);
} catch (cause) {
  if (!(cause instanceof UsageError)) throw cause;
  console.error(cause.message);
  process.exit(2);
}
