/** Runs scenarios one after the other, each for its share of the time. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SeededRandom } from "../testkit/seededRandom.ts";
import type { Outcome } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { within } from "./service.ts";
import { Tally } from "./tally.ts";

export interface RunOptions {
  readonly seed: number;
  readonly seconds: number;
  /** How much longer than its share each may take, to start, to judge and to clean up. */
  readonly overtimeMsMax: number;
  /** The folder in which each scenario gets its own. */
  readonly root: string;
  /** Called when a scenario ends. */
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Stops at a scenario that does not end: it cannot be cancelled, and would disturb the next ones. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  options: RunOptions,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const scenario of scenarios) {
    const outcome = await runScenario(scenario, options);
    outcomes.push(outcome);
    options.onOutcome(outcome);
    if (outcome.goesOn) break;
  }
  return outcomes;
}

async function runScenario(scenario: Scenario, options: RunOptions): Promise<Outcome> {
  const { name } = scenario;
  const { seed, seconds, overtimeMsMax } = options;
  const tally = new Tally();
  const leftOut = scenario.lacks?.();
  if (leftOut !== undefined) return { name, tally, leftOut, tookMs: 0, goesOn: false };
  const folder = join(options.root, name);
  mkdirSync(folder, { recursive: true });
  const startedMs = performance.now();
  let goesOn = true;
  const work = scenario
    .run({
      random: new SeededRandom(seed).fork(name),
      tally,
      folder,
      seconds,
      say: (line) => console.error(`  ${name}: ${line}`),
    })
    .finally(() => {
      goesOn = false;
    });
  try {
    await within(seconds * 1_000 + overtimeMsMax, `${name} does not end`, work);
  } catch (cause) {
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    tally.judge(false, () => `The scenario failed: ${text}`);
  }
  const tookMs = performance.now() - startedMs;
  if (tally.violations.length === 0) rmSync(folder, { recursive: true, force: true });
  return { name, tally, leftOut, tookMs, goesOn };
}
