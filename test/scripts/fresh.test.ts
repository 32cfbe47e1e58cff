/** What `npm run fresh` is told, and what it takes for a failure. */
import { describe, expect, test } from "bun:test";
import { readOptions, UsageError } from "../../scripts/fresh/options.ts";
import { outcomeOf } from "../../scripts/fresh/outcome.ts";

describe("the options", () => {
  test("are every supported Node.js, each with the npm it is released with, and all tests", () => {
    expect(readOptions([])).toEqual({
      runtimes: [
        { node: "20", npm: "10" },
        { node: "22", npm: "10" },
        { node: "26", npm: "11" },
      ],
      tests: "all",
      json: false,
    });
  });

  test("choose versions and tests", () => {
    const args = ["--node", "26", "--npm", "12", "--tests", "none", "--json"];
    expect(readOptions(args)).toEqual({
      runtimes: [{ node: "26", npm: "12" }],
      tests: "none",
      json: true,
    });
  });

  test.each([
    [["--node", "18"]],
    [["--node", ""]],
    [["--npm", "latest"]],
    [["--tests", "some"]],
    [["--tests"]],
    [["20"]],
  ])("%j are refused", (args) => {
    expect(() => readOptions(args)).toThrow(UsageError);
  });
});

describe("a check", () => {
  const install = { name: "npm ci", command: "npm ci", msMax: 1, warningsFail: true };
  const tests = { name: "npm test", command: "npm test", msMax: 1 };
  const when = { versions: "Node.js v20, npm 10", seconds: 3 };

  test("of npm ci passes without a warning, and a notice is none", () => {
    const output = "added 99 packages in 14s\nnpm notice New major version of npm available!\n";
    expect(outcomeOf(install, { code: 0, output }, when)).toEqual({
      ...when,
      check: "npm ci",
      passed: true,
      complaints: [],
    });
  });

  test("of npm ci fails with a warning, and repeats it", () => {
    const output = "npm warn EBADENGINE Unsupported engine\nadded 99 packages\n";
    const { passed, complaints } = outcomeOf(install, { code: 0, output }, when);
    expect([passed, complaints]).toEqual([false, ["npm warn EBADENGINE Unsupported engine"]]);
  });

  test("of the tests repeats the closing line, and names what failed", () => {
    const output = "(pass) a\n(fail) b > c [1ms]\n 7 pass\n9 passed, 1 failed\n";
    const { passed, closingLine, complaints } = outcomeOf(tests, { code: 1, output }, when);
    expect([passed, closingLine, complaints]).toEqual([
      false,
      "9 passed, 1 failed",
      ["(fail) b > c [1ms]"],
    ]);
  });

  test("that was killed fails, with the end of what it wrote", () => {
    const { passed, complaints } = outcomeOf(tests, { code: null, output: "half\n\n" }, when);
    expect([passed, complaints]).toEqual([false, ["half"]]);
  });
});
