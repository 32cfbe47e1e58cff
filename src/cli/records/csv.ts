/** Comma-separated values (RFC 4180), with a header that names the columns. */
import { CsvError, parse } from "csv-parse";
import type { JsonOf } from "../../contract/document.ts";
import { int64FromJson, int64FromText } from "../../contract/int64.ts";
import { parseJson } from "../../contract/json.ts";
import type { Pet } from "../../petstore/catalogue/pet.ts";
import { counted } from "../table.ts";
import { wholeLines } from "./lines.ts";
import {
  memberNames as columns,
  type FileRecord,
  lineBytesMax,
  misspelled,
  nameShown,
  shortened,
  type Unreadable,
  unreadable,
} from "./record.ts";

export const csvHeader = `${columns.join(",")}\r\n`;

export function writeCsv(pets: readonly JsonOf<Pet>[]): string {
  let text = "";
  for (const pet of pets) {
    // Only the digits of a number are wanted: parseJson keeps them all.
    const { id, name, categoryId, status } = parseJson(pet) as Pet;
    text += `${id},${cell(name)},${categoryId},${status}\r\n`;
  }
  return text;
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface Row {
  readonly kind: "row";
  /** Where it begins: a quoted cell may span lines. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Calls `ignore` with the columns that it ignores, before the first record. */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  ignore: (columns: readonly string[]) => void,
): AsyncGenerator<readonly FileRecord[]> {
  let header: readonly string[] | undefined;
  for await (const rows of rowsOf(chunks)) {
    const records: FileRecord[] = [];
    for (const row of rows) {
      if (row.kind === "unreadable") records.push(row);
      else if (header !== undefined) records.push(recordOf(row, header));
      else {
        const complaint = headerComplaint(row.cells);
        if (complaint !== undefined) return yield [unreadable(row.line, complaint, true)];
        header = row.cells;
        ignore(header.filter((name) => !columns.some((column) => column === name)));
      }
    }
    yield records;
  }
  if (header === undefined) yield [unreadable(1, "There is no header line.", true)];
}

/** Rows as they are read; one that cannot be read is the last. */
async function* rowsOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly (Row | Unreadable)[]> {
  let rows: (Row | Unreadable)[] = [];
  let line = 1;
  const parser = parse({
    record_delimiter: ["\r\n", "\n"],
    // Rows that are too short or too long get a complaint of our own, with their line.
    relax_column_count: true,
    // Without a bound, a quote that is never closed would take the rest of the file into memory.
    max_record_size: lineBytesMax,
    // Taken here rather than read from the stream, which drops what it holds when it fails.
    on_record(cells: string[]) {
      // An empty line is no row.
      if (cells.length > 1 || cells[0] !== "") rows.push({ kind: "row", line, cells });
      line += 1 + lineBreaksIn(cells);
      return null;
    },
  });
  // The callback of `write` reports a failure; the event would be unhandled.
  parser.on("error", () => {});
  const outcome = (start: (done: (cause?: Error | null) => void) => void) =>
    new Promise<Unreadable | undefined>((resolve) => {
      start((cause) => resolve(cause ? quotingFault(cause, line) : undefined));
    });
  const finish = () => outcome((done) => parser.end(done));

  for await (const part of wholeLines(chunks)) {
    let fault: Unreadable | undefined;
    if (part.kind === "lines") fault = await outcome((done) => parser.write(part.bytes, done));
    else {
      // The parser looks ahead, so the last good row may still be inside it.
      await finish();
      fault = part;
    }
    if (fault !== undefined) return yield [...rows, fault];
    yield rows;
    rows = [];
  }
  const fault = await finish();
  yield fault === undefined ? rows : [...rows, fault];
}

function lineBreaksIn(cells: readonly string[]): number {
  let breaks = 0;
  for (const cell of cells) if (cell.includes("\n")) breaks += cell.split("\n").length - 1;
  return breaks;
}

const quotingFaults: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE:
    "A cell continues after its closing quote. Write a quote within the text twice.",
  INVALID_OPENING_QUOTE:
    "A quote stands inside a cell that has none around it. Quote the whole cell, and write this quote twice.",
  CSV_QUOTE_NOT_CLOSED: "A quoted cell begins here and is never closed.",
  CSV_MAX_RECORD_SIZE: `The row is longer than ${lineBytesMax} bytes. A closing quote may be missing.`,
};

function quotingFault(cause: Error, line: number): Unreadable {
  const known = cause instanceof CsvError ? quotingFaults[cause.code] : undefined;
  if (known === undefined) throw cause;
  return unreadable(line, known, true);
}

function headerComplaint(header: readonly string[]): string | undefined {
  const complaint = misnamed(header) ?? repeatedOrMissing(header);
  return complaint && `${complaint} The header is ${shortened(header.join(","))}.`;
}

function misnamed(header: readonly string[]): string | undefined {
  const [separator] = header.length === 1 ? separatorsIn(header[0] ?? "") : [];
  if (separator !== undefined) {
    return `The columns are separated by ${separator}. Save it with commas.`;
  }
  const complaints = misspelled(header).map(
    ({ name, meant }) => `The column ${nameShown(name)} must be written ${meant}.`,
  );
  return complaints.length === 0 ? undefined : complaints.join(" ");
}

/** What spreadsheets of some languages write in place of a comma. */
function separatorsIn(text: string): string[] {
  const named = { ";": ";", "\t": "tabs" };
  return Object.entries(named).flatMap(([sign, name]) => {
    const cells = text.split(sign).map((cell) => cell.trim().toLowerCase());
    return cells.length > 1 && cells.includes("name") ? [name] : [];
  });
}

function repeatedOrMissing(header: readonly string[]): string | undefined {
  for (const column of columns) {
    const count = header.filter((name) => name === column).length;
    if (count > 1) return `The header names ${column} more than once.`;
    if (count === 0 && (column === "name" || column === "categoryId")) {
      return `The header must name the columns name and categoryId; ${column} is missing.`;
    }
  }
  return undefined;
}

function recordOf({ line, cells }: Row, header: readonly string[]): FileRecord {
  if (cells.length !== header.length) {
    const complaint = `The row has ${counted(cells.length, "cell")}, and the header ${header.length}.`;
    return unreadable(line, complaint, false);
  }
  const value: Record<string, unknown> = {};
  for (const column of columns) {
    const text = cells[header.indexOf(column)];
    // CSV has no way to leave a cell out: an empty one stands for that.
    const optional = column === "id" || column === "status";
    if (text === undefined || (optional && text.trim() === "")) continue;
    value[column] = column === "id" || column === "categoryId" ? integerOr(text) : text;
  }
  return { kind: "read", line, value };
}

const numberForm = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * Takes every spelling that JSON has for an integer, exactly. What is none stays a text, about
 * which the contract's reader complains.
 */
function integerOr(text: string): bigint | string {
  const number = text.trim();
  const other = () => (numberForm.test(number) ? int64FromJson(parseJson(number)) : undefined);
  return int64FromText(text) ?? other() ?? text;
}
