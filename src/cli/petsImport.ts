import { type Call, type Command, note } from "./command.ts";
import type { CliContext } from "./context.ts";
import { openInput } from "./files.ts";
import { type Progress, progressBar } from "./output.ts";
import { BatchImporter, type Counts, DryRun, type Importer } from "./petsImporters.ts";
import { readCsv } from "./records/csv.ts";
import { readNdjson } from "./records/ndjson.ts";
import { type FileRecord, type Format, formatOf, nameShown, petFrom } from "./records/record.ts";
import { stopped, untilStopped } from "./stopping.ts";
import { counted } from "./table.ts";
import { withNewStores, withStores } from "./withStores.ts";

export const importPets: Command = {
  name: "pets import",
  summary: "Add pets from a file of NDJSON or CSV",
  operands: { "<file|->": "The file to read; - is stdin" },
  options: {
    "format <format>": "ndjson or csv (default: what the file's name ends in; ndjson for stdin)",
    "dry-run": "Check everything and store nothing",
  },
  about:
    "A pet with an id keeps it; one without is given the next free one. Running the same file again\nis harmless when every pet in it has an id: what is stored already is skipped. A CSV file names\nits columns in the first line: name and categoryId, and if you like id and status; others are\nignored. Values follow the rules of the API, except that any category is taken, whatever\nPETSTORE_ENFORCE_CATEGORIES says.\n\nA line that is wrong ends the import, and the pets before it stay stored.\nRun it with --dry-run first.",
  examples: ["petstore pets import pets.csv --dry-run", "petstore pets import - < pets.ndjson"],
  async run(call, context) {
    const source = await openSource(call, context);
    const dryRun = call.switches.has("dry-run");
    const act = dryRun ? checkIn : importTo;
    const { result: counts, made } = await act(source, call, context).finally(() =>
      source.progress.clear(),
    );
    const { format, ignoredColumns } = source;
    return {
      json: { file: call.operand, format, dryRun, ...counts, ignoredColumns, ...made },
      text: dryRun
        ? `${source.label} can be imported: ${saidOf(counts)}. Nothing was stored.\n`
        : `Imported ${source.label}: ${saidOf(counts)}.\n`,
    };
  },
};

interface Source {
  /** What to call it when speaking of it. */
  readonly label: string;
  readonly format: Format;
  /** Complete once the first record is read. */
  readonly ignoredColumns: readonly string[];
  readonly records: AsyncIterable<readonly FileRecord[]>;
  readonly progress: Progress;
  /** Its records end with the signal's reason when it aborts. */
  readonly signal: AbortSignal;
  /** The part that was read so far; undefined where the length is unknown. */
  share(): number | undefined;
}

function importTo(source: Source, call: Call, context: CliContext) {
  return withNewStores(call, context, async ({ audit, catalogue }) => {
    const importer = new BatchImporter(catalogue, source);
    const record = async () => {
      const after = { file: source.label, ...importer.counts };
      if (after.added === 0) return;
      await audit.record({ action: "catalogue.import", subject: "catalogue", after });
    };
    const counts = await giveAll(source, importer).catch(async (cause) => {
      // Even if that cannot be recorded, the reason why the import ended counts.
      await record().catch(() => {});
      throw cause;
    });
    await record();
    return counts;
  });
}

/** Makes no store to compare with: an import would begin with an empty one. */
async function checkIn(source: Source, call: Call, context: CliContext) {
  const { path, exists } = context.locateStore();
  if (!exists) note(call, context, `There is no store at ${path} yet; an import would make one.`);
  const result = await (exists
    ? withStores(context, ({ catalogue }) => giveAll(source, new DryRun(catalogue, source)))
    : giveAll(source, new DryRun(undefined, source)));
  return { result, made: {} };
}

async function giveAll(source: Source, importer: Importer): Promise<Counts> {
  const { records, signal, progress } = source;
  try {
    for await (const some of records) {
      for (const record of some) {
        const pet = record.kind === "read" ? petFrom(record.value) : [record.complaint];
        if ("name" in pet) await importer.take(pet, record.line);
        else await importer.refuse(record.line, pet, record.kind === "unreadable" && record.rest);
      }
      progress.update(importer.taken, source.share());
    }
  } catch (cause) {
    throw cause === signal.reason ? stopped(signal, await importer.giveUp()) : cause;
  }
  return importer.finish();
}

async function openSource(call: Call, context: CliContext): Promise<Source> {
  const { operand: file, values } = call;
  const format = formatOf(values.get("format"), file);
  const input = file === "-" ? { bytes: 0, chunks: context.stdin } : await openInput(file);
  const signal = context.stopSignal();
  const ignoredColumns: string[] = [];
  const ignore = (columns: readonly string[]) => {
    ignoredColumns.push(...columns);
    if (columns.length > 0) note(call, context, ignoredText(columns));
  };
  let bytesRead = 0;
  async function* metered(): AsyncGenerator<Uint8Array> {
    for await (const chunk of untilStopped(input.chunks, signal)) {
      bytesRead += chunk.byteLength;
      yield chunk;
    }
  }
  return {
    label: file === "-" ? "stdin" : file,
    format,
    ignoredColumns,
    records: format === "csv" ? readCsv(metered(), ignore) : readNdjson(metered()),
    progress: progressBar("Importing", context.stderr, context.clock),
    signal,
    share: () => (input.bytes > 0 ? bytesRead / input.bytes : undefined),
  };
}

function ignoredText(columns: readonly string[]): string {
  const shown = columns.map(nameShown).join(", ");
  return `Ignored the ${columns.length === 1 ? "column" : "columns"} ${shown}.`;
}

function saidOf({ added, unchanged }: Counts): string {
  const there = unchanged === 0 ? "" : `, and ${counted(unchanged, "was", "were")} there already`;
  return `${counted(added, "new pet")}${there}`;
}
