import type { Report } from "./command.ts";

interface ListColumns<T> {
  /** The item itself unless given. */
  readonly json?: (item: T) => unknown;
  /** By heading. */
  readonly columns: Readonly<Record<string, (item: T) => string>>;
  /** What to say of an empty list. */
  readonly empty: string;
}

/** A list, as a JSON array and as a table. */
export function listReport<T>(
  items: readonly T[],
  { json = (item) => item, columns, empty }: ListColumns<T>,
): Report {
  const cells = Object.values(columns);
  const rows = items.map((item) => cells.map((cell) => cell(item)));
  return {
    json: items.map(json),
    text: rows.length === 0 ? `${empty}\n` : table([Object.keys(columns), ...rows]),
  };
}

/** Columns that line up, the last one ragged. The first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, shownWidth(cell));
    });
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - shownWidth(cell)))
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

const wide =
  /\p{Emoji_Presentation}|\uFE0F|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|[\uFF01-\uFF60]/u;

/** Cells of a terminal: an emoji takes two, however many code points it is made of. */
function shownWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter("en").segment(text))
    width += wide.test(segment) ? 2 : 1;
  return width;
}

/** 1,234,567 */
export function digits(count: number): string {
  return count.toLocaleString("en");
}

/** "1 pet", "2,000 pets" */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${digits(count)} ${count === 1 ? one : many}`;
}

/** "one, another and 3 more" */
export function someOf(names: readonly string[], shownMax: number): string {
  const shown = names.slice(0, shownMax).join(", ");
  return names.length > shownMax ? `${shown} and ${names.length - shownMax} more` : shown;
}

/** 1.5 MiB */
export function bytesText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 ? digits(size) : size.toFixed(1)} ${units[unit]}`;
}
