/** Results that last: figures, a page to read and pictures, under the day they were made. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { drawChart } from "./chart.ts";
import { judge } from "./goals.ts";
import { markdownReport } from "./report.ts";
import type { Results } from "./results.ts";

const folder = fileURLToPath(new URL("results", import.meta.url));

/** Gives back the files that were written. A second run of a day takes the place of the first. */
export function keepResults(results: Results): string[] {
  mkdirSync(folder, { recursive: true });
  return Object.entries(keptFiles(results)).map(([name, content]) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return relative(process.cwd(), path);
  });
}

/** By their names. A run of parts alone leaves what the whole one of the day has kept. */
export function keptFiles(results: Results): Record<string, string> {
  const day = results.startedAt.slice(0, 10);
  const isWhole = results.figures.length > 0;
  const name = isWhole ? day : [day, ...results.options.parts].join("-");
  const charts = results.parts.flatMap(({ name, chart }): [string, string][] =>
    chart === undefined ? [] : [[`${day}-${name}.svg`, chart]],
  );
  if (isWhole) charts.unshift([`${day}.svg`, drawChart(results)]);
  return {
    [`${name}.json`]: `${JSON.stringify({ goals: judge(results), ...results }, null, 2)}\n`,
    [`${name}.md`]: markdownReport(results, charts[0]?.[0]),
    ...Object.fromEntries(charts),
  };
}
