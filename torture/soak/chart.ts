/** Memory, descriptors, disk and latency over the time of a run, as one SVG. */
import { figure, quantiles, type Run, warmUpShare } from "./report.ts";
import type { ProcessSample, Sample } from "./sample.ts";
import { medians, type Point } from "./slope.ts";

interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

const width = 960;
const margin = 32;
const headHeight = 92;
const panelHeight = 190;
const plotTop = 42;
/** More would not be told apart. */
const pointsMax = 180;
const plotHeight = 104;
const plotLeft = margin + 64;
const plotRight = width - margin - 190;
const colours = ["one", "two", "three", "four"];

const style = `
  :root { --page: oklch(99% 0.004 80); --text: oklch(24% 0.012 70); --quiet: oklch(47% 0.012 70);
    --line: oklch(88% 0.01 75); --one: oklch(56% 0.13 45); --two: oklch(52% 0.09 240);
    --three: oklch(55% 0.1 150); --four: oklch(50% 0.12 320); }
  @media (prefers-color-scheme: dark) {
    :root { --page: oklch(20% 0.01 70); --text: oklch(92% 0.008 80); --quiet: oklch(72% 0.01 75);
      --line: oklch(34% 0.012 70); --one: oklch(74% 0.12 55); --two: oklch(74% 0.09 240);
      --three: oklch(76% 0.1 150); --four: oklch(75% 0.11 320); }
  }
  text { font: 13px "Figtree Variable", Figtree, system-ui, sans-serif; fill: var(--text);
    font-variant-numeric: tabular-nums; }
  .title { font-size: 20px; font-weight: 650; }
  .panel { font-size: 14px; font-weight: 650; }
  .quiet { fill: var(--quiet); }
  .page { fill: var(--page); }
  .rule { stroke: var(--line); }
  .reload { stroke: var(--line); stroke-dasharray: 2 3; }
  polyline { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
  ${colours.map((name) => `.${name} { stroke: var(--${name}); } text.${name} { stroke: none; fill: var(--${name}); }`).join("\n  ")}
`;

