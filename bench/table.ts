/** Figures as text: aligned for a terminal, or as Markdown. */

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Numbers to the right, words to the left. */
export function plainTable({ columns, rows }: Table): string {
  const widths = columns.map((column, at) =>
    Math.max(...[column, ...rows.map((row) => row[at] ?? "")].map((text) => text.length)),
  );
  const line = (cells: readonly string[]) =>
    widths
      .map((width, at) => {
        const cell = cells[at] ?? "";
        return isNumeric(rows, at) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("   ")
      .trimEnd();
  return [line(columns), ...rows.map(line)].map((text) => `  ${text}\n`).join("");
}

export function markdownTable({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const rule = columns.map((_, at) => (isNumeric(rows, at) ? "---:" : ":---"));
  return line(columns) + line(rule) + rows.map(line).join("");
}

function isNumeric(rows: Table["rows"], at: number): boolean {
  return rows.every((row) => /^([\d.,]+|–)$/.test(row[at] ?? ""));
}

/** Three digits that matter: 0.123, 1.23, 12.3, 123, 12,345. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
