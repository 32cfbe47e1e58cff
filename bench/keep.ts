/** Results that last: figures, a page to read and a picture, under the day they were made. */
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
  const day = results.startedAt.slice(0, 10);
  mkdirSync(folder, { recursive: true });
  const write = (ending: string, content: string) => {
    const path = join(folder, `${day}.${ending}`);
    writeFileSync(path, content);
    return relative(process.cwd(), path);
  };
  return [
    write("json", `${JSON.stringify({ goals: judge(results), ...results }, null, 2)}\n`),
    write("md", markdownReport(results, `${day}.svg`)),
    write("svg", drawChart(results)),
  ];
}
