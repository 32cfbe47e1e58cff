/** What is asked of the soak test on its command line. */
import { parseArgs } from "node:util";

export interface Options {
  readonly hours: number;
  /** How many operations begin per second. */
  readonly rate: number;
  readonly seed: number;
  /** Where samples, table and chart are written. */
  readonly out: string;
  /** Samples of an earlier run, to be judged and drawn again instead of a run. */
  readonly from: string | undefined;
}

export class UsageError extends Error {}

export const usage = `Usage: npm run soak -- --hours <number> [--rate <number>] [--seed <number>] [--out <folder>]
       npm run soak -- --from <samples.ndjson> [--out <folder>]

  --hours <number>   How long the load lasts (0.05 or more)
  --rate <number>    Operations that begin per second (default 25)
  --seed <number>    Of the choices of the load
  --out <folder>     Where samples.ndjson and chart.svg are written (default soak-results)
  --from <file>      Judge and draw the samples of an earlier run again`;

const seedMax = 2 ** 32 - 1;

export function readOptions(args: readonly string[]): Options {
  let values: Partial<Record<"hours" | "rate" | "seed" | "out" | "from", string>>;
  try {
    const text = { type: "string" } as const;
    const options = { hours: text, rate: text, seed: text, out: text, from: text };
    values = parseArgs({ args: [...args], options }).values;
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`);
  }
  const { hours, from, rate = "25", out = "soak-results" } = values;
  const { seed = `${Math.floor(Math.random() * seedMax)}` } = values;
  if ((hours === undefined) === (from === undefined))
    throw new UsageError(`Either --hours or --from is needed.\n\n${usage}`);
  return {
    hours: numberIn("--hours", hours ?? "1", 0.05, 1_000),
    rate: numberIn("--rate", rate, 1, 1_000),
    seed: numberIn("--seed", seed, 0, seedMax),
    out,
    from,
  };
}

function numberIn(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(
    `${name} takes a number from ${min} to ${max}; "${text}" is not.\n\n${usage}`,
  );
}
