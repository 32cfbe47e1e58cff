import { describe, expect, test } from "bun:test";
import { median, medianRatio, rotated } from "../../bench/figures.ts";

describe("the median", () => {
  test("is the middle one, in whatever order they come", () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  test("of an even number lies between the two in the middle", () => {
    expect(median([4, 1, 100, 2])).toBe(3);
  });

  test("compares as numbers, not as texts", () => {
    expect(median([10, 9, 100])).toBe(10);
  });

  test("of nothing is no number", () => {
    expect(median([])).toBeNaN();
  });
});

describe("a ratio over rounds", () => {
  test("is taken within each round, so that a slow round weighs on both alike", () => {
    const mine = new Map([
      [1, 50],
      [2, 8],
      [3, 300],
    ]);
    const theirs = new Map([
      [1, 100],
      [2, 10],
      [3, 200],
    ]);
    expect(medianRatio(mine, theirs)).toBeCloseTo(0.8);
  });

  test("leaves out rounds that one of them missed", () => {
    const mine = new Map([
      [1, 50],
      [2, 1],
    ]);
    expect(medianRatio(mine, new Map([[1, 100]]))).toBe(0.5);
  });

  test("is no number without a round in common", () => {
    expect(medianRatio(new Map([[1, 1]]), new Map([[2, 1]]))).toBeNaN();
  });
});

test("over as many rounds as there are contestants, each goes first once", () => {
  const everyone = ["a", "b", "c"];
  const first = [0, 1, 2].map((round) => rotated(everyone, round)[0]);
  expect(first.toSorted()).toEqual(everyone);
  expect(rotated(everyone, 4).toSorted()).toEqual(everyone);
});
