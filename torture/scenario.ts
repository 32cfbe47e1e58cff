/** A scenario injects one kind of fault into real processes, and judges the result. */
import type { SeededRandom } from "../testkit/seededRandom.ts";
import type { Tally } from "./tally.ts";

export interface ScenarioContext {
  /** Source of every choice of a scenario, so that a seed determines the whole run. */
  readonly random: SeededRandom;
  readonly tally: Tally;
  /** The folder of the scenario, which is removed if there was no violation. */
  readonly folder: string;
  /** How long the scenario injects faults. It judges once more after that. */
  readonly seconds: number;
  /** Reports progress. */
  say(line: string): void;
}

export interface Scenario {
  /** The name for `--only`, such as `powerLoss`. */
  readonly name: string;
  /** One line about the fault. */
  readonly about: string;
  /** What the machine lacks to run it, or undefined. */
  lacks?(): string | undefined;
  /** Ends what it started, whatever happens. A throw is a violation too. */
  run(context: ScenarioContext): Promise<void>;
}
