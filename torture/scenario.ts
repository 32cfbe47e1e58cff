/** What a scenario is: faults of one kind against real processes, and the judgement after them. */
import type { SeededRandom } from "../testkit/seededRandom.ts";
import type { Tally } from "./tally.ts";

export interface Stage {
  /** Every choice of a scenario comes from here, so that a seed tells the whole run. */
  readonly random: SeededRandom;
  readonly tally: Tally;
  /** A folder of the scenario's own, which is removed when nothing was violated. */
  readonly folder: string;
  /** How long the scenario should go on making faults. It judges once more after that. */
  readonly seconds: number;
  /** Progress, for whoever watches. */
  say(line: string): void;
}

export interface Scenario {
  /** As it is asked for by `--only`: `powerLoss`. */
  readonly name: string;
  /** What is done, in a line. */
  readonly about: string;
  /** What the machine lacks for it, or undefined where it can run. */
  lacks?(): string | undefined;
  /** Ends what it started, whatever happens. A throw is a violation too. */
  run(stage: Stage): Promise<void>;
}
