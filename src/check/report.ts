/** A report for people, for programs and for build servers. */
import { type Part, parts } from "./check.ts";
import type { Result, RunReport } from "./runChecks.ts";

const marks = { passed: "✓", failed: "✗", skipped: "-" } as const;

export function countOf({ results }: Pick<RunReport, "results">) {
  const count = (kind: keyof typeof marks) =>
    results.filter(({ outcome }) => outcome.kind === kind).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

export function reportText(report: RunReport): string {
  const { passed, failed, skipped } = countOf(report);
  return [
    ...byPart(report).flatMap(([part, results]) => [
      `${part}: ${parts[part]}`,
      ...results.flatMap(linesOf),
      "",
    ]),
    ...(report.petsLeft === 0 ? [] : [`${report.petsLeft} pets of this run could not be deleted.`]),
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
    "",
  ].join("\n");
}

function linesOf({ check, outcome, requests }: Result): string[] {
  const line = `  ${marks[outcome.kind]} ${outcome.kind.padEnd(7)}  ${check.id}`;
  if (outcome.kind === "passed") return [line];
  if (outcome.kind === "skipped") return [`${line}  (${outcome.reason})`];
  const details = [
    ["promise", check.promise],
    ["from", check.source],
    ["expected", outcome.expected],
    ["seen", outcome.seen],
    ...requests.map((request) => ["request", request]),
  ];
  return [line, ...details.map(([what = "", text]) => `      ${what.padEnd(8)}  ${text}`)];
}

function byPart({ results }: RunReport): [Part, Result[]][] {
  return [...Map.groupBy(results, ({ check }) => check.part)];
}

export function reportJson(report: RunReport) {
  return {
    baseUrl: report.base,
    startedAt: new Date(report.startedAtMs).toISOString(),
    elapsedMs: Math.round(report.elapsedMs),
    ...countOf(report),
    petsLeft: report.petsLeft,
    checks: report.results.map(({ check, outcome, requests, elapsedMs }) => ({
      id: check.id,
      part: check.part,
      promise: check.promise,
      source: check.source,
      outcome: outcome.kind,
      expected: outcome.kind === "failed" ? outcome.expected : null,
      seen: outcome.kind === "failed" ? outcome.seen : null,
      reason: outcome.kind === "skipped" ? outcome.reason : null,
      requests,
      elapsedMs: Math.round(elapsedMs),
    })),
  };
}

/** The form that Jenkins, GitLab and others read: a suite for each part. */
export function reportJunit(report: RunReport): string {
  const { results, elapsedMs } = report;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="petstore check"${counts(results)} time="${seconds(elapsedMs)}">`,
    ...byPart(report).flatMap(([part, those]) => [
      `  <testsuite name="${escaped(part)}"${counts(those)} time="${seconds(spent(those))}">`,
      ...those.map(testCase),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

function testCase({ check, outcome, requests, elapsedMs }: Result): string {
  const start = `    <testcase classname="petstore.${escaped(check.part)}" name="${escaped(check.id)}" time="${seconds(elapsedMs)}"`;
  if (outcome.kind === "passed") return `${start}/>`;
  if (outcome.kind === "skipped") {
    return `${start}><skipped message="${escaped(outcome.reason)}"/></testcase>`;
  }
  const message = `expected ${outcome.expected}, seen ${outcome.seen}`;
  const text = [check.promise, check.source, ...requests].join("\n");
  return `${start}><failure type="unmet" message="${escaped(message)}">${escaped(text)}</failure></testcase>`;
}

function counts(results: readonly Result[]): string {
  const { failed, skipped } = countOf({ results });
  return ` tests="${results.length}" failures="${failed}" errors="0" skipped="${skipped}"`;
}

const spent = (results: readonly Result[]) =>
  results.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0);
const seconds = (ms: number) => (ms / 1_000).toFixed(3);

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

// XML 1.0, section 2.2: of the control characters only tab and line ends may stand in a document.
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** For element content and attribute values alike. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(forbidden, "\u{fffd}")
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
