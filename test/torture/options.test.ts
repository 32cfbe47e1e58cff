import { describe, expect, test } from "bun:test";
import { readOptions, UsageError } from "../../torture/options.ts";
import { type Outcome, replayCommand, scenarioLine, summaryText } from "../../torture/report.ts";
import { scenarios } from "../../torture/scenarios.ts";
import { Tally } from "../../torture/tally.ts";

const two = ["a", "b"].map((name) => ({ name, about: "", run: async () => {} }));

describe("the command line of the rig", () => {
  test("shares the minutes out evenly, and gives nobody too little", () => {
    expect(readOptions(["--minutes", "1"], two).secondsEach).toBe(30);
    expect(readOptions(["--minutes", "0"], two).secondsEach).toBe(5);
    expect(readOptions(["--minutes", "1", "--only", "b"], two).secondsEach).toBe(60);
  });

  test("takes a seed, and draws one where none is given", () => {
    expect(readOptions(["--seed", "42"], two).seed).toBe(42);
    const { seed } = readOptions([], two);
    expect(Number.isInteger(seed) && seed >= 0).toBe(true);
  });

  test("names what there is when asked for what there is not", () => {
    expect(() => readOptions(["--only", "c"], two)).toThrow(/"c".*a, b/);
    for (const args of [
      ["--sed", "1"],
      ["--seed", "x"],
      ["--seed", "1.5"],
      ["--minutes", "-1"],
      ["--minutes"],
      ["--program", "/nowhere/petstore"],
    ]) {
      expect(() => readOptions(args, two)).toThrow(UsageError);
    }
  });

  test("tells scenarios apart by their names", () => {
    const names = scenarios.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("the report of the rig", () => {
  const tally = new Tally();
  tally.fault("SIGKILL", 3);
  tally.judge(true, () => "");
  tally.judge(false, () => "a pet is gone");
  const failed: Outcome = { name: "a", tally, leftOut: undefined, tookMs: 12_000, goesOn: false };
  const leftOut: Outcome = {
    name: "b",
    tally: new Tally(),
    leftOut: "no compiler",
    tookMs: 0,
    goesOn: false,
  };

  test("counts faults, judgements and violations", () => {
    expect(scenarioLine(failed)).toBe("a (12 s): 3 × SIGKILL; 2 judged, 1 violations");
    expect(scenarioLine(leftOut)).toBe("b left out: no compiler");
    expect(summaryText([failed, leftOut])).toMatch(/^All +3 +2 +1$/m);
  });

  test("says how to see the same again, with as much time as it had", () => {
    const program = process.execPath;
    const options = readOptions(["--seed", "9", "--minutes", "1", "--program", program], two);
    const again = replayCommand(options, [failed]).split(" -- ")[1]?.split(" ") ?? [];
    expect(readOptions(again, two)).toMatchObject({
      seed: 9,
      secondsEach: 30,
      chosen: [two[0]],
      program,
    });
  });
});
