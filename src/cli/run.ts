import { withoutTokens } from "../keys/token.ts";
import { readCall } from "./arguments.ts";
import type { Report } from "./command.ts";
import { commands, groups } from "./commands.ts";
import { explain } from "./explain.ts";
import { commandHelp, groupHelp, overview, version } from "./help.ts";
import { isReaderGone } from "./output.ts";
import { didYouMean, nearest } from "./suggest.ts";
import { CommandFailure, type World } from "./world.ts";

/** Does what the words say. Returns the exit code: 0 done, 1 refused or failed, 2 not understood. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  try {
    const report = await obey(argv, world);
    if (report === undefined) return 0;
    const text = wantsJson(argv) ? `${JSON.stringify(report.json)}\n` : report.text;
    if (text !== "" && !world.stdout.write(text)) await world.stdout.drained();
    return report.exitCode ?? 0;
  } catch (cause) {
    // `petstore … | head` has seen enough, and that is fine.
    if (isReaderGone(cause)) return 0;
    // Whatever is repeated here may hold a key that was typed.
    world.stderr.write(`petstore: ${withoutTokens(explain(cause))}\n`);
    return cause instanceof CommandFailure ? cause.exitCode : 1;
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
  const names = commands.map(({ name }) => name);
  const typed = words.slice(0, 2).join(" ");
  // The right word in the wrong place: `create`, `seed`.
  const [alone = ""] = words;
  const byLastWord = names.find((name) => name.endsWith(` ${alone}`));
  const suggestion = nearest(typed, names) ?? byLastWord ?? nearest(alone, [...names, ...groups]);
  const next = didYouMean(suggestion && `petstore ${suggestion}`);
  return `Unknown command ${JSON.stringify(typed)}.${next} See petstore help.`;
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
