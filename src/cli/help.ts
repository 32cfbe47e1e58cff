import packageJson from "../../package.json" with { type: "json" };
import { commonOptions } from "./arguments.ts";
import type { Command, Operand, Option, Report } from "./command.ts";
import { commands } from "./commands.ts";
import { table } from "./table.ts";

export function version(): Report {
  const { version } = packageJson;
  const platform = `${process.platform}-${process.arch}`;
  const { bun } = process.versions;
  return {
    json: { version, platform, bun },
    text: `petstore ${version} (${platform}, Bun ${bun})\n`,
  };
}

/** Of everything. */
export function overview(): Report {
  return {
    json: commands.map(commandJson),
    text: [
      "Pet Store: a catalogue of pets served over HTTP.",
      "",
      "Usage: petstore <command> [options]",
      "",
      summaries(commands),
      "petstore <command> --help says more about one of them. Every command takes --json.",
      "petstore --version says which version this is, and what it runs on.",
      "",
    ].join("\n"),
  };
}

/** Of the commands that begin with the same word. */
export function groupHelp(group: string): Report {
  const members = commands.filter(({ name }) => name.startsWith(`${group} `));
  return {
    json: members.map(commandJson),
    text: [
      `Usage: petstore ${group} <command> [options]`,
      "",
      summaries(members),
      `petstore ${group} <command> --help says more about one of them.`,
      "",
    ].join("\n"),
  };
}

export function commandHelp(command: Command): Report {
  const { summary, about, examples } = command;
  const parts = [
    `${summary}.\n`,
    `Usage: ${usage(command)}\n`,
    table([
      ...operandsOf(command).map(({ shown, summary }) => [`  ${shown}`, summary]),
      ...Object.entries({ ...command.options, ...commonOptions }).map(([option, described]) => [
        `  ${optionText(option, described)}`,
        described.summary,
      ]),
    ]),
    ...(about === undefined ? [] : [`${about}\n`]),
    `${examples.length > 1 ? "Examples" : "Example"}:\n${examples.map((example) => `  ${example}\n`).join("")}`,
  ];
  return { json: commandJson(command), text: parts.join("\n") };
}

function summaries(listed: readonly Command[]): string {
  return table(
    listed.map((command) => [
      `  ${[command.name, ...operandsOf(command).map(({ shown }) => shown)].join(" ")}`,
      command.summary,
    ]),
  );
}

function operandsOf({ operand, second }: Command): Operand[] {
  return [operand, second].filter((taken) => taken !== undefined);
}

function usage(command: Command): string {
  const words = Object.entries(command.options).map(([option, described]) => {
    const text = optionText(option, described);
    return described.required ? text : `[${text}]`;
  });
  const operands = operandsOf(command).map(({ shown }) => shown);
  return ["petstore", command.name, ...operands, ...words].join(" ");
}

function optionText(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function commandJson(command: Command) {
  return {
    name: command.name,
    summary: command.summary,
    usage: usage(command),
    options: Object.entries({ ...command.options, ...commonOptions }).map(([name, option]) => ({
      name: `--${name}`,
      value: option.value ?? null,
      summary: option.summary,
    })),
  };
}
