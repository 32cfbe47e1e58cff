import { parseJson } from "../contract/json.ts";
import { type Catalogue, type ImportedPet, idsFilterMax } from "../petstore/catalogue/catalogue.ts";
import type { Pet } from "../petstore/catalogue/pet.ts";
import { type Call, type Command, note } from "./command.ts";
import type { CliContext } from "./context.ts";
import { CommandFailure, type LineErrors } from "./errors.ts";
import { openInput } from "./files.ts";
import { Progress } from "./output.ts";
import { BatchImporter } from "./petsImportBatches.ts";
import { readCsv } from "./records/csv.ts";
import { readNdjson } from "./records/ndjson.ts";
import {
  type FileRecord,
  type Format,
  formatOf,
  nameShown,
  needsFormat,
  petFrom,
} from "./records/record.ts";
import { saying, stopped, untilStopped } from "./stopping.ts";
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
  const importer = new BatchImporter(catalogue, source);
  try {
    for await (const records of source.records) {
      for (const record of records) await takeIn(record, importer);
      source.progress.update(importer.taken, source.share());
    }
  } catch (cause) {
    throw cause === signal.reason ? stopped(signal, await importer.giveUp()) : cause;
  }
  await importer.finish();
  return { added: importer.added, unchanged: importer.unchanged };
}

async function takeIn(record: FileRecord, importer: BatchImporter): Promise<void> {
  const pet = record.kind === "read" ? petFrom(record.value) : [record.complaint];
  if (!("name" in pet)) {
    await importer.finish();
    throw importer.failure(record.line, pet);
  }
  importer.take(pet, record.line);
  if (importer.full) await importer.store();
}

function ignoredText(columns: readonly string[]): string {
  const shown = columns.map(nameShown).join(", ");
  return `Ignored the ${columns.length === 1 ? "column" : "columns"} ${shown}.`;
}

function saidOf({ added, unchanged }: Counts): string {
  const there = unchanged === 0 ? "" : `, and ${counted(unchanged, "was", "were")} there already`;
  return `${counted(added, "new pet")}${there}`;
}

const complaintsShownMax = 20;

interface Identified {
  readonly line: number;
  readonly id: bigint;
  readonly pet: ImportedPet;
}

/** Without a catalogue there is nothing to compare with. */
export async function checkAll(source: Source, catalogue: Catalogue | undefined): Promise<Counts> {
  let added = 0;
  let unchanged = 0;
  let identified: Identified[] = [];
  const complaints = new Complaints();

  const compare = async () => {
    if (identified.length === 0) return;
    const stored = catalogue && (await storedWith(catalogue, identified));
    for (const { line, id, pet } of identified) {
      const other = stored?.get(id);
      if (other === undefined) added++;
      else if (isSame(pet, other)) unchanged++;
      else complaints.add(line, [`Another pet has the id ${id} already.`]);
    }
    identified = [];
  };

  for await (const records of source.records) {
    for (const record of records) {
      const { line } = record;
      const pet = record.kind === "read" ? petFrom(record.value) : [record.complaint];
      if (!("name" in pet)) {
        // First what was read before it, so that the complaints come in the order of the lines.
        await compare();
        complaints.add(line, pet);
      } else if (pet.id === undefined) added++;
      else if (identified.push({ line, id: pet.id, pet }) === idsFilterMax) await compare();
      if (record.kind === "unreadable" && record.rest) {
        complaints.add(line, ["Nothing after it could be checked."]);
      }
    }
    source.progress.update(added + unchanged, source.share());
  }
  await compare();
  if (complaints.count > 0) {
    throw new CommandFailure(complaints.text(source.label), { lines: complaints.shown });
  }
  return { added, unchanged };
}

async function storedWith(
  catalogue: Catalogue,
  identified: readonly Identified[],
): Promise<ReadonlyMap<bigint, Pet>> {
  const ids = identified.map(({ id }) => id);
  const { pets } = await catalogue.list({ ids, limit: idsFilterMax });
  return new Map(
    pets.map((text) => {
      const pet = parseJson(text) as Pet;
      return [BigInt(pet.id), pet];
    }),
  );
}

/** parseJson gives small integers as numbers, hence the conversion. */
function isSame(pet: ImportedPet, stored: Pet): boolean {
  return (
    pet.name === stored.name &&
    pet.categoryId === BigInt(stored.categoryId) &&
    pet.status === stored.status
  );
}

/** All are counted and the first are kept: a file of another kind has one on every line. */
class Complaints {
  readonly shown: LineErrors[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(line: number, complaints: readonly string[]): void {
    this.#count++;
    if (this.shown.length < complaintsShownMax) this.shown.push({ line, complaints });
  }

  text(label: string): string {
    const more = this.#count - this.shown.length;
    return [
      `${label} cannot be imported as it is. Nothing was stored.`,
      ...this.shown.map(({ line, complaints }) => `  Line ${line}: ${complaints.join(" ")}`),
      ...(more > 0 ? [`  ${counted(more, "complaint")} more.`] : []),
    ].join("\n");
  }
}
