/** What is asked of the rig on its command line. */
import { existsSync } from "node:fs";

/** A scenario, or whatever else has a name to be chosen by. */
interface Named {
  readonly name: string;
}

export interface Options<Choice extends Named = Named> {
  readonly seed: number;
  readonly minutes: number;
  readonly secondsEach: number;
  readonly chosen: readonly Choice[];
  /** The executable that is the service; its source where none is given. */
  readonly program: string | undefined;
  readonly json: boolean;
}

export class UsageError extends Error {}

const usage =
  "[--seed <number>] [--minutes <number>] [--only <name,name>] [--program <file>] [--json]";
const valued = ["--seed", "--minutes", "--only", "--program"];
const minutesDefault = 10;
const minutesMax = 24 * 60;
const seedMax = 2 ** 32 - 1;
/** Less would be over before anything is under load. */
const secondsEachMin = 5;

export function readOptions<Choice extends Named>(
  args: readonly string[],
  scenarios: readonly Choice[],
): Options<Choice> {
  const values = new Map<string, string>();
  let json = false;
  for (let at = 0; at < args.length; at++) {
    const name = args[at] ?? "";
    if (name === "--json") json = true;
    else if (valued.includes(name)) values.set(name, args[++at] ?? "");
    else throw new UsageError(`${name} is unknown. Usage: ${usage}`);
  }
  const chosen = chosenFrom(scenarios, values.get("--only"));
  const minutes = numberIn("--minutes", values.get("--minutes") ?? `${minutesDefault}`, minutesMax);
  const drawn = `${Math.floor(Math.random() * seedMax)}`;
  const share = Math.floor((minutes * 60) / Math.max(1, chosen.length));
  return {
    seed: wholeIn("--seed", values.get("--seed") ?? drawn, seedMax),
    minutes,
    secondsEach: Math.max(secondsEachMin, share),
    chosen,
    program: programFrom(values.get("--program")),
    json,
  };
}

function chosenFrom<Choice extends Named>(
  scenarios: readonly Choice[],
  only: string | undefined,
): readonly Choice[] {
  if (only === undefined) return scenarios;
  return only.split(",").map((name) => {
    const found = scenarios.find((scenario) => scenario.name === name);
    if (found !== undefined) return found;
    const known = scenarios.map((scenario) => scenario.name).join(", ");
    throw new UsageError(`There is no "${name}". There are: ${known}.`);
  });
}

function programFrom(file: string | undefined): string | undefined {
  if (file === undefined || existsSync(file)) return file;
  throw new UsageError(`--program takes a file; "${file}" is not there. ${usage}`);
}

function numberIn(name: string, text: string, max: number): number {
  const value = /^\d{1,10}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= max) return value;
  throw new UsageError(`${name} takes a number up to ${max}; "${text}" is not. ${usage}`);
}

function wholeIn(name: string, text: string, max: number): number {
  const value = numberIn(name, text, max);
  if (Number.isInteger(value)) return value;
  throw new UsageError(`${name} takes a whole number; "${text}" is not. ${usage}`);
}
