/** What a soak test says of its samples: a leak is found, and noise is not taken for one. */
import { describe, expect, test } from "bun:test";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { drawChart } from "../../torture/soak/chart.ts";
import { readOptions, UsageError } from "../../torture/soak/options.ts";
import {
  keptByDesign,
  lastGeneration,
  passes,
  type ReportRow,
  type Run,
  reportOf,
  tableText,
} from "../../torture/soak/report.ts";
import type { Sample } from "../../torture/soak/sample.ts";
import { judgeGrowth, medians, quantile, slopeOf } from "../../torture/soak/slope.ts";

const line = (perHour: number, from: number, count = 40) =>
  Array.from({ length: count }, (_, at) => ({
    hours: at / count,
    value: from + (perHour * at) / count,
  }));

describe("the slope", () => {
  test("of a line is the line's, exactly", () => {
    const slope = slopeOf(line(6, 100));
    for (const value of [slope?.perHour, slope?.low, slope?.high]) expect(value).toBeCloseTo(6, 9);
  });

  test("is not moved by a tenth of wild outliers", () => {
    const points = line(6, 100).map((point, at) =>
      at % 10 === 5 ? { ...point, value: 100_000 } : point,
    );
    const slope = slopeOf(points);
    expect(slope?.perHour).toBeGreaterThan(5);
    expect(slope?.perHour).toBeLessThan(8);
  });

  test("of noise has an interval around zero, and that of noise on a line one around the line's", () => {
    const random = new SeededRandom(7);
    const noisy = (perHour: number) =>
      line(perHour, 100).map(({ hours, value }) => ({ hours, value: value + random.fraction() }));
    const [none, some] = [slopeOf(noisy(0)), slopeOf(noisy(3))];
    expect(none?.low).toBeLessThan(0);
    expect(none?.high).toBeGreaterThan(0);
    expect(some?.low).toBeGreaterThan(1.5);
    expect(some?.low).toBeLessThan(3);
    expect(some?.high).toBeGreaterThan(3);
  });

  test("is not given for a few points", () => {
    expect(slopeOf(line(6, 100, 4))).toBeUndefined();
    expect(judgeGrowth(line(6, 100, 4), 0.02).verdict).toBe("too short");
  });
});

test("what could not be measured is not flat", () => {
  expect(judgeGrowth(line(0, Number.NaN), 0.02).verdict).not.toBe("flat");
});

test("what gains more than its share per hour grows, and what gains less is flat", () => {
  expect(judgeGrowth(line(3, 100), 0.02).verdict).toBe("grows");
  expect(judgeGrowth(line(1, 100), 0.02).verdict).toBe("flat");
  expect(judgeGrowth(line(-30, 100), 0.02).verdict).toBe("flat");
  expect(judgeGrowth(line(3, 100), 0.02, 2).verdict).toBe("flat");
});

test("parts of the time are summed up by their medians", () => {
  expect(medians(line(40, 0), 4).map(({ value }) => value)).toEqual([4.5, 14.5, 24.5, 34.5]);
  expect(medians([], 4)).toEqual([]);
  expect([0, 0.5, 0.99, 1].map((share) => quantile([1, 2, 3], share))).toEqual([1, 2, 2.98, 3]);
});

interface Planted {
  readonly leakBytesPerHour?: number;
  readonly filesPerHour?: number;
  readonly rows?: (hours: number) => Record<string, number>;
  readonly gained?: number;
  readonly slowerMsPerHour?: number;
}

/** An hour of samples of a service that is flat, but for what is planted. */
function runWith(planted: Planted): Run {
  const { leakBytesPerHour = 0, filesPerHour = 0, slowerMsPerHour = 0, gained = 0 } = planted;
  const samples = Array.from({ length: 720 }, (_, at): Sample => {
    const hours = at / 720;
    const one = { pssBytes: 5e7, sockets: 10, threads: 8 };
    const openFiles = 40 + Math.floor(filesPerHour * hours);
    const rssBytes = 9e7 + leakBytesPerHour * Math.max(0, hours - 0.5);
    const first = hours < 0.5 ? 10 : 20;
    const serving = [first, first + 1].map((pid) => ({ ...one, pid, openFiles, rssBytes }));
    return {
      seconds: at * 5,
      supervisor: { ...one, pid: 1, openFiles: 20, rssBytes: 2e7 },
      serving,
      disk: { database: 1e7, wal: 4e6, folder: 2e7 },
      rows: planted.rows?.(hours) ?? {},
      tookMs: { "list pets": [2 + slowerMsPerHour * hours, 3 + slowerMsPerHour * hours, 2] },
      ...{ violations: 0, reloads: hours < 0.5 ? 0 : 1, renewals: at },
    };
  });
  return {
    ...{ startedAt: "2026-11-16T12:00:00.000Z", hours: 1, rate: 25, seed: 1, machine: "test" },
    ...{ samples, judged: 1, violations: [] },
    tablesBefore: { pets: 1e6, events: 1e6 },
    tablesAfter: { pets: 1e6 + gained, events: 9e6 },
  };
}

const failing = (planted: Planted) =>
  reportOf(runWith(planted))
    .filter((row) => !passes(row))
    .map(({ what }) => what);

describe("a report", () => {
  test("passes a service that is flat", () => {
    expect(failing({})).toEqual([]);
  });

  const leaks: [string, Planted, string[]][] = [
    ["memory", { leakBytesPerHour: 1e7 }, ["memory of the serving processes"]],
    ["open files", { filesPerHour: 30 }, ["open files of the serving processes"]],
    ["rows", { rows: (hours) => ({ sessions: 100 * hours }) }, ["rows of sessions"]],
    ["disk", { gained: 2e6 }, ["database, without what it keeps"]],
    ["latency", { slowerMsPerHour: 3 }, ["p50 of list pets", "p99 of list pets"]],
  ];
  for (const [what, planted, found] of leaks) {
    test(`finds a leak of ${what}`, () => {
      expect(failing(planted)).toEqual(found);
    });
  }

  test("shows what grows by design, and why", () => {
    const rows = reportOf(runWith({ rows: (hours) => ({ events: 9_000 * hours }) }));
    const events = rows.find(({ what }) => what === "rows of events") as ReportRow;
    expect(events.verdict).toBe("by design");
    expect(events.judged.slope?.perHour).toBeCloseTo(9_000, -2);
    expect(events.note).toBe(`${keptByDesign["events"]}; +8.00 MB for 8,088 rows`);
    expect(tableText(rows)).toContain("+8.00 MB for");
  });

  test("judges the memory of the last processes alone, once they are warm", () => {
    const { samples } = runWith({});
    const last = lastGeneration(samples, 3_600);
    expect(last[0]?.serving.map(({ pid }) => pid)).toEqual([20, 21]);
    expect(last[0]?.seconds).toBe(2_400);
  });
});

test("the chart is drawn with everything in words as well", () => {
  const svg = drawChart(runWith({ slowerMsPerHour: 3 }));
  expect(svg.match(/<polyline/g)?.length).toBe(15);
  expect(svg).toContain("database from 10.00 to 10.00");
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
});

test("the command line says what is wrong with it", () => {
  expect(readOptions(["--hours", "1", "--seed", "7"])).toMatchObject({ hours: 1, rate: 25 });
  for (const args of [[], ["--hours", "0"], ["--hours", "1", "--from", "x"], ["--speed", "3"]]) {
    expect(() => readOptions(args)).toThrow(UsageError);
  }
});
