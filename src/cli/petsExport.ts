import type { JsonOf } from "../contract/document.ts";
import { pageSizeMax } from "../petstore/catalogue/catalogue.ts";
import type { Pet } from "../petstore/catalogue/pet.ts";
import type { Stores } from "../storage/stores.ts";
import type { Command } from "./command.ts";
import { UsageError } from "./errors.ts";
import { createFile, type NewFile } from "./files.ts";
import { type Output, type Progress, progressBar } from "./output.ts";
import { csvHeader, writeCsv } from "./records/csv.ts";
import { writeNdjson } from "./records/ndjson.ts";
import { type Format, formatOf } from "./records/record.ts";
import { orStopped, saying } from "./stopping.ts";
import { counted } from "./table.ts";
import { withStores } from "./withStores.ts";

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
    const piped = file === "-";
    const format = formatOf(values.get("format"), file);
    const array = piped && switches.has("json");
    if (array && values.has("format")) {
      throw new UsageError(
        "--json without --output writes one JSON array, so --format has no place. Leave one of them out, or add --output <file>.",
      );
    }
    const { clock, stdout, stderr } = context;
    const signal = context.stopSignal();
    const target = piped
      ? throughPipe(stdout, signal)
      : await createFile(file, switches.has("force"), clock);
    // On a terminal the bar would be drawn into the pets.
    const watched = piped && stdout.isTTY ? { ...stderr, isTTY: false } : stderr;
    const progress = progressBar("Exporting", watched, clock);
    const writing = writings[array ? "array" : format];
    try {
      const pets = await withStores(context, async (stores) => {
        const written = await writeAll(stores, writing, target.write, progress, signal);
        await target.keep();
        return written;
      }).catch(
        saying(
          piped ? "What was written is not all of the pets." : `Nothing was written to ${file}.`,
        ),
      );
      if (piped) return undefined;
      const text = `Wrote ${counted(pets, "pet")} to ${file}.\n`;
      return { json: { file, format, pets }, text };
    } catch (cause) {
      await target.drop();
      throw cause;
    } finally {
      progress.clear();
    }
  },
};

/** What was written there cannot be taken back. */
function throughPipe(stdout: Output, signal: AbortSignal): NewFile {
  const drained = () => orStopped(stdout.drained(), signal);
  return {
    async write(text) {
      if (!stdout.write(text)) await drained();
    },
    keep: drained,
    drop: async () => {},
  };
}

/** Page by page, so that the memory it takes does not depend on how many there are. */
async function writeAll(
  { catalogue }: Stores,
  writing: Writing,
  sink: NewFile["write"],
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
