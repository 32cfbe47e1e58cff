import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { areas, isSentence } from "../../scripts/mutation/areas.ts";
import { equivalents } from "../../scripts/mutation/equivalents.ts";
import { judge, type Mutant, scoreOf, sumOf, tableOf } from "../../scripts/mutation/judge.ts";

const mutant = (status: string, becomes = "true"): Mutant => {
  return { file: "a.ts", line: 1, code: "x > 1", becomes, status };
};
const listed = { file: "a.ts", code: "x > 1", becomes: "x >= 1", why: "x is never 1." };

describe("a run", () => {
  test("counts what noticed each mutant, and names those that nothing did", () => {
    const statuses = ["Killed", "RuntimeError", "Timeout", "Survived", "NoCoverage"];
    const { row, survivors } = judge(
      "orders",
      statuses.map((each) => mutant(each)),
      [],
    );
    expect(row).toEqual({
      area: "orders",
      mutants: 5,
      killed: 1,
      timedOut: 1,
      survived: 2,
      uncovered: 1,
      equivalent: 0,
    });
    expect(survivors.map(({ status }) => status)).toEqual([
      "RuntimeError",
      "Survived",
      "NoCoverage",
    ]);
    expect(scoreOf(row)).toBe("40.0 %");
  });

  test("accepts a survivor that is listed, and that one alone", () => {
    const { row, survivors, stale } = judge(
      "orders",
      [mutant("Survived", "x >= 1"), mutant("Survived")],
      [listed],
    );
    expect(survivors).toEqual([mutant("Survived")]);
    expect(stale).toEqual([]);
    expect(row).toMatchObject({ survived: 1, equivalent: 1 });
  });

  test("rejects an entry whose mutant is noticed, unless its file was not mutated", () => {
    expect(judge("orders", [mutant("Killed", "x >= 1")], [listed]).stale).toEqual([listed]);
    expect(judge("orders", [], [listed]).stale).toEqual([]);
  });

  test("has a perfect score only if nothing is left", () => {
    const { row } = judge("orders", [mutant("Killed"), mutant("Survived", "x >= 1")], [listed]);
    expect(scoreOf(row)).toBe("100.0 %");
    expect(scoreOf({ ...row, mutants: 10_001, killed: 9_999 })).toBe("99.9 %");
    expect(tableOf([row, sumOf([row, row])]).split("\n")).toEqual([
      "area    mutants  killed  timed out  survived  no coverage  equivalent    score",
      "orders        2       1          0         0            0           1  100.0 %",
      "all           4       2          0         0            0           2  100.0 %",
    ]);
  });
});

test("the sources and tests of every area exist, and every equivalent mutant has a reason", () => {
  const sources = Object.values(areas).flatMap((area) => area.sources);
  const found = sources.map((pattern) => [...new Bun.Glob(pattern).scanSync()]);
  expect(sources.filter((_, at) => found[at]?.length === 0)).toEqual([]);
  const mutated = new Set(found.flat());
  expect(equivalents.filter(({ file }) => !mutated.has(file))).toEqual([]);
  const files = Object.values(areas).flatMap(({ tests }) =>
    tests.map((each) => each.split("#")[0]),
  );
  expect(files.filter((file) => file === undefined || !existsSync(file))).toEqual([]);
  expect(equivalents.filter(({ why }) => why.trim() === "")).toEqual([]);
});

test("a sentence is no name, no code and no part of one", () => {
  expect(["Re-verify now.", "Delete its record. It is wrong."].filter(isSentence)).toHaveLength(2);
  const others = ["owner", "NO_CNAME", "www.", "pets * *", "Create the record", "at most 3."];
  expect(others.filter(isSentence)).toEqual([]);
});
