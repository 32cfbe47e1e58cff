/** The lines of docs/guide/https.md, to be run as they stand there. */
import { readFileSync } from "node:fs";

const guide = readFileSync(new URL("../../docs/guide/https.md", import.meta.url), "utf8");

/** The commands below a heading. */
export function linesBelow(heading: string): string {
  const [, section = ""] = guide.split(`\n## ${heading}\n`);
  const [, lines] = /```sh\n([\s\S]*?)```/.exec(section.split("\n## ")[0] ?? "") ?? [];
  if (lines === undefined) throw new Error(`The guide has no commands below "${heading}".`);
  return lines;
}
