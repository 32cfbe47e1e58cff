import { expect, test } from "bun:test";
import { growthOf } from "../../torture/hostile/memory.ts";

test("a process that warms up and then stays does not grow", () => {
  expect(growthOf([100, 120, 150, 170, 190, 200, 198, 202, 185, 199, 201, 186])).toBeLessThan(5);
});

test("a process that loses something with every round does, whatever else comes and goes", () => {
  const levels = Array.from({ length: 12 }, (_, round) => 100 + round * 20 + (round % 3) * 5);
  expect(growthOf(levels)).toBeGreaterThan(60);
});

test("of few rounds the first and the last are compared", () => {
  expect(growthOf([100, 130])).toBe(30);
  expect(growthOf([100])).toBe(0);
});
