import { describe, expect, test } from "bun:test";
import { globSync, readFileSync } from "node:fs";
import { countsIn, slow } from "../../scripts/testRun.ts";

const files = globSync("test/**/*.test.ts");
const isSlow = (file: string) => slow.some((pattern) => new Bun.Glob(pattern).match(file));

describe("what the quick run leaves out", () => {
  test("is there", () => {
    const idle = slow.filter((pattern) => !files.some((file) => new Bun.Glob(pattern).match(file)));
    expect(idle).toEqual([]);
  });

  test("is every test that starts a database server, a browser or the whole program", () => {
    const starts =
      /from "[^"]*\/(?:chromium|stand|useServer|pgbouncer|process|pebble|bed\/bed)\.ts"/;
    const left = files.filter((file) => !isSlow(file) && starts.test(readFileSync(file, "utf8")));
    expect(left).toEqual([]);
  });
});

describe("the counts of a run", () => {
  test("come from its report", () => {
    const report = '<testsuites name="bun test" tests="12" failures="2" skipped="3" time="1.5">';
    expect(countsIn(report)).toEqual({ passed: 7, failed: 2, skipped: 3 });
  });

  test("have a failure where there is no report", () => {
    expect(countsIn("")).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});
