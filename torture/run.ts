// What `npm run torture` runs: faults against real processes of the service, chosen by a seed, and a
// judgement after each. The seed repeats every choice; when the machine gets to it, it does not.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chance } from "../test/simulation/chance.ts";
import { readOptions, UsageError } from "./options.ts";
import { type Outcome, outcomeJson, replayCommand, scenarioLine, summaryText } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import { within } from "./service.ts";
import { Tally } from "./tally.ts";

/** What a scenario may take beyond its share of the time, to start, to judge and to tidy up. */
const overtimeMsMax = 180_000;

// Whatever was started goes with this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => process.exit(1));

async function perform(scenario: Scenario, seed: number, seconds: number, folder: string) {
  const tally = new Tally();
  const outcome = (leftOut?: string): Outcome => ({ name: scenario.name, tally, leftOut, tookMs });
  const startedMs = performance.now();
  let tookMs = 0;
  const lacks = scenario.lacks?.();
  if (lacks !== undefined) return outcome(lacks);
  mkdirSync(folder, { recursive: true });
  const work = scenario.run({
    chance: new Chance(seed).fork(scenario.name),
    tally,
    folder,
    seconds,
    say: (line) => console.error(`  ${scenario.name}: ${line}`),
  });
  try {
    await within(seconds * 1_000 + overtimeMsMax, `${scenario.name} does not end`, work);
  } catch (cause) {
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    tally.judge(false, () => `The scenario failed: ${text}`);
  }
  tookMs = performance.now() - startedMs;
  if (tally.violations.length === 0) rmSync(folder, { recursive: true, force: true });
  return outcome();
}

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
const root = mkdtempSync(join(tmpdir(), "petstore-torture-"));
let leavesTraces = false;
process.on("exit", () => {
  // A process that is just being killed may still be writing there.
  if (!leavesTraces) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});
const say = (line: string) => (options.json ? console.error(line) : console.log(line));
say(`Seed ${options.seed}: ${options.chosen.length} scenarios, ${options.secondsEach} s each.`);

const outcomes: Outcome[] = [];
for (const scenario of options.chosen) {
  const folder = join(root, scenario.name);
  const outcome = await perform(scenario, options.seed, options.secondsEach, folder);
  outcomes.push(outcome);
  say(scenarioLine(outcome));
  for (const violation of outcome.tally.violations.slice(0, 20)) say(`  VIOLATION: ${violation}`);
}

// Where everything is expected to be installed, a scenario that cannot run is a fault.
const mustRunAll = process.env.CI === "true";
const failed = outcomes.filter(
  ({ tally, leftOut }) => tally.violations.length > 0 || (mustRunAll && leftOut !== undefined),
);
if (options.json) {
  const { seed, minutes } = options;
  const told = outcomes.map(outcomeJson);
  console.log(JSON.stringify({ seed, minutes, ok: failed.length === 0, scenarios: told }));
} else {
  console.log(`\n${summaryText(outcomes)}`);
}
if (failed.length === 0) process.exit(0);
leavesTraces = true;
say(`FAILED: ${failed.map(({ name }) => name).join(", ")}. What is left of it: ${root}`);
say(`Again: ${replayCommand(options, failed)}`);
process.exit(1);
