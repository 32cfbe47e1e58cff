/** What a service exposes at /metrics, as text, and what the guide says of it. */
import { readFileSync } from "node:fs";

const guide = new URL("../../docs/guide/monitoring.md", import.meta.url);

/** The table of metrics. */
export function rowsOfGuide() {
  const rows = readFileSync(guide, "utf8").matchAll(
    /^\| `(\w+)` +\| (\w+) +\| ([^|]*) \| ([^|]+) \|$/gm,
  );
  return [...rows].map(([, name = "", type = "", labels = "", meaning = ""]) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label).toSorted(),
    meaning,
  }));
}

export const listedMetrics = () => rowsOfGuide().map(({ name }) => name);

export async function scraped(port: number | undefined): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

/** The value of one series, such as `petstore_domains{status="live"}`; undefined without it. */
export function sampleOf(text: string, series: string): number | undefined {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

/** Names as they are declared, without `_bucket`, `_sum` and `_count`, and the type of each. */
export function metricsIn(text: string): Map<string, string> {
  const declared = text.matchAll(/^# TYPE (\S+) (\S+)$/gm);
  return new Map([...declared].map(([, name = "", type = ""]) => [name, type]));
}

/** The labels of a metric, without those of histograms; undefined if it has no samples. */
export function labelsIn(text: string, metric: string): string[] | undefined {
  const sample = new RegExp(`^${metric}(?:_count)?(?:\\{(.*)\\})? \\S+$`, "m").exec(text);
  if (sample === null) return undefined;
  return [...(sample[1] ?? "").matchAll(/(\w+)="/g)].map(([, label = ""]) => label).toSorted();
}
