import type { CliContext } from "./context.ts";

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