export function drawChart(run: Run): string {
  const panels = panelsOf(run.samples);
  const height = headHeight + panels.length * panelHeight + margin;
  const end = (run.samples.at(-1)?.seconds ?? 0) / 3_600;
  const renewals = run.samples.at(-1)?.renewals ?? 0;
  const title = `${Math.round(end * 60)} minutes of steady load`;
  const under = `${run.startedAt.slice(0, 10)} · ${run.machine} · ${run.rate} operations per second · ${run.samples.at(-1)?.reloads} reloads (dashed) · ${renewals} certificates · ${run.violations.length} failures`;
  const described = panels.map(
    (panel) => `${panel.title}: ${panel.lines.map(inWords).join(", ")}.`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(described.join(" "))}</desc>
<style>${style}</style>
<rect class="page" width="${width}" height="${height}" rx="12"/>
${text(margin, 44, title, "title")}
${text(margin, 66, under, "quiet")}
${panels.map((panel, at) => drawPanel(panel, headHeight + at * panelHeight, end, reloadsOf(run))).join("\n")}
</svg>
`;
}

function panelsOf(samples: readonly Sample[]): Panel[] {
  const series = (name: string, value: (sample: Sample) => number): Line => ({
    name,
    points: medians(
      samples.map((sample) => ({ hours: sample.seconds / 3_600, value: value(sample) })),
      pointsMax,
    ),
  });
  const sum = (field: keyof ProcessSample) => (sample: Sample) =>
    sample.serving.reduce((total, process) => total + process[field], 0);
  const latency = (name: string, operation: string, share: number): Line => {
    const answers = samples.flatMap(({ seconds, tookMs }) =>
      (tookMs[operation] ?? []).map((value) => ({ hours: seconds / 3_600, value })),
    );
    return { name, points: quantiles(answers, share) };
  };
  return [
    {
      title: "Memory (RSS), MB",
      lines: [
        series("serving processes", (sample) => sum("rssBytes")(sample) / 1e6),
        series("supervisor", ({ supervisor }) => supervisor.rssBytes / 1e6),
      ],
    },
    {
      title: "Open files and threads",
      lines: [
        series("files, serving", sum("openFiles")),
        series("files, supervisor", ({ supervisor }) => supervisor.openFiles),
        series("threads, serving", sum("threads")),
      ],
    },
    {
      title: "Disk, MB",
      lines: [
        series("database", ({ disk }) => disk.database / 1e6),
        series("write-ahead log", ({ disk }) => disk.wal / 1e6),
      ],
    },
    {
      title: "Latency, median, ms",
      lines: [
        latency("list pets", "list pets", 0.5),
        latency("update pet", "update pet", 0.5),
        latency("search pets", "search pets", 0.5),
        latency("visit over HTTPS", "visit over HTTPS", 0.5),
      ],
    },
    {
      title: "Latency, 99th percentile, ms",
      lines: [
        latency("list pets", "list pets", 0.99),
        latency("update pet", "update pet", 0.99),
        latency("search pets", "search pets", 0.99),
        latency("visit over HTTPS", "visit over HTTPS", 0.99),
      ],
    },
  ];
}

/** When each reload was first seen. */
function reloadsOf({ samples }: Run): number[] {
  return samples
    .filter(({ reloads }, at) => reloads > (samples[at - 1]?.reloads ?? 0))
    .map(({ seconds }) => seconds / 3_600);
}

function drawPanel({ title, lines }: Panel, top: number, end: number, reloads: number[]): string {
  const highest = Math.max(
    1e-9,
    ...lines.flatMap(({ points }) => points.map(({ value }) => value)),
  );
  const max = niceAbove(highest);
  const x = (hours: number) => plotLeft + (hours / end) * (plotRight - plotLeft);
  const y = (value: number) => top + plotTop + plotHeight * (1 - value / max);
  const ticks = [0, max / 2, max].map(
    (value) =>
      `<line class="rule" x1="${plotLeft}" x2="${plotRight}" y1="${y(value)}" y2="${y(value)}"/>${text(plotLeft - 8, y(value) + 4, shortly(value), "quiet", "end")}`,
  );
  const times = [0, end * warmUpShare, end / 2, end].map((hours) =>
    text(
      x(hours),
      top + plotTop + plotHeight + 18,
      `${Math.round(hours * 60)} min`,
      "quiet",
      "middle",
    ),
  );
  const marks = reloads.map(
    (hours) =>
      `<line class="reload" x1="${x(hours)}" x2="${x(hours)}" y1="${y(max)}" y2="${y(0)}"/>`,
  );
  const drawn = lines.map(({ points, name }, at) => {
    const path = points.map(({ hours, value }) => `${x(hours).toFixed(1)},${y(value).toFixed(1)}`);
    return `<polyline class="${colours[at]}" points="${path.join(" ")}"/>${text(plotRight + 16, top + plotTop + 12 + at * 20, name, colours[at] ?? "")}`;
  });
  return [text(margin, top + 22, title, "panel"), ...ticks, ...times, ...marks, ...drawn].join(
    "\n",
  );
}

/** 1, 2 or 5 times a power of ten. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 5].find((times) => times * power >= value) ?? 10) as number) * power;
}

const shortly = (value: number) =>
  (value >= 10 ? Math.round(value) : Number(value.toPrecision(2))).toLocaleString("en");

/** For those who cannot see the lines. */
const inWords = ({ name, points }: Line) =>
  `${name} from ${figure(points[0]?.value ?? 0)} to ${figure(points.at(-1)?.value ?? 0)}`;

function text(x: number, y: number, content: string, kind: string, anchor = "start"): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" class="${kind}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

const escaped = (content: string) =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
