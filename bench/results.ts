/** All that a run found out. */
import type { Machine } from "./machine.ts";
import type { Options } from "./options.ts";
import type { Figures } from "./rounds.ts";

export interface Results {
  readonly startedAt: string;
  readonly command: string;
  readonly options: Options;
  readonly machine: Machine;
  readonly contestants: readonly ContestantCard[];
  readonly figures: readonly Figures[];
  readonly parts: readonly PartResult[];
}

export interface ContestantCard {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly leavesOut: readonly string[];
  /** Why it was not measured though it should have been. */
  readonly absent?: string;
}

/** A measurement beside the comparison, ready to be shown, with its figures by name. */
export interface PartResult {
  readonly name: string;
  readonly title: string;
  /** How it was measured, in a sentence or two. */
  readonly method: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly facts: Readonly<Record<string, number>>;
  /** A picture of it, as SVG. */
  readonly chart?: string;
}
