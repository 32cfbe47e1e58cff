/** The comparison as a picture: a group of bars for each work, in light and in dark. */
import { titleOf, yardstickOf, yardsticks } from "./report.ts";
import type { Results } from "./results.ts";
import { ratioOf, type Summary, summarise } from "./rounds.ts";
import { figure } from "./table.ts";
import { type WorkName, workTitles } from "./works.ts";

const width = 960;
const margin = 32;
const labelWidth = 240;
const valueWidth = 176;
const barHeight = 16;
const barGap = 8;
const groupGap = 36;
const headHeight = 92;
const barsFrom = margin + labelWidth;
const barsWidth = width - margin - valueWidth - barsFrom;

export const chartStyle = `
  svg { --page: oklch(99.2% 0.003 85); --line: oklch(91% 0.007 85); --text: oklch(27% 0.012 70);
    --quiet: oklch(47% 0.014 70); --accent: oklch(47% 0.17 278); --other: oklch(78% 0.012 80);
    --yardstick: oklch(64% 0.012 80); }
  @media (prefers-color-scheme: dark) {
    svg { --page: oklch(19% 0.006 70); --line: oklch(32% 0.009 70); --text: oklch(92% 0.006 85);
      --quiet: oklch(74% 0.012 80); --accent: oklch(74% 0.12 280); --other: oklch(42% 0.012 70);
      --yardstick: oklch(56% 0.012 70); }
  }
  text { font: 13px "Figtree Variable", Figtree, system-ui, sans-serif; fill: var(--text);
    font-variant-numeric: tabular-nums; }
  .title { font-size: 20px; font-weight: 650; }
  .work { font-size: 14px; font-weight: 650; }
  .quiet { fill: var(--quiet); }
  .ours { font-weight: 650; }
  .page { fill: var(--page); }
  .bar { fill: var(--other); }
  .bar.yardstick { fill: var(--yardstick); }
  .bar.ours { fill: var(--accent); }
  .rule { stroke: var(--line); }
`;

export function drawChart(results: Results): string {
  const works = [...new Set(results.figures.map(({ work }) => work))];
  let top = headHeight;
  const groups = works.map((work) => {
    const group = drawGroup(results, work, top);
    top = group.bottom + groupGap;
    return group.drawn;
  });
  const height = top - groupGap + margin;
  const date = results.startedAt.slice(0, 10);
  const title = `Requests per second, ${results.options.pets.toLocaleString("en")} pets stored`;
  const { processor, cores } = results.machine;
  const under = `${date} · ${processor}, ${cores} cores · 64 connections · median of ${results.options.rounds} rounds`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description(results, works))}</desc>
<style>${chartStyle}</style>
<rect class="page" width="${width}" height="${height}" rx="12"/>
${text(margin, 44, title, "title")}
${text(margin, 66, under, "quiet")}
${groups.join("\n")}
</svg>
`;
}

/** Fastest first would move the bars from work to work: contestants keep their order. */
function summariesOf(results: Results, work: WorkName): Summary[] {
  const order = results.contestants.map(({ name }) => name);
  return summarise(results.figures)
    .filter((summary) => summary.work === work)
    .sort((a, b) => order.indexOf(a.contestant) - order.indexOf(b.contestant));
}

function drawGroup(results: Results, work: WorkName, top: number) {
  const summaries = summariesOf(results, work);
  const fastest = Math.max(...summaries.map((each) => each.requestsPerSecond));
  const yardstick = yardstickOf(results, work);
  const lines = [
    `<line class="rule" x1="${margin}" x2="${width - margin}" y1="${top}" y2="${top}"/>`,
    text(margin, top + 26, workTitles[work], "work"),
    text(width - margin, top + 26, `requests/s · ÷ ${yardsticks[yardstick]}`, "quiet", "end"),
  ];
  let y = top + 40;
  for (const { contestant, requestsPerSecond } of summaries) {
    const kind = contestant === "ours" ? "ours" : contestant === yardstick ? "yardstick" : "";
    const length = Math.max(1, (requestsPerSecond / fastest) * barsWidth);
    const ratio = figure(ratioOf(results.figures, work, contestant, yardstick));
    const middle = y + barHeight - 3;
    lines.push(
      text(margin, middle, titleOf(results, contestant), kind === "ours" ? "ours" : ""),
      `<rect class="bar ${kind}" x="${barsFrom}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="3"/>`,
      text(width - margin - 64, middle, figure(requestsPerSecond), kind, "end"),
      text(width - margin, middle, ratio, kind === "ours" ? "ours" : "quiet", "end"),
    );
    y += barHeight + barGap;
  }
  return { drawn: lines.join("\n"), bottom: y - barGap };
}

/** For those who cannot see the bars. */
function description(results: Results, works: readonly WorkName[]): string {
  return works
    .map((work) => {
      const said = summariesOf(results, work).map(
        ({ contestant, requestsPerSecond }) =>
          `${titleOf(results, contestant)} ${figure(requestsPerSecond)}`,
      );
      return `${workTitles[work]}: ${said.join(", ")}.`;
    })
    .join(" ");
}

export function text(
  x: number,
  y: number,
  content: string,
  kind: string,
  anchor = "start",
): string {
  return `<text x="${x}" y="${y}" class="${kind}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

export function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
