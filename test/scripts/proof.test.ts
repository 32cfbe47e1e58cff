import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { knownFailures } from "../../scripts/proof/knownFailures.ts";
import { withResults } from "../../scripts/proof/publish.ts";
import type { Suite } from "../../scripts/proof/suite.ts";
import { outcomeOf as outcomeOfClient } from "../../scripts/proof/suites/clients.ts";
import { complaint } from "../../scripts/proof/suites/json.ts";
import { judgeCollection } from "../../scripts/proof/suites/portman.ts";
import { failuresOf, serverError } from "../../scripts/proof/suites/prism.ts";
import { outcomeOf, type Report } from "../../scripts/proof/suites/schemathesis.ts";
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

  test("in which nothing was tested has failed", () => {
    const verdict = judge(suite, { ...outcome, passed: 0 }, [], 1);
    expect(verdict).toMatchObject({ failed: 1, failures: [{ id: "cases" }] });
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

describe("Schemathesis", () => {
  const ran = { status: "success" };
  const report: Report = {
    schemathesis_version: "4.0.0",
    complete: true,
    operations: { total: 2, tested: 2 },
    phases: { examples: ran, coverage: ran, fuzzing: ran, stateful: ran },
    test_cases: { generated: 10, with_failures: 0, without_checks: 1 },
    failures: [],
    errors: [],
  };

  test("passes by the requests that were checked", () => {
    expect(outcomeOf(report)).toEqual({ version: "4.0.0", passed: 9, failures: [] });
  });

  test("fails once for each operation, by the code of the failure", () => {
    const failures = [{ code: "ST101", title: "Server error", operations: ["GET /a", "GET /b"] }];
    expect(outcomeOf({ ...report, failures }).failures.map(({ id }) => id)).toEqual([
      "GET /a ST101",
      "GET /b ST101",
    ]);
  });

  test("fails by a phase that was skipped, and by an operation that was left out", () => {
    const phases = { ...report.phases, stateful: { status: "skip" } };
    const operations = { total: 2, tested: 1 };
    expect(outcomeOf({ ...report, phases, operations }).failures.map(({ id }) => id)).toEqual([
      "phase stateful",
      "operations",
    ]);
  });
});

describe("a file of the JSON parsing suite", () => {
  const member = { place: "a member", bytes: 50, status: 201, code: undefined } as const;
  const refused = { ...member, status: 400, code: "body_unreadable" };
  const misshapen = { ...member, place: "the body", status: 400, code: "body_invalid" } as const;

  test("that is valid is accepted, or as a whole body refused for its shape alone", () => {
    expect(complaint({ ...member, file: "y_a.json" })).toBeUndefined();
    expect(complaint({ ...misshapen, file: "y_a.json" })).toBeUndefined();
    expect(complaint({ ...misshapen, place: "a member", file: "y_a.json" })).toContain("refused");
    expect(complaint({ ...refused, file: "y_a.json" })).toContain("refused");
  });

  test("that is not JSON is refused as unreadable, or as too large", () => {
    expect(complaint({ ...refused, file: "n_a.json" })).toBeUndefined();
    expect(complaint({ ...member, file: "n_a.json" })).toContain("not JSON");
    expect(complaint({ ...misshapen, file: "n_a.json" })).toContain("not JSON");
    const large = { ...member, file: "n_a.json", status: 413, code: "body_too_large" };
    expect(complaint({ ...large, bytes: 65_537 })).toBeUndefined();
    expect(complaint(large)).toContain("not JSON");
  });

  test("that is either may be accepted or refused, but breaks nothing", () => {
    expect(complaint({ ...member, file: "i_a.json" })).toBeUndefined();
    expect(complaint({ ...refused, file: "i_a.json" })).toBeUndefined();
    const broken = { ...member, file: "i_a.json", status: 500, code: "internal" };
    expect(complaint(broken)).toContain("500 internal");
  });
});

describe("Prism", () => {
  const violation = { location: ["response", "body"], message: "must have 'name'" };

  test("judges answers by their media type, and not the requests that the check breaks", () => {
    const asked = { ...violation, location: ["request"] };
    const failures = failuresOf("GET /v1/pets 200", "application/json", [violation, asked]);
    expect(failures.map(({ id }) => id)).toEqual(["application/json: must have 'name'"]);
  });

  test("fails by a server error, of which Prism says nothing", () => {
    expect(serverError("GET", 404)).toEqual([]);
    expect(serverError("GET", 503).map(({ id }) => id)).toEqual(["GET 503"]);
  });

  test("has one id for all integers that a double cannot hold", () => {
    const message = "Response body property 3.id must be >= -9007199254740991";
    const [failure] = failuresOf("GET /v1/pets 200", "application/json", [
      { ...violation, message },
    ]);
    expect(failure?.id).toBe("an integer beyond 2^53");
  });
});

describe("a collection of Portman", () => {
  const called = { item: { name: "List pets" }, response: { code: 200 } };

  test("counts each test, and fails by the message of the one that failed", () => {
    const error = { message: "expected 200" };
    const assertions = [{ assertion: "status" }, { assertion: "schema", error }];
    const judged = judgeCollection({ run: { executions: [{ ...called, assertions }] } }, 1);
    expect(judged).toEqual({
      passed: 1,
      failures: [{ id: "List pets: schema", says: "expected 200 (answered 200)" }],
    });
  });

  test("fails by a call without tests, and by an operation that it does not call", () => {
    const { failures } = judgeCollection({ run: { executions: [called] } }, 2);
    expect(failures.map(({ id }) => id)).toEqual(["List pets", "operations"]);
  });
});

test("a published table has the new results, and keeps those of suites that did not run", () => {
  const guide = `# Proof

| Suite  | Version | Passed | Failed | Known | Seconds | Date       |
| ------ | ------- | -----: | -----: | ----: | ------: | ---------- |
| Gone   | 1       |      1 |      0 |     0 |       1 | 2026-01-01 |
| Other  | 2       |      2 |      0 |     0 |       2 | 2026-01-01 |
| A tool | 1.0.0   |      3 |      0 |     0 |       3 | 2026-01-01 |

The end.
`;
  const verdict = judge(suite, { ...outcome, passed: 1234 }, [], 61.25);
  const lines = withResults(guide, [verdict], ["A tool", "Other"], "2026-02-02").split("\n");
  expect(lines.slice(4)).toEqual([
    "| A tool | 1.2.3 | 1,234 | 0 | 0 | 61 | 2026-02-02 |",
    "| Other | 2 | 2 | 0 | 0 | 2 | 2026-01-01 |",
    "",
    "The end.",
    "",
  ]);
});

describe("a generated client", () => {
  test("passes once for each step that it got through", () => {
    const said =
      "go: passed in 9.1 s, exact, pages, 400; not 401: why\n\n1 passed, 0 failed, 0 skipped\n";
    expect(outcomeOfClient("go", said)).toEqual({ passed: 3, failures: [] });
  });

  test("fails if it did not, if its toolchain is absent, and if the service ended badly", () => {
    const failed =
      "go: failed in 1.0 s, because Go 1.23 is not installed\n\n0 passed, 1 failed, 0 skipped";
    const ended = "go: passed in 9.1 s, exact\n\n1 passed, 1 failed, 0 skipped";
    for (const said of [failed, ended]) {
      expect(outcomeOfClient("go", said)).toEqual({
        passed: 0,
        failures: [{ id: "go", says: said }],
      });
    }
  });
});
