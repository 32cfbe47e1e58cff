import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Command } from "./command.ts";
import { openInput } from "./files.ts";
import { checkAll } from "./importCheck.ts";
import { Intake } from "./intake.ts";
import { Progress } from "./progress.ts";
import { readCsv } from "./records/csv.ts";
import { type Format, formatOf } from "./records/format.ts";
import { readNdjson } from "./records/ndjson.ts";
import { type FileRecord, petFrom } from "./records/record.ts";
import { counted } from "./table.ts";
import { withStores } from "./withStores.ts";
import { CommandFailure, type World } from "./world.ts";

export const importPets: Command = {
  name: "pets import",
  summary: "Add pets from a file, all checked as the API would",
  operand: { shown: "<file|->", summary: "The file to read; - is stdin" },
  options: {
    format: {
      value: "<format>",
      summary: "ndjson or csv (default: what the file's name ends in; ndjson for stdin)",
    },
    "dry-run": { summary: "Check everything and store nothing" },
  },
  about:
    "A pet with an id keeps it; one without is given the next free one. Running the same file again\nis harmless when every pet in it has an id: what is stored already is skipped. A CSV file names\nits columns in the first line: name and categoryId, and if you like id and status.",
  examples: ["petstore pets import pets.csv --dry-run", "petstore pets import - < pets.ndjson"],
  async run({ operand: file, values, switches }, world) {
    const source = await openSource(file, values.get("format"), world);
    const dryRun = switches.has("dry-run");
    const counts = await withStores(world, ({ catalogue }) =>
      dryRun ? checkAll(source, catalogue) : importAll(source, catalogue),
    ).finally(() => source.progress.clear());
    return {
      json: { file, format: source.format, dryRun, ...counts },
      text: dryRun
        ? `${source.label} can be imported: ${saidOf(counts)}. Nothing was stored.\n`
        : `Imported ${source.label}: ${saidOf(counts)}.\n`,
    };
  },
};

/** In a dry run, what an import would add and leave. */
export interface Counts {
  readonly added: number;
  readonly unchanged: number;
}

export interface Source {
  /** What to call it when speaking of it. */
  readonly label: string;
  readonly format: Format;
  readonly records: AsyncIterable<readonly FileRecord[]>;
  readonly progress: Progress;
  /** The part that was read so far; undefined where the length is unknown. */
  share(): number | undefined;
}

async function openSource(file: string, asked: string | undefined, world: World): Promise<Source> {
  const format = formatOf(asked, file) ?? (file === "-" ? "ndjson" : undefined);
  if (format === undefined) {
    throw new CommandFailure(
      `The name of ${file} does not tell its format. Add --format ndjson or --format csv.`,
      2,
    );
  }
  const input = file === "-" ? { bytes: 0, chunks: world.stdin } : await openInput(file);
  let bytesRead = 0;
  async function* metered(): AsyncGenerator<Uint8Array> {
    for await (const chunk of input.chunks) {
      bytesRead += chunk.byteLength;
      yield chunk;
    }
  }
  return {
    label: file === "-" ? "stdin" : file,
    format,
    records: format === "csv" ? readCsv(metered()) : readNdjson(metered()),
    progress: new Progress("Importing", world.stderr, world.clock),
    share: () => (input.bytes > 0 ? bytesRead / input.bytes : undefined),
  };
}

async function importAll(source: Source, catalogue: Catalogue): Promise<Counts> {
  const intake = new Intake(catalogue);
  for await (const records of source.records) {
    for (const record of records) {
      const pet = record.kind === "read" ? petFrom(record.value) : [record.complaint];
      if ("name" in pet) {
        intake.take(pet, record.line);
        if (intake.full) await intake.store();
      } else {
        await intake.finish();
        const what = `Line ${record.line} of ${source.label}: ${pet.join(" ")}`;
        throw new CommandFailure(`${what}\n${intake.soFar()} ${intake.advice(record.line)}`);
      }
    }
    source.progress.update(intake.taken, source.share());
  }
  await intake.finish();
  return { added: intake.added, unchanged: intake.unchanged };
}

function saidOf({ added, unchanged }: Counts): string {
  const there = unchanged === 0 ? "" : `, and ${counted(unchanged, "was", "were")} there already`;
  return `${counted(added, "new pet")}${there}`;
}
