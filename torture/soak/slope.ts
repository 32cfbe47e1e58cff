/** Whether a series of measurements grows: its slope by Theil and Sen, and the interval it is known to. */

export interface Point {
  readonly hours: number;
  readonly value: number;
}

/** Per hour. */
export interface Slope {
  readonly perHour: number;
  /** The slope is between these with a confidence of 95 %. */
  readonly low: number;
  readonly high: number;
}

/** Two-sided, 95 %, of the normal distribution. */
const z = 1.96;
const pointsMin = 5;

/**
 * The median of the slopes between all pairs of points, which a few outliers do not move, and its
 * confidence interval by Kendall's variance (Sen 1968). Undefined where there are too few points.
 */
export function slopeOf(points: readonly Point[]): Slope | undefined {
  const slopes: number[] = [];
  points.forEach((one, at) => {
    for (const other of points.slice(at + 1)) {
      if (other.hours === one.hours) continue;
      slopes.push((other.value - one.value) / (other.hours - one.hours));
    }
  });
  if (points.length < pointsMin || slopes.length === 0) return undefined;
  slopes.sort((one, other) => one - other);
  const count = points.length;
  const spread = z * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const rank = (at: number) => slopes[Math.min(Math.max(Math.round(at), 0), slopes.length - 1)];
  const [low = 0, high = 0] = [
    rank((slopes.length - spread) / 2),
    rank((slopes.length + spread) / 2 - 1),
  ];
  return { perHour: quantile(slopes, 0.5), low, high };
}

/**
 * Medians of equal parts of the time: measurements that follow each other within seconds are not
 * independent, so that as many as there are would feign certainty.
 */
export function medians(points: readonly Point[], parts: number): Point[] {
  const first = points[0]?.hours ?? 0;
  const span = (points.at(-1)?.hours ?? 0) - first;
  if (span === 0) return [];
  const partOf = ({ hours }: Point) =>
    Math.min(Math.floor(((hours - first) / span) * parts), parts - 1);
  return [...Map.groupBy(points, partOf).values()].map((part) => ({
    hours: quantile(part.map(({ hours }) => hours).toSorted(ascending), 0.5),
    value: quantile(part.map(({ value }) => value).toSorted(ascending), 0.5),
  }));
}

export type Verdict = "flat" | "grows" | "too short";

export interface Judged {
  readonly level: number;
  readonly slope: Slope | undefined;
  readonly verdict: Verdict;
}

/**
 * It grows where even the low end of its slope is beyond the share of its level that it may gain per
 * hour, and what was not measured (NaN) is not flat.
 */
export function judgeGrowth(points: readonly Point[], shareMax: number, slack = 0): Judged {
  const level = quantile(points.map(({ value }) => value).toSorted(ascending), 0.5);
  const slope = slopeOf(points);
  if (slope === undefined) return { level, slope, verdict: "too short" };
  return { level, slope, verdict: slope.low <= level * shareMax + slack ? "flat" : "grows" };
}

const ascending = (one: number, other: number) => one - other;

/** Of numbers in ascending order. */
export function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const [below = 0, above = below] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (above - below) * (at - Math.floor(at));
}
