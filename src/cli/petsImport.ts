import type { Catalogue } from "../petstore/catalogue/catalogue.ts";
import { type Call, type Command, note } from "./command.ts";
import { type CliContext, saying, stopped } from "./context.ts";
import { openInput } from "./files.ts";
import { checkAll } from "./importCheck.ts";
import { Intake } from "./intake.ts";
import { Progress } from "./progress.ts";
import { readCsv } from "./records/csv.ts";
import { type Format, formatOf, needsFormat } from "./records/format.ts";
import { readNdjson } from "./records/ndjson.ts";
import { type FileRecord, petFrom } from "./records/record.ts";
import { nameShown } from "./records/shown.ts";
import { untilStopped } from "./stopping.ts";
import { counted } from "./table.ts";
import { withNewStores, withStores } from "./withStores.ts";

export const importPets: Command = {
  name: "pets import",
  summary: "Add pets from a file of NDJSON or CSV",
  operand: { shown: "<file|->", summary: "The file to read; - is stdin" },
  options: {
    format: {
      value: "<format>",
      summary: "ndjson or csv (default: what the file's name ends in; ndjson for stdin)",
    },
    "dry-run": { summary: "Check everything and store nothing" },
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

/** In a dry run, what an import would add and leave. */
export interface Counts {
  readonly added: number;
  readonly unchanged: number;
}

export interface Source {
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
  return withNewStores(call, context, ({ catalogue }) => importAll(source, catalogue));
}

/** Makes no store to compare with: an import would begin with an empty one. */
async function checkIn(source: Source, call: Call, context: CliContext) {
  const { path, exists } = context.locateStore();
  if (!exists) note(call, context, `There is no store at ${path} yet; an import would make one.`);
  const checked = exists
    ? withStores(context, ({ catalogue }) => checkAll(source, catalogue))
    : checkAll(source, undefined);
  return { result: await checked.catch(saying("Nothing was stored.")), made: {} };
}

async function openSource(call: Call, context: CliContext): Promise<Source> {
  const { operand: file, values } = call;
  const format = formatOf(values.get("format"), file) ?? (file === "-" ? "ndjson" : undefined);
  if (format === undefined) throw needsFormat(file);
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
    progress: new Progress("Importing", context.stderr, context.clock),
    signal,
    share: () => (input.bytes > 0 ? bytesRead / input.bytes : undefined),
  };
}

async function importAll(source: Source, catalogue: Catalogue): Promise<Counts> {
  const { signal } = source;
  const intake = new Intake(catalogue, source);
  try {
    for await (const records of source.records) {
      for (const record of records) await takeIn(record, intake);
      source.progress.update(intake.taken, source.share());
    }
  } catch (cause) {
    throw cause === signal.reason ? stopped(signal, await intake.giveUp()) : cause;
  }
  await intake.finish();
  return { added: intake.added, unchanged: intake.unchanged };
}

async function takeIn(record: FileRecord, intake: Intake): Promise<void> {
  const pet = record.kind === "read" ? petFrom(record.value) : [record.complaint];
  if (!("name" in pet)) {
    await intake.finish();
    throw intake.failure(record.line, pet);
  }
  intake.take(pet, record.line);
  if (intake.full) await intake.store();
}

function ignoredText(columns: readonly string[]): string {
  const shown = columns.map(nameShown).join(", ");
  return `Ignored the ${columns.length === 1 ? "column" : "columns"} ${shown}.`;
}

function saidOf({ added, unchanged }: Counts): string {
  const there = unchanged === 0 ? "" : `, and ${counted(unchanged, "was", "were")} there already`;
  return `${counted(added, "new pet")}${there}`;
}
