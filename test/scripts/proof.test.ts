import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { knownFailures } from "../../scripts/proof/knownFailures.ts";
import type { Suite } from "../../scripts/proof/suite.ts";
import { suites } from "../../scripts/proof/suites.ts";
import { closingLine, judge, select, stopped, table } from "../../scripts/proof/verdict.ts";

const outcome = { version: "1.2.3", passed: 5, failures: [] };
const suite: Suite = { name: "A tool", slug: "tool", quick: true, run: async () => outcome };
const slow: Suite = { ...suite, slug: "slow", quick: false };
const failure = { id: "5.1/2", says: "sent a GOAWAY" };
const known = { suite: "tool", id: "5.1/2", reason: "the tool counts from one" };

describe("a suite of the proof", () => {
  test("fails by a failure that is not listed", () => {
    const verdict = judge(suite, { ...outcome, failures: [failure] }, [], 1);
    expect(verdict).toMatchObject({ passed: 5, failed: 1, known: 0, failures: [failure] });
  });

  test("does not fail by a failure that is listed", () => {
    const verdict = judge(suite, { ...outcome, failures: [failure] }, [known], 1);
    expect(verdict).toMatchObject({ passed: 5, failed: 0, known: 1, failures: [] });
  });

  test("fails by a listed failure that no longer happens, by its id", () => {
    const verdict = judge(suite, outcome, [known], 1);
    expect(verdict).toMatchObject({ failed: 1, known: 0, failures: [{ id: "5.1/2" }] });
  });

  test("is not excused by the failures of another", () => {
    const listed = [{ ...known, suite: "other" }];
    const verdict = judge(suite, { ...outcome, failures: [failure] }, listed, 1);
    expect(verdict).toMatchObject({ failed: 1, known: 0 });
  });

  test("that could not run has failed, and says why", () => {
    const verdict = stopped(suite, "Java 17 is needed");
    expect(verdict).toMatchObject({ failed: 1, failures: [{ says: "Java 17 is needed" }] });
  });
});

describe("the command line", () => {
  test("takes all suites, the quick ones, or those it names", () => {
    expect(select([suite, slow], [], false)).toEqual([suite, slow]);
    expect(select([suite, slow], [], true)).toEqual([suite]);
    expect(select([suite, slow], ["slow"], false)).toEqual([slow]);
  });

  test("names the suites that it does not know", () => {
    expect(select([suite], ["tool", "tol"], false)).toEqual({ unknown: ["tol"] });
  });
});

test("the table has a row for each suite, and the last line the sums", () => {
  const verdicts = [
    judge(suite, { ...outcome, passed: 1234 }, [], 61.25),
    stopped({ slug: "other", name: "Another tool" }, "Go is needed"),
  ];
  expect(table(verdicts).split("\n")).toEqual([
    "suite         version  passed  failed  known  seconds",
    "A tool        1.2.3      1234       0      0     61.3",
    "Another tool  –             0       1      0      0.0",
  ]);
  expect(closingLine(verdicts)).toBe("1234 passed, 1 failed");
});

describe("the suites", () => {
  test("have a slug each, which is the name of their file", () => {
    const slugs = suites.map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(slugs.length);
    for (const slug of slugs) {
      const file = new URL(`../../scripts/proof/suites/${slug}.ts`, import.meta.url);
      expect({ slug, exists: existsSync(file) }).toEqual({ slug, exists: true });
    }
  });

  test("have known failures with a reason, listed once each", () => {
    const slugs = suites.map(({ slug }) => slug);
    for (const { suite, reason } of knownFailures) {
      expect(slugs).toContain(suite);
      expect(reason.length).toBeGreaterThan(20);
    }
    const ids = knownFailures.map(({ suite, id }) => `${suite} ${id}`);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
