// `npm run torture`: injects faults into real processes of the service, chosen by a seed, and judges
// after each. The seed repeats every choice, but not its timing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions, UsageError } from "./options.ts";
import { outcomeJson, replayCommand, scenarioLine, summaryText } from "./report.ts";
import { runScenarios } from "./runScenarios.ts";
import { scenarios } from "./scenarios.ts";

const overtimeMsMax = 180_000;

// Child processes are killed when this process exits.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => process.exit(1));

function optionsOrExit() {
  try {
    return readOptions(process.argv.slice(2), scenarios);
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    console.error(cause.message);
    process.exit(2);
  }
}

const options = optionsOrExit();
// As for the tests that start the service, which share the code that does.
if (options.program !== undefined) process.env["PETSTORE_PROGRAM"] = options.program;
const root = mkdtempSync(join(tmpdir(), "petstore-torture-"));
let leavesTraces = false;
process.on("exit", () => {
  // A process that is just being killed may still be writing there.
  if (!leavesTraces) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});
const say = (line: string) => (options.json ? console.error(line) : console.log(line));
say(`Seed ${options.seed}: ${options.chosen.length} scenarios, ${options.secondsEach} s each.`);

const outcomes = await runScenarios(options.chosen, {
  seed: options.seed,
  seconds: options.secondsEach,
  overtimeMsMax,
  root,
  onOutcome(outcome) {
    say(scenarioLine(outcome));
    for (const violation of outcome.tally.violations.slice(0, 20)) say(`  VIOLATION: ${violation}`);
  },
});
const notRun = options.chosen.slice(outcomes.length);
if (notRun.length > 0) say(`Stopped there. Not run: ${notRun.map(({ name }) => name).join(", ")}.`);

// Where everything is expected to be installed, a scenario that cannot run is a fault.
const mustRunAll = process.env["CI"] === "true";
const failed = outcomes.filter(
  ({ tally, leftOut }) => tally.violations.length > 0 || (mustRunAll && leftOut !== undefined),
);
if (options.json) {
  const { seed, minutes } = options;
  const reports = outcomes.map(outcomeJson);
  console.log(JSON.stringify({ seed, minutes, ok: failed.length === 0, scenarios: reports }));
} else {
  console.log(`\n${summaryText(outcomes)}`);
}
if (failed.length === 0) process.exit(0);
leavesTraces = true;
say(`FAILED: ${failed.map(({ name }) => name).join(", ")}. What is left of it: ${root}`);
say(`Again: ${replayCommand(options, failed)}`);
process.exit(1);
