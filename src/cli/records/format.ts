import { extname } from "node:path";
import { CommandFailure } from "../context.ts";

export const formats = ["ndjson", "csv"] as const;
export type Format = (typeof formats)[number];

const extensions: Readonly<Record<string, Format>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
};

/** Of a file whose name tells nothing. */
export function needsFormat(file: string): CommandFailure {
  return new CommandFailure(
    `The name of ${file} does not tell its format. Add --format ndjson or --format csv.`,
    2,
  );
}

/** What was asked for, or what the file's name says; undefined where neither tells. */
export function formatOf(asked: string | undefined, file: string): Format | undefined {
  if (asked === undefined) return extensions[extname(file).toLowerCase()];
  const format = formats.find((known) => known === asked);
  if (format !== undefined) return format;
  throw new CommandFailure(
    `--format must be ${formats.join(" or ")}, not ${JSON.stringify(asked)}.`,
    2,
  );
}
