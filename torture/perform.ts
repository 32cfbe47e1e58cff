/** Runs scenarios one after the other, each with its share of the time, and never two at once. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SeededRandom } from "../testkit/seededRandom.ts";
import type { Outcome } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { within } from "./service.ts";
import { Tally } from "./tally.ts";

export interface PerformOptions {
  readonly seed: number;
  readonly seconds: number;
  /** What each may take beyond its share of the time, to start, to judge and to tidy up. */
  readonly overtimeMsMax: number;
  /** Where each gets a folder of its own. */
  readonly root: string;
  /** As each ends. */
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Stops at one that does not end: it cannot be made to, and would disturb those after it. */
export async function performAll(
  scenarios: readonly Scenario[],
  options: PerformOptions,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const scenario of scenarios) {
    const outcome = await perform(scenario, options);
    outcomes.push(outcome);
    options.onOutcome(outcome);
    if (outcome.goesOn) break;
  }
  return outcomes;
}

async function perform(scenario: Scenario, options: PerformOptions): Promise<Outcome> {
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
