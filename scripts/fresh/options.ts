/** What `npm run fresh` is asked for on its command line. */
import { parseArgs } from "node:util";
import type { Runtime } from "../debian/root.ts";

/** The major version of npm that each supported Node.js is released with. */
const npmOf: Readonly<Record<string, string>> = { 20: "10", 22: "10", 24: "11", 26: "11" };
const nodesDefault = "20,22,26";
const suites = ["none", "quick", "all"] as const;

export type Suite = (typeof suites)[number];

export interface Options {
  readonly runtimes: readonly Runtime[];
  /** Which tests run, on the first of the runtimes. */
  readonly tests: Suite;
  readonly json: boolean;
}

export class UsageError extends Error {}

export const usage = `npm run fresh -- [--node <major,major>] [--npm <major>] [--tests ${suites.join("|")}] [--json]`;

export function readOptions(args: readonly string[]): Options {
  const { node, npm, tests, json } = valuesOf(args);
  const suite = suites.find((name) => name === tests);
  if (suite === undefined) throw new UsageError(`There are no tests "${tests}". ${usage}`);
  if (npm !== undefined && !/^\d{1,2}$/.test(npm))
    throw new UsageError(`--npm takes a major version; "${npm}" is not. ${usage}`);
  const runtimes = node.split(",").map((major): Runtime => {
    const released = npmOf[major];
    if (released !== undefined) return { node: major, npm: npm ?? released };
    const known = Object.keys(npmOf).join(", ");
    throw new UsageError(`Node.js "${major}" is not among ${known}. ${usage}`);
  });
  return { runtimes, tests: suite, json };
}

function valuesOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        node: { type: "string", default: nodesDefault },
        npm: { type: "string" },
        tests: { type: "string", default: "all" },
        json: { type: "boolean", default: false },
      },
    }).values;
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message} ${usage}`, { cause });
  }
}
