/** A small line chart, with the same numbers as a table. */
import { Table } from "./parts/table.tsx";

export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly kind: "main" | "second" | "trouble";
}

interface ChartProps {
  readonly title: string;
  /** The total, in a few words. */
  readonly sum: string;
  readonly lines: readonly Line[];
  readonly fromMs: number;
  readonly stepSeconds: number;
  readonly unit: (value: number) => string;
}

const width = 320;
const height = 88;
/** Room for the thickness of a line at the top and bottom. */
const margin = 2;
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

export function Chart(props: ChartProps) {
  const { title, sum, lines, fromMs, stepSeconds, unit } = props;
  const values = lines.flatMap(({ values }) => values).filter((each) => each !== null);
  const top = Math.max(...values, 0);
  const count = Math.max(...lines.map(({ values }) => values.length), 2);
  const untilMs = fromMs + count * stepSeconds * 1000;
  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <p class="sum">{sum}</p>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${title}: ${sum}`}
        preserveAspectRatio="none"
      >
        <path class="base" d={`M0 ${height - margin}H${width}`} />
        {top > 0 &&
          lines.map(({ label, values, kind }) => (
            <path key={label} class={`line ${kind}`} d={pathOf(values, count, top)} />
          ))}
      </svg>
      <p class="axis quiet">
        <span>{clock.format(fromMs)}</span>
        <span>{top === 0 ? "none" : `up to ${unit(top)}`}</span>
        <span>{clock.format(untilMs)}</span>
      </p>
      {lines.length > 1 && (
        <ul class="legend">
          {lines.map(({ label, kind }) => (
            <li key={label} class={kind}>
              {label}
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>As a table</summary>
        <ChartTable {...props} />
      </details>
    </figure>
  );
}

/** Values that were not measured leave a gap in the line. */
function pathOf(values: readonly (number | null)[], count: number, top: number): string {
  let path = "";
  let drawing = false;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      drawing = false;
      continue;
    }
    const x = (index / (count - 1)) * width;
    const y = height - margin - (value / top) * (height - 2 * margin);
    path += `${drawing ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    // A path of one point is not drawn, but one with a tiny length is, as a dot.
    if (!drawing && (values[index + 1] ?? null) === null) path += "h.01";
    drawing = true;
  }
  return path;
}

/** Five minutes a row, since 120 rows would be too many. */
const rowSeconds = 300;

function ChartTable({ title, lines, fromMs, stepSeconds, unit }: ChartProps) {
  const perRow = Math.max(1, Math.round(rowSeconds / stepSeconds));
  const count = Math.max(...lines.map(({ values }) => values.length));
  return (
    <Table
      caption={`${title}, the highest of each five minutes`}
      rows={Array.from({ length: Math.ceil(count / perRow) }, (_, index) => index * perRow)}
      keyOf={String}
      columns={[
        {
          head: "From",
          names: true,
          cell: (row) => clock.format(fromMs + row * stepSeconds * 1000),
        },
        ...lines.map(({ label, values }) => ({
          head: label,
          number: true as const,
          cell: (row: number) => highest(values.slice(row, row + perRow), unit),
        })),
      ]}
    />
  );
}

function highest(values: readonly (number | null)[], unit: (value: number) => string): string {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? "none" : unit(Math.max(...known));
}
