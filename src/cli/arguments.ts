/** Turns the words after a command into a Call, or says which of them does not fit. */
import { parseArgs } from "node:util";
import type { Call, Command, Option } from "./command.ts";
import { CommandFailure } from "./context.ts";
import { didYouMean, nearest } from "./suggest.ts";

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
