/** What a command is, and how its arguments are parsed. */
import { parseArgs } from "node:util";
import type { CliContext } from "./context.ts";
import { UsageError } from "./errors.ts";
import { didYouMean, nearest } from "./readText.ts";

/** One thing that `petstore` does. Help, parsing and suggestions all follow from this. */
export interface Command {
  /** As it is typed after `petstore`: `keys create`. */
  readonly name: string;
  /** One line, for the overview. */
  readonly summary: string;
  /** The words that follow, each with its help: `<file>`, or `[<file>]` where it may be left out. */
  readonly operands?: Readonly<Record<string, string>>;
  /** Each with its help: `yes` is a switch, `name <name>` takes a value. */
  readonly options?: Readonly<Record<string, string>>;
  /** Options that the help shows without brackets. The command itself reports a missing one. */
  readonly required?: readonly string[];
  /** What else one should know before using it. */
  readonly about?: string;
  readonly examples: readonly string[];
  /** Undefined when the command has written its output to stdout already. */
  run(call: Call, context: CliContext): Promise<Report | undefined>;
}

/** The arguments of a command, validated against its operands and options. */
export interface Call {
  /** Empty when the command takes none, or an optional one was left out. */
  readonly operand: string;
  /** Empty when the command takes no second one. */
  readonly second: string;
  readonly values: ReadonlyMap<string, string>;
  readonly switches: ReadonlySet<string>;
}

/** The outcome twice: as one JSON value and as a text for people. */
export interface Report {
  readonly json: unknown;
  readonly text: string;
  /** 0 unless given. */
  readonly exitCode?: number;
}

/** Prints a remark beside the outcome. Left out with --json, which is for programs. */
export function note({ switches }: Call, { stderr }: CliContext, text: string): void {
  if (!switches.has("json")) stderr.write(`${text}\n`);
}

export interface Option {
  /** As it is typed: `name <name>`. */
  readonly form: string;
  readonly name: string;
  /** What stands for the value in the help. Undefined for a switch. */
  readonly value: string | undefined;
  readonly summary: string;
}

/** Those that every command takes come last. */
export function optionsOf(command: Command): Option[] {
  const all = {
    ...command.options,
    json: "Print one JSON value on stdout, for programs",
    help: "Show this help",
  };
  return Object.entries(all).map(([form, summary]) => {
    const [name = "", value] = form.split(" ");
    return { form, name, value, summary };
  });
}

export function readCall(command: Command, words: readonly string[]): Call {
  const options = optionsOf(command);
  const refuse = (what: string): never => {
    throw new UsageError(`${what} See petstore ${command.name} --help.`);
  };
  // Not strict: Node's own messages neither suggest anything nor name the next step.
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      options.map(({ name, value }) => [
        name,
        { type: value === undefined ? "boolean" : "string" } as const,
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const typed: string[] = [];
  const values = new Map<string, string>();
  const switches = new Set<string>();
  for (const token of tokens) {
    if (token.kind === "positional") typed.push(token.value);
    if (token.kind !== "option") continue;
    const { rawName, name, value, inlineValue } = token;
    const option = options.find((known) => known.name === name);
    if (rawName === "-h") switches.add("help");
    else if (option === undefined) refuse(unknownOption(rawName, options));
    else if (values.has(name) || switches.has(name)) refuse(`${rawName} is given twice.`);
    else if (option.value === undefined) {
      if (value !== undefined) refuse(`${rawName} takes no value.`);
      switches.add(name);
    } else if (value === undefined || (!inlineValue && value.startsWith("-") && value !== "-")) {
      // parseArgs would take the next option for the value.
      refuse(`${rawName} needs a value: ${rawName} ${option.value}.`);
    } else values.set(name, value);
  }

  const [operand = "", second = ""] = typed;
  if (!switches.has("help")) {
    const operands = Object.keys(command.operands ?? {});
    const surplus = typed[operands.length];
    if (surplus !== undefined) refuse(`${JSON.stringify(surplus)} is one word too many.`);
    const missing = operands.find((shown, index) => !shown.startsWith("[") && !typed[index]);
    if (missing !== undefined) refuse(`${missing} is missing.`);
  }
  return { operand, second, values, switches };
}

function unknownOption(typed: string, options: readonly Option[]): string {
  const names = options.map(({ name }) => name);
  const suggestion = nearest(typed.replace(/^-+/, ""), names);
  return `Unknown option ${typed}.${didYouMean(suggestion && `--${suggestion}`)}`;
}
