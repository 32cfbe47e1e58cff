import { withoutTokens } from "../keys/token.ts";
import { readCall } from "./arguments.ts";
import type { Report } from "./command.ts";
import { commands, groups } from "./commands.ts";
import { explain } from "./explain.ts";
import { commandHelp, groupHelp, overview, version } from "./help.ts";
import { isReaderGone } from "./output.ts";
import { didYouMean, nearest } from "./suggest.ts";
import { CommandFailure, type World } from "./world.ts";

/**
 * Does what the words say. Returns the exit code: 0 done, 1 refused or failed, 2 not understood,
 * above 128 told to stop.
 */
export async function run(argv: readonly string[], world: World): Promise<number> {
  try {
    const report = await obey(argv, world);
    if (report === undefined) return 0;
    const text = wantsJson(argv) ? `${exactJson(report.json)}\n` : report.text;
    world.stdout.write(text);
    // Only what has left us was said: a full disk must not look like success. A reader that has
    // seen enough (`| head`) changes nothing about what was found.
    await world.stdout.drained().catch((cause) => {
      if (!isReaderGone(cause)) throw cause;
    });
    return report.exitCode ?? 0;
  } catch (cause) {
    // `petstore … | head` has seen enough, and that is fine.
    if (isReaderGone(cause)) return 0;
    const { exitCode = 1, lines, code } = cause instanceof CommandFailure ? cause : {};
    const message = explain(cause);
    const said = wantsJson(argv)
      ? JSON.stringify({ error: message, code, exitCode, lines })
      : `petstore: ${message}`;
    // Whatever is repeated here may hold a key that was typed.
    world.stderr.write(`${withoutTokens(said)}\n`);
    return exitCode;
  }
}

/** Undefined when everything there was to say is said. */
async function obey(argv: readonly string[], world: World): Promise<Report | undefined> {
  const words = leadingWords(argv);
  if (words[0] === "help") return helpOn(words.slice(1), argv.slice(words.length));
  const command = commands.find(({ name }) => startsWith(words, name));
  if (command === undefined) return helpOn(words, argv.slice(words.length));
  const call = readCall(command, argv.slice(command.name.split(" ").length));
  return call.switches.has("help") ? commandHelp(command) : command.run(call, world);
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

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}

/** A bigint is written as the number it is, digit for digit. */
function exactJson(value: unknown): string {
  // TypeScript does not know this part of ECMAScript yet.
  const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "bigint" ? rawJSON(part.toString()) : part,
  );
}
