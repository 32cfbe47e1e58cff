import type { JsonOf } from "../contract/document.ts";
import { pageSizeMax } from "../petstore/catalogue/catalogue.ts";
import type { Pet } from "../petstore/catalogue/pet.ts";
import type { Stores } from "../storage/stores.ts";
import type { Command } from "./command.ts";
import type { CliContext } from "./context.ts";
import { UsageError } from "./errors.ts";
import { createFile } from "./files.ts";
import { type Output, type Progress, progressBar } from "./output.ts";
import { csvHeader, writeCsv } from "./records/csv.ts";
import { writeNdjson } from "./records/ndjson.ts";
import { type Format, formatOf, needsFormat } from "./records/record.ts";
import { orStopped, saying } from "./stopping.ts";
import { counted } from "./table.ts";
import { withStores } from "./withStores.ts";

/** Takes what it is given in order, and keeps the giver waiting while it cannot. */
type Sink = (text: string) => Promise<void>;

/** How pets become one text. */
interface Writing {
  readonly before: string;
  pets(pets: readonly JsonOf<Pet>[], first: boolean): string;
  readonly after: string;
}

const writings: Readonly<Record<Format | "array", Writing>> = {
  ndjson: { before: "", pets: writeNdjson, after: "" },
  csv: { before: csvHeader, pets: writeCsv, after: "" },
  array: {
    before: "[",
    pets: (pets, first) => (first || pets.length === 0 ? "" : ",\n") + pets.join(",\n"),
    after: "]\n",
  },
};

export const exportPets: Command = {
  name: "pets export",
  summary: "Write every pet to a file or to stdout",
  options: {
    "format <format>": "ndjson or csv (default: what --output ends in; ndjson for stdout)",
    "output <file>": "The file to write (default: stdout)",
    force: "Replace the file if it is there",
  },
  about:
    "The file appears when it is complete. With --json and no --output, the pets are one JSON array.",
  examples: ["petstore pets export --output pets.csv", "petstore pets export | head"],
  async run({ values, switches }, context) {
    const file = values.get("output") ?? "-";
    const format = formatOf(values.get("format"), file) ?? (file === "-" ? "ndjson" : undefined);
    if (format === undefined) throw needsFormat(file);
    if (file !== "-") {
      const pets = await exportToFile(context, file, format, switches.has("force"));
      return {
        json: { file, format, pets },
        text: `Wrote ${counted(pets, "pet")} to ${file}.\n`,
      };
    }
    await exportToStdout(context, format, switches.has("json"), values.has("format"));
    return undefined;
  },
};

async function exportToFile(
  context: CliContext,
  file: string,
  format: Format,
  overwrite: boolean,
): Promise<number> {
  const signal = context.stopSignal();
  const created = await createFile(file, overwrite, context.clock);
  const progress = progressBar("Exporting", context.stderr, context.clock);
  try {
    const pets = await withStores(context, (stores) =>
      writeAll(stores, writings[format], created.write, progress, signal),
    ).catch(saying(`Nothing was written to ${file}.`));
    await created.keep();
    return pets;
  } catch (cause) {
    await created.drop();
    throw cause;
  } finally {
    progress.clear();
  }
}

async function exportToStdout(
  context: CliContext,
  format: Format,
  json: boolean,
  formatAsked: boolean,
): Promise<void> {
  if (json && formatAsked) {
    throw new UsageError(
      "--json without --output writes one JSON array, so --format has no place. Leave one of them out, or add --output <file>.",
    );
  }
  // On a terminal the bar would be drawn into the pets.
  const watched: Output = context.stdout.isTTY
    ? { ...context.stderr, isTTY: false }
    : context.stderr;
  const progress = progressBar("Exporting", watched, context.clock);
  const signal = context.stopSignal();
  const sink: Sink = async (text) => {
    if (!context.stdout.write(text)) await orStopped(context.stdout.drained(), signal);
  };
  await withStores(context, async (stores) => {
    await writeAll(stores, writings[json ? "array" : format], sink, progress, signal);
    await orStopped(context.stdout.drained(), signal);
  })
    .catch(saying("What was written is not all of the pets."))
    .finally(() => progress.clear());
}

/** Page by page, so that the memory it takes does not depend on how many there are. */
async function writeAll(
  { catalogue }: Stores,
  writing: Writing,
  sink: Sink,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  let written = 0;
  let after: bigint | undefined;
  await sink(writing.before);
  do {
    signal.throwIfAborted();
    const page = await catalogue.list({ after, limit: pageSizeMax });
    await sink(writing.pets(page.pets, written === 0));
    written += page.pets.length;
    after = page.next;
    progress.update(written);
  } while (after !== undefined);
  await sink(writing.after);
  return written;
}
