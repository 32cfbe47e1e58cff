import type { Arena } from "../arena.ts";
import type { Contestant } from "../contestants/contestant.ts";
import type { Options } from "../options.ts";
import type { PartResult } from "../results.ts";

/** A measurement beside the comparison of works. */
export type Part = (
  arena: Arena,
  contestants: readonly Contestant[],
  options: Options,
) => Promise<PartResult>;
