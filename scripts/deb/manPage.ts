/** petstore(1), from what the command line knows of itself. */
import { commands } from "../../src/cli/commands.ts";

export function petstoreManPage(version: string, day: string): string {
  const listed = commands.flatMap(({ name, summary }) => [
    ".TP",
    `.B ${escaped(name)}`,
    `${escaped(summary)}.`,
  ]);
  return `${[
    `.TH PETSTORE 1 "${day}" "petstore ${version}" "User commands"`,
    ".SH NAME",
    "petstore \\- serve a catalogue of pets over HTTP, and administer it",
    ".SH SYNOPSIS",
    ".B petstore",
    ".I command",
    ".RI [ options ]",
    ".SH DESCRIPTION",
    "Every command takes",
    ".BR \\-\\-help ,",
    "which lists its options, and",
    ".BR \\-\\-json .",
    ".B petstore serve \\-\\-help",
    "lists the settings, which are environment variables. For an instance that systemd runs, use",
    ".BR petstorectl (8).",
    ".SH COMMANDS",
    ...listed,
    ".SH EXIT STATUS",
    "0 done, 1 refused or failed, 2 not understood, 130 or 143 stopped by a signal.",
    ".SH SEE ALSO",
    ".BR petstorectl (8)",
    ".PP",
    "A running service has its whole documentation at",
    ".IR /docs/ .",
  ].join("\n")}\n`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^['.]/, "\\&$&");
}
