import { parseArgs } from "node:util";
import type { CliContext } from "./context.ts";
import { CommandFailure } from "./errors.ts";
import { didYouMean, nearest } from "./readText.ts";

/** One thing that `petstore` does. Help, parsing and suggestions all follow from this. */
export interface Command {
  /** As it is typed after `petstore`: `keys create`. */
  readonly name: string;
  /** One line, for the overview. */
  readonly summary: string;
  readonly operand?: Operand;
  /** The word after that, where there is one. */
  readonly second?: Operand;
  readonly options: Readonly<Record<string, Option>>;
  /** What else one should know before using it. */
  readonly about?: string;
  readonly examples: readonly string[];
  /** Undefined when everything there was to say is on stdout already. */
  run(call: Call, context: CliContext): Promise<Report | undefined>;
}

/** A word that follows the command. */
export interface Operand {
  /** `<file>`, or `[<file>]` where it may be left out. */
  readonly shown: string;
  readonly summary: string;
  readonly optional?: true;
}

export interface Option {
  /** What stands for the value in the help. Without it the option is a switch. */
  readonly value?: string;
  readonly summary: string;
  /** Shown without brackets in the help. The command itself says so where it is missing. */
  readonly required?: true;
}

/** What was typed, held to what the command takes. */
export interface Call {
  /** Empty when the command takes none, or an optional one was left out. */
  readonly operand: string;
  /** Empty when the command takes no second one. */
  readonly second: string;
  readonly values: ReadonlyMap<string, string>;
  readonly switches: ReadonlySet<string>;
}

/** Says something beside the outcome. Programs do not read along: with --json it is left out. */
export function note({ switches }: Call, { stderr }: CliContext, text: string): void {
  if (!switches.has("json")) stderr.write(`${text}\n`);
}

/** The outcome twice: as one JSON value and as a text for people. */
export interface Report {
  readonly json: unknown;
  readonly text: string;
  /** 0 unless said. */
  readonly exitCode?: number;
}

/** Every command takes these. */
export const commonOptions: Readonly<Record<string, Option>> = {
  json: { summary: "Print one JSON value on stdout, for programs" },
  help: { summary: "Show this help" },
};

export function readCall(command: Command, words: readonly string[]): Call {
  const options: Readonly<Record<string, Option>> = { ...command.options, ...commonOptions };
  const refuse = (what: string): never => {
    throw new CommandFailure(`${what} See petstore ${command.name} --help.`, 2);
  };
  // Not strict: Node's own complaints neither suggest anything nor name the next step.
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value }]) => [
        name,
        { type: value === undefined ? "boolean" : "string" } as const,
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const operands: string[] = [];
  const values = new Map<string, string>();
  const switches = new Set<string>();
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    const { rawName, name, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (rawName === "-h") switches.add("help");
    else if (option === undefined) refuse(`${unknownOption(rawName, Object.keys(options))}`);
    else if (values.has(name) || switches.has(name)) refuse(`${rawName} is given twice.`);
    else if (option.value === undefined) {
      if (value !== undefined) refuse(`${rawName} takes no value.`);
      switches.add(name);
    } else if (value === undefined || (!inlineValue && value.startsWith("-") && value !== "-")) {
      // parseArgs would take the next option for the value.
      refuse(`${rawName} needs a value: ${rawName} ${option.value}.`);
    } else values.set(name, value);
  }

  const taken = [command.operand, command.second].filter((operand) => operand !== undefined);
  if (!switches.has("help")) {
    const surplus = operands[taken.length];
    if (surplus !== undefined) refuse(`${JSON.stringify(surplus)} is one word too many.`);
    const missing = taken.find(
      ({ optional }, place) => optional !== true && (operands[place] ?? "") === "",
    );
    if (missing !== undefined) refuse(`${missing.shown} is missing.`);
  }
  const [operand = "", second = ""] = operands;
  return { operand, second, values, switches };
}

function unknownOption(typed: string, names: readonly string[]): string {
  const suggestion = nearest(typed.replace(/^-+/, ""), names);
  return `Unknown option ${typed}.${didYouMean(suggestion && `--${suggestion}`)}`;
}
