/** A small line chart, with the same numbers as a table. */

export interface Line {
  readonly words: string;
  readonly values: readonly (number | null)[];
  readonly kind: "main" | "second" | "trouble";
}

interface ChartProps {
  readonly title: string;
  /** What it comes to, in a word or two. */
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
          lines.map(({ words, values, kind }) => (
            <path key={words} class={`line ${kind}`} d={pathOf(values, count, top)} />
          ))}
      </svg>
      <p class="axis quiet">
        <span>{clock.format(fromMs)}</span>
        <span>{top === 0 ? "none" : `up to ${unit(top)}`}</span>
        <span>{clock.format(untilMs)}</span>
      </p>
      {lines.length > 1 && (
        <ul class="legend">
          {lines.map(({ words, kind }) => (
            <li key={words} class={kind}>
              {words}
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

/** A gap where nothing was measured: no line leads through what nobody knows. */
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
    // A single point has no length; a line that ends where it began shows as a dot.
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

/** Five minutes a row: a hundred and twenty would be no help. */
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
            {lines.map(({ words }) => (
              <th key={words} scope="col" class="number">
                {words}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              <th scope="row">{clock.format(from + row * step * 1000)}</th>
              {lines.map(({ words, values }) => (
                <td key={words} class="number">
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
