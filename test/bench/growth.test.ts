import { describe, expect, test } from "bun:test";
import { drawGrowth, heightOf } from "../../bench/growth/chart.ts";
import { summed } from "../../bench/growth/subject.ts";
import { subjects } from "../../bench/growth/subjects.ts";
import { keptFiles } from "../../bench/keep.ts";
import { growthNames, readOptions, UsageError } from "../../bench/options.ts";
import { factsOf } from "../../bench/parts/growth.ts";
import { resultsWith } from "./results.ts";

const rounds = (...values: number[]) => new Map(values.map((value, at) => [at + 1, value]));
const figures = { firstPage: { title: "first page, CPU µs" }, memory: { title: "memory, MB" } };
const grown = summed(
  { name: "pets", figures },
  [1_000, 100_000],
  new Map([
    ["firstPage", [rounds(10, 20, 30), rounds(11, 44, 33)]],
    ["memory", [rounds(80), rounds(120)]],
  ]),
);

describe("growth", () => {
  test("compares many with few within each round, and takes the median of that", () => {
    const [page, memory] = grown.figures;
    expect(page?.values).toEqual([20, 33]);
    expect(page?.ratios).toEqual([1, 1.1]);
    expect(memory?.ratios).toEqual([1, 1.5]);
  });

  test("gives the goals the slowest page and the memory of the most pets", () => {
    expect(factsOf([grown])).toEqual({ timeRatio: 1.1, memoryMb: 120 });
    expect(factsOf([])).toEqual({});
  });

  test("is drawn with a line and a sentence for each figure", () => {
    const svg = drawGrowth([grown, { ...grown, name: "keys & more" }]);
    expect(svg.match(/<polyline /g)).toHaveLength(4);
    expect(svg).toContain("memory, MB: 1.50 times with 100,000 keys &amp; more.");
    expect(svg).not.toContain("NaN");
  });

  test("is drawn on a scale on which ten times as much is as far from any start", () => {
    expect(heightOf(10) - heightOf(1)).toBeCloseTo(heightOf(100) - heightOf(10));
    expect([heightOf(0.01), heightOf(1e9)]).toEqual([0, 1]);
  });

  test("increases whatever the options name, and nothing else", () => {
    expect(subjects.map(({ name }) => name).toSorted()).toEqual([...growthNames].toSorted());
    expect(readOptions(["--only", "growth", "--growth", "keys"]).growth).toEqual(["keys"]);
    expect(() => readOptions(["--growth", "1000"])).toThrow(UsageError);
  });

  test("is part of a short run only when it is asked for", () => {
    expect(readOptions(["--short"]).parts).toEqual([]);
    expect(readOptions(["--short", "--only", "growth"]).parts).toEqual(["growth"]);
  });

  test("is kept beside the results of the whole run, with its picture", () => {
    const chart = drawGrowth([grown]);
    const shape = { name: "growth", title: "Growth", method: "", columns: [], rows: [], facts: {} };
    const whole = resultsWith({ getPet: { ours: 9, nginx: 10 } });
    const run = { ...whole, parts: [{ ...shape, chart }] };
    const day = run.startedAt.slice(0, 10);
    const alone = { ...run, figures: [], options: { ...run.options, parts: ["growth"] as const } };
    const named = (...names: string[]) => names.map((name) => day + name);
    expect(Object.keys(keptFiles(run))).toEqual(named(".json", ".md", ".svg", "-growth.svg"));
    const files = keptFiles(alone);
    expect(Object.keys(files)).toEqual(named("-growth.json", "-growth.md", "-growth.svg"));
    expect(files[`${day}-growth.md`]).toContain(`(${day}-growth.svg)`);
  });

  for (const { name, sizes } of subjects) {
    test(`of ${name} is measured from few to many`, () => {
      expect(sizes).toEqual(sizes.toSorted((one, other) => one - other));
    });
  }
});
