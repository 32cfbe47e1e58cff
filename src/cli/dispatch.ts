/** Which command the words mean, or what help. */
import { readCall } from "./arguments.ts";
import type { Report } from "./command.ts";
import { commands, groups } from "./commands.ts";
import { type CliContext, CommandFailure } from "./context.ts";
import { commandHelp, groupHelp, overview, version } from "./help.ts";
import { didYouMean, nearest } from "./suggest.ts";

/** Undefined when everything there was to say is said. */
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
    throw new CommandFailure(unknownCommand(words), 2);
  }
  const strange = options.find((option) => !helpOptions.has(option));
  if (strange !== undefined) {
    // A word after an option is the command that the option should have followed.
    const early = strange.startsWith("-") ? strange : options[0];
    throw new CommandFailure(
      `${early} stands before a command. Write petstore <command> [options]; see petstore help.`,
      2,
    );
  }
  if (options.includes("--version") || options.includes("-V")) return version();
  if (command !== undefined) return commandHelp(command);
  return words.length === 0 ? overview() : groupHelp(typed);
}

const helpOptions: ReadonlySet<string> = new Set(["--help", "-h", "--json", "--version", "-V"]);

function unknownCommand(words: readonly string[]): string {
  const [first = "", second] = words;
  const typed = words.slice(0, 2).join(" ");
  const suggestion = second === undefined ? meantByOne(first) : meantByTwo(first, second);
  const next = didYouMean(suggestion && `petstore ${suggestion}`);
  const group = suggestion === undefined && groups.includes(first) ? ` ${membersOf(first)}` : "";
  return `Unknown command ${JSON.stringify(typed)}.${next}${group} See petstore help.`;
}

/** Perhaps the right word in the wrong place: `create`, `seed`. */
function meantByOne(word: string): string | undefined {
  const names = commands.map(({ name }) => name);
  return names.find((name) => name.endsWith(` ${word}`)) ?? nearest(word, [...names, ...groups]);
}

/** Whoever names a group means it: `pets list` is no slip of `keys list`. */
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

function membersOf(group: string): string {
  return `The commands of ${group} are ${verbsOf(group).join(", ")}.`;
}

function leadingWords(argv: readonly string[]): readonly string[] {
  const firstOption = argv.findIndex((word) => word.startsWith("-"));
  return firstOption === -1 ? argv : argv.slice(0, firstOption);
}

function startsWith(words: readonly string[], name: string): boolean {
  return name.split(" ").every((word, place) => words[place] === word);
}
