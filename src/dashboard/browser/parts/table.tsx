/** A table that scrolls sideways if it must. */
import type { ComponentChildren } from "preact";

interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Its cell names the row. */
  readonly names?: true;
  readonly number?: true;
  /** Left out on a phone. */
  readonly wide?: true;
  /** For buttons, whose heading is for screen readers only. */
  readonly end?: true;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, so it must be reachable
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" class={classOf(column)}>
                {column.end ? <span class="visually-hidden">{column.head}</span> : column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => {
                const Cell = column.names ? "th" : "td";
                return (
                  <Cell
                    key={column.head}
                    scope={column.names ? "row" : undefined}
                    class={classOf(column)}
                  >
                    {column.cell(row)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const classOf = (column: Column<never>): string | undefined =>
  (["number", "wide", "end"] as const).filter((name) => column[name]).join(" ") || undefined;
