/** Finds the command for a command line, and writes the help. */
import packageJson from "../../package.json" with { type: "json" };
import { type Command, optionsOf, type Report, readCall } from "./command.ts";
import { commands, groups } from "./commands.ts";
import type { CliContext } from "./context.ts";
import { UsageError } from "./errors.ts";
import { didYouMean, nearest } from "./readText.ts";
import { table } from "./table.ts";

/** Undefined when the command has written its output already. */
export async function dispatch(
  argv: readonly string[],
  context: CliContext,
): Promise<Report | undefined> {
  const words = leadingWords(argv);
  if (words[0] === "help") return helpOn(words.slice(1), argv.slice(words.length));
  const command = commands.find(({ name }) => startsWith(words, name));
  if (command === undefined) return helpOn(words, argv.slice(words.length));
  const call = readCall(command, argv.slice(command.name.split(" ").length));
  return call.switches.has("help") ? commandHelp(command) : command.run(call, context);
}

/** Help for as much of a command as was typed. `options` are the words from the first dash on. */
function helpOn(words: readonly string[], options: readonly string[]): Report {
  const typed = words.join(" ");
  const command = commands.find(({ name }) => name === typed);
  if (words.length > 0 && command === undefined && !groups.includes(typed)) {
    throw new UsageError(unknownCommand(words));
  }
  const strange = options.find((option) => !helpOptions.has(option));
  if (strange !== undefined) {
    // A word after an option is the command that the option should have followed.
    const early = strange.startsWith("-") ? strange : options[0];
    throw new UsageError(
      `${early} stands before a command. Write petstore <command> [options]; see petstore help.`,
    );
  }
  if (options.includes("--version") || options.includes("-V")) return version();
  if (command !== undefined) return commandHelp(command);
  return listHelp(typed);
}

const helpOptions: ReadonlySet<string> = new Set(["--help", "-h", "--json", "--version", "-V"]);

function unknownCommand(words: readonly string[]): string {
  const [first = "", second] = words;
  const typed = words.slice(0, 2).join(" ");
  const suggestion = second === undefined ? meantByOne(first) : meantByTwo(first, second);
  const next = didYouMean(suggestion && `petstore ${suggestion}`);
  const verbs =
    suggestion === undefined && groups.includes(first)
      ? ` The commands of ${first} are ${verbsOf(first).join(", ")}.`
      : "";
  return `Unknown command ${JSON.stringify(typed)}.${next}${verbs} See petstore help.`;
}

/** It may be the second word of a command: `create`, `seed`. */
function meantByOne(word: string): string | undefined {
  const names = commands.map(({ name }) => name);
  return names.find((name) => name.endsWith(` ${word}`)) ?? nearest(word, [...names, ...groups]);
}

/** A known group is taken as meant: `pets list` does not suggest `keys list`. */
function meantByTwo(first: string, second: string): string | undefined {
  const group = groups.includes(first) ? first : nearest(first, groups);
  if (group === undefined) return meantByOne(first);
  const verb = nearest(second, verbsOf(group));
  return verb && `${group} ${verb}`;
}

function verbsOf(group: string): string[] {
  return commands.flatMap(({ name }) => {
    const [first, verb] = name.split(" ");
    return first === group && verb !== undefined ? [verb] : [];
  });
}

function leadingWords(argv: readonly string[]): readonly string[] {
  const firstOption = argv.findIndex((word) => word.startsWith("-"));
  return firstOption === -1 ? argv : argv.slice(0, firstOption);
}

function startsWith(words: readonly string[], name: string): boolean {
  return name.split(" ").every((word, place) => words[place] === word);
}

function version(): Report {
  const { version } = packageJson;
  const platform = `${process.platform}-${process.arch}`;
  const { bun } = process.versions;
  return {
    json: { version, platform, bun },
    text: `petstore ${version} (${platform}, Bun ${bun})\n`,
  };
}

/** Of everything, or of the commands that begin with the same word. */
function listHelp(group?: string): Report {
  const listed = commands.filter(({ name }) => !group || name.startsWith(`${group} `));
  const typed = group ? `petstore ${group}` : "petstore";
  const lines = [
    ...(group ? [] : ["Pet Store: a catalogue of pets served over HTTP.", ""]),
    `Usage: ${typed} <command> [options]`,
    "",
    summaries(listed),
    `${typed} <command> --help says more about one of them.${group ? "" : " Every command takes --json."}`,
    ...(group ? [] : ["petstore --version says which version this is, and what it runs on."]),
    "",
  ];
  return { json: listed.map(commandJson), text: lines.join("\n") };
}

function commandHelp(command: Command): Report {
  const { summary, operands = {}, about, examples } = command;
  const parts = [
    `${summary}.\n`,
    `Usage: ${wrapped(usageWords(command))}\n`,
    table([
      ...Object.entries(operands).map(([shown, summary]) => [`  ${shown}`, summary]),
      ...optionsOf(command).map(({ form, summary }) => [`  --${form}`, summary]),
    ]),
    ...(about === undefined ? [] : [`${about}\n`]),
    `${examples.length > 1 ? "Examples" : "Example"}:\n${examples.map((example) => `  ${example}\n`).join("")}`,
  ];
  return { json: commandJson(command), text: parts.join("\n") };
}

function summaries(listed: readonly Command[]): string {
  return table(
    listed.map(({ name, operands = {}, summary }) => [
      `  ${[name, ...Object.keys(operands)].join(" ")}`,
      summary,
    ]),
  );
}

const columns = 100;

/** The words, with a new line before one that would not fit. */
function wrapped(words: readonly string[]): string {
  let column = "Usage:".length;
  return words
    .map((word, index) => {
      const fits = column + 1 + word.length <= columns;
      column = (fits ? column : "        ".length) + 1 + word.length;
      return `${index === 0 ? "" : fits ? " " : "\n         "}${word}`;
    })
    .join("");
}

const usage = (command: Command) => usageWords(command).join(" ");

function usageWords(command: Command): string[] {
  const { name, operands = {}, options = {}, required = [] } = command;
  const words = Object.keys(options).map((form) =>
    required.includes(form.split(" ", 1)[0] ?? "") ? `--${form}` : `[--${form}]`,
  );
  return ["petstore", name, ...Object.keys(operands), ...words];
}

function commandJson(command: Command) {
  return {
    name: command.name,
    summary: command.summary,
    usage: usage(command),
    options: optionsOf(command).map(({ name, value = null, summary }) => ({
      name: `--${name}`,
      value,
      summary,
    })),
  };
}
