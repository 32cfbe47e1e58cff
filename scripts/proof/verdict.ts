/** Judges the outcomes of suites by the known failures, and tells the verdicts as a table. */
import type { KnownFailure } from "./knownFailures.ts";
import type { Failure, Outcome, Suite } from "./suite.ts";

export interface Verdict {
  readonly slug: string;
  readonly suite: string;
  readonly version: string;
  readonly passed: number;
  readonly failed: number;
  /** Failures that knownFailures.ts explains. */
  readonly known: number;
  readonly seconds: number;
  /** What failed, with what is listed as known and no longer happens. */
  readonly failures: readonly Failure[];
}

export function judge(
  { slug, name }: Pick<Suite, "slug" | "name">,
  { version, passed, failures }: Outcome,
  listed: readonly KnownFailure[],
  seconds: number,
): Verdict {
  const own = new Set(listed.filter(({ suite }) => suite === slug).map(({ id }) => id));
  const happened = new Set(failures.map(({ id }) => id));
  const unknown = failures.filter(({ id }) => !own.has(id));
  const gone = [...own]
    .filter((id) => !happened.has(id))
    .map((id) => ({ id, says: "It no longer happens: remove it from knownFailures.ts." }));
  const none = passed + failures.length === 0 ? [{ id: "cases", says: "None was tested." }] : [];
  const failed = [...unknown, ...gone, ...none];
  return {
    ...{ slug, suite: name, version, passed, seconds },
    known: failures.length - unknown.length,
    failed: failed.length,
    failures: failed,
  };
}

/** The verdict of a suite that could not run, or stopped before its end. */
export function stopped({ slug, name }: Pick<Suite, "slug" | "name">, says: string): Verdict {
  const failures = [{ id: "run", says }];
  const none = { version: "–", passed: 0, known: 0, seconds: 0 };
  return { slug, suite: name, ...none, failed: 1, failures };
}

/** The suites that the command line asks for: those it names, or all, or the quick ones of these. */
export function select(
  suites: readonly Suite[],
  named: readonly string[],
  quick: boolean,
): readonly Suite[] | { readonly unknown: readonly string[] } {
  const unknown = named.filter((name) => !suites.some(({ slug }) => slug === name));
  if (unknown.length > 0) return { unknown };
  return suites.filter(
    (suite) => (named.length === 0 || named.includes(suite.slug)) && (suite.quick || !quick),
  );
}

const headings = ["suite", "version", "passed", "failed", "known", "seconds"] as const;

/** Columns of text, as wide as they need to be; numbers are aligned right. */
export function table(verdicts: readonly Verdict[]): string {
  const rows = [
    headings,
    ...verdicts.map((verdict) =>
      headings.map((heading) =>
        heading === "seconds" ? verdict.seconds.toFixed(1) : String(verdict[heading]),
      ),
    ),
  ];
  const widths = headings.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function closingLine(verdicts: readonly Verdict[]): string {
  const total = (count: "passed" | "failed") =>
    verdicts.reduce((sum, verdict) => sum + verdict[count], 0);
  return `${total("passed")} passed, ${total("failed")} failed`;
}
