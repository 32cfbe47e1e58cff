/** A small line chart, with the same numbers as a table. */

export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly kind: "main" | "second" | "trouble";
}

interface ChartProps {
  readonly title: string;
  /** The total, in a few label. */
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

export function Chart({ title, sum, lines, fromMs, stepSeconds, unit }: ChartProps) {
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
        <ChartTable title={title} lines={lines} from={fromMs} step={stepSeconds} unit={unit} />
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

interface ChartTableProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly from: number;
  readonly step: number;
  readonly unit: (value: number) => string;
}

/** Five minutes a row, since 120 rows would be too many. */
const rowSeconds = 300;

function ChartTable({ title, lines, from, step, unit }: ChartTableProps) {
  const perRow = Math.max(1, Math.round(rowSeconds / step));
  const count = Math.max(...lines.map(({ values }) => values.length));
  const rows = Array.from({ length: Math.ceil(count / perRow) }, (_, index) => index * perRow);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable
    <section class="scroll" aria-label={`${title} as a table`} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{title}, the highest of each five minutes</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {lines.map(({ label }) => (
              <th key={label} scope="col" class="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              <th scope="row">{clock.format(from + row * step * 1000)}</th>
              {lines.map(({ label, values }) => (
                <td key={label} class="number">
                  {highest(values.slice(row, row + perRow), unit)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function highest(values: readonly (number | null)[], unit: (value: number) => string): string {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? "none" : unit(Math.max(...known));
}
