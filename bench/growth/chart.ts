/** Growth as a picture: how each figure changes from few to many, in light and in dark. */
import { chartStyle, escaped, text } from "../chart.ts";
import { figure } from "../table.ts";
import type { Growth } from "./subject.ts";

const width = 960;
const margin = 32;
const columns = 2;
const plotHeight = 120;
const lineHeight = 18;
const headHeight = 76;
const panelWidth = (width - margin * (columns + 1)) / columns;
/** From half of what the fewest take to so many times as much. */
const ratioMin = 0.5;
const ratioMax = 200;

export const lineColours = [
  "#5b5bd6",
  "#0d8a6a",
  "#c2410c",
  "#b4237e",
  "#8a6d00",
  "#2870bd",
  "#71717a",
  "#a11d33",
];

export function drawGrowth(growths: readonly Growth[]): string {
  const panelHeight = (growth: Growth) => 64 + plotHeight + growth.figures.length * lineHeight;
  let top = headHeight;
  const drawn: string[] = [];
  for (let at = 0; at < growths.length; at += columns) {
    const row = growths.slice(at, at + columns);
    for (const [column, growth] of row.entries()) {
      drawn.push(drawPanel(growth, margin + column * (panelWidth + margin), top));
    }
    top += Math.max(...row.map(panelHeight)) + margin;
  }
  const title = "What each figure is with many, against the fewest";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img" aria-labelledby="title description">
<title id="title">${title}</title>
<desc id="description">${escaped(description(growths))}</desc>
<style>${chartStyle}</style>
<rect class="page" width="${width}" height="${top}" rx="12"/>
${text(margin, 44, title, "title")}
${text(margin, 64, "Flat is 1×. Both scales are logarithmic.", "quiet")}
${drawn.join("\n")}
</svg>
`;
}

function drawPanel({ name, sizes, figures }: Growth, left: number, top: number): string {
  const plotTop = top + 28;
  const x = (at: number) => left + 40 + (at / Math.max(1, sizes.length - 1)) * (panelWidth - 80);
  const y = (ratio: number) => plotTop + plotHeight * (1 - heightOf(ratio));
  const lines = [text(left, top + 14, name, "work")];
  for (const ratio of [1, 10, 100]) {
    lines.push(
      `<line class="rule" x1="${left + 36}" x2="${left + panelWidth}" y1="${y(ratio).toFixed(1)}" y2="${y(ratio).toFixed(1)}"/>`,
      text(left + 30, y(ratio) + 4, `${ratio}×`, "quiet", "end"),
    );
  }
  for (const [at, size] of sizes.entries()) {
    const label = size.toLocaleString("en");
    lines.push(text(x(at), plotTop + plotHeight + 18, label, "quiet", "middle"));
  }
  for (const [index, { title, ratios }] of figures.entries()) {
    const colour = lineColours[index % lineColours.length];
    const points = ratios.map((ratio, at) => `${x(at).toFixed(1)},${y(ratio).toFixed(1)}`);
    const below = plotTop + plotHeight + 42 + index * lineHeight;
    lines.push(
      `<polyline points="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="2.5" stroke-linejoin="round"/>`,
      `<circle cx="${left + 8}" cy="${below - 4}" r="5" fill="${colour}"/>`,
      text(left + 22, below, title, ""),
      text(left + panelWidth, below, `${figure(ratios.at(-1))}×`, "ours", "end"),
    );
  }
  return lines.join("\n");
}

/** From 0 to 1. */
export function heightOf(ratio: number): number {
  const within = Math.min(ratioMax, Math.max(ratioMin, ratio));
  return Math.log(within / ratioMin) / Math.log(ratioMax / ratioMin);
}

/** For those who cannot see the lines. */
function description(growths: readonly Growth[]): string {
  return growths
    .flatMap(({ name, sizes, figures }) =>
      figures.map(({ title, ratios }) => {
        const most = (sizes.at(-1) ?? 0).toLocaleString("en");
        return `${title}: ${figure(ratios.at(-1))} times with ${most} ${name}.`;
      }),
    )
    .join(" ");
}
