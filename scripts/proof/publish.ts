/** The table of the guide to the proof: the last result of each suite, with its date. */
import type { Verdict } from "./verdict.ts";

const heading = "| Suite | Version | Passed | Failed | Known | Seconds | Date |";
const rule = "| --- | --- | --: | --: | --: | --: | --- |";
const tableOf = /^\| Suite .*\n(?:\|.*\n)*/m;

/** The guide with these results. Suites that did not run keep the row they have. */
export function withResults(
  guide: string,
  verdicts: readonly Verdict[],
  order: readonly string[],
  date: string,
): string {
  const present = tableOf.exec(guide)?.[0];
  if (present === undefined) throw new Error("The guide has no table that begins with | Suite.");
  const rows = new Map(
    present
      .trim()
      .split("\n")
      .slice(2)
      .map((line) => {
        const cells = line.split("|").map((cell) => cell.trim());
        return [cells[1] ?? "", `| ${cells.slice(1, -1).join(" | ")} |`];
      }),
  );
  for (const { suite, version, passed, failed, known, seconds } of verdicts) {
    const numbers = [passed.toLocaleString("en"), failed, known, Math.round(seconds)];
    rows.set(suite, `| ${[suite, version, ...numbers, date].join(" | ")} |`);
  }
  const lines = order.flatMap((suite) => rows.get(suite) ?? []);
  return guide.replace(tableOf, () => `${[heading, rule, ...lines].join("\n")}\n`);
}
