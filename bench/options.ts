/** What `npm run bench -- …` was asked for. */
import { parseArgs } from "node:util";
import { type WorkName, workNames } from "./works.ts";

export const partNames = [
  "logging",
  "coldStart",
  "growth",
  "underWrites",
  "processes",
  "webhooks",
  "edge",
  "postgres",
] as const;
export type PartName = (typeof partNames)[number];

/** What there may be many of. */
export const growthNames = [
  "pets",
  "keys",
  "domains",
  "endpoints",
  "files",
  "connections",
] as const;

export interface Options {
  readonly short: boolean;
  readonly works: readonly WorkName[];
  readonly parts: readonly PartName[];
  readonly contestants: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  /** Of load with each work that reads, for everybody, before the first round. */
  readonly warmUpSeconds: number;
  readonly pets: number;
  /** What growth increases. */
  readonly growth: readonly string[];
  /** Whether it is the whole run, with everything and everybody in it. */
  readonly complete: boolean;
  /** Whether to keep the results in bench/results/. */
  readonly keep: boolean;
}

export class UsageError extends Error {}

export const contestantNames = [
  "ours",
  "nginx",
  "fastify",
  "pocketbase",
  "jsonServer",
  "swaggerPetstore",
  "bareSqlite",
] as const;

/** Names that stand for several. */
const together: Readonly<Record<string, readonly string[]>> = {
  list: ["listPlain", "listByStatus", "listDeep"],
  create: ["createPet"],
};

const shortRun = {
  works: ["getPet", "listPlain", "createPet"],
  contestants: ["ours", "nginx", "fastify"],
  rounds: 3,
  seconds: 1,
  warmUpSeconds: 3,
  pets: 50_000,
} as const;
const longRun = {
  works: workNames,
  contestants: contestantNames,
  rounds: 3,
  seconds: 5,
  // A service of ours that just started gets faster for some ten seconds of load; others do too.
  warmUpSeconds: 8,
  pets: 1_000_000,
} as const;

export const usage = `Usage: npm run bench -- [options]

  --short               The run of a minute or two that continuous integration makes
  --only <a,b>          Only these works and parts: ${workNames.join(", ")},
                        list, create, ${partNames.join(", ")}
  --contestants <a,b>   Only these: ${contestantNames.join(", ")}
  --rounds <number>     Rounds, interleaved (default 3)
  --seconds <number>    Seconds of load for each figure (default 5; 1 with --short)
  --warm-up <number>    Seconds of load with each reading work before (default 8; 3 with --short)
  --pets <number>       Pets stored before the run (default 1000000; 50000 with --short)
  --growth <a,b>        What growth increases: ${growthNames.join(", ")}
  --keep                Keep the results in bench/results/ (default, but not for a short or partial run)
  --no-keep             Print only
`;

export function readOptions(args: readonly string[]): Options {
  const given = parsed(args);
  const short = given.short ?? false;
  const plan = short ? shortRun : longRun;
  const whole = (
    name: "rounds" | "seconds" | "warm-up" | "pets",
    least: number,
    otherwise: number,
  ) => (given[name] === undefined ? otherwise : wholeNumber(name, given[name], least));
  const wanted = given.only?.split(",").flatMap((name) => together[name] ?? [name]);
  const known: readonly string[] = [...workNames, ...partNames];
  for (const name of wanted ?? []) {
    if (!known.includes(name)) throw new UsageError(`There is nothing called ${name} to measure.`);
  }
  const contestants = given.contestants?.split(",") ?? plan.contestants;
  for (const name of contestants) {
    if (!contestantNames.some((known) => known === name)) {
      throw new UsageError(`There is no contestant called ${name}.`);
    }
  }
  const growth = given.growth?.split(",") ?? growthNames;
  for (const name of growth) {
    if (!growthNames.some((known) => known === name)) {
      throw new UsageError(`Growth does not increase ${name}.`);
    }
  }
  const complete = !short && wanted === undefined && given.contestants === undefined;
  return {
    short,
    works: wanted === undefined ? plan.works : workNames.filter((name) => wanted.includes(name)),
    parts: partNames.filter((name) => wanted?.includes(name) ?? !short),
    contestants,
    rounds: whole("rounds", 1, plan.rounds),
    seconds: whole("seconds", 1, plan.seconds),
    warmUpSeconds: whole("warm-up", 1, plan.warmUpSeconds),
    // Fewer would leave no page deep enough to ask for.
    pets: whole("pets", 1_000, plan.pets),
    growth,
    complete,
    keep: given.keep ?? complete,
  };
}

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  try {
    return parseArgs({
      args: [...args],
      allowNegative: true,
      options: {
        short: flag,
        keep: flag,
        only: text,
        contestants: text,
        rounds: text,
        seconds: text,
        "warm-up": text,
        pets: text,
        growth: text,
      },
    }).values;
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

function wholeNumber(name: string, text: string, least: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < least) {
    throw new UsageError(`--${name} is a whole number of at least ${least}, and not ${text}.`);
  }
  return Number(text);
}
