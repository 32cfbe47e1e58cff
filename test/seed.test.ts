import { expect, test } from "bun:test";
import fc from "../testkit/fastCheck.ts";
import { readSeed, testSeed } from "../testkit/seed.ts";

test("the seed of random runs is the same in every run, unless another is asked for", () => {
  expect(readSeed(undefined)).toBe(readSeed(undefined));
  expect(readSeed("42")).toBe(42);
  const drawn = new Set(Array.from({ length: 20 }, () => readSeed("random")));
  expect(drawn.size).toBeGreaterThan(1);
  for (const seed of drawn) expect(readSeed(`${seed}`)).toBe(seed);
  for (const given of ["", "x", "1.5", "-1", `${2 ** 31}`]) {
    expect(() => readSeed(given)).toThrow("PETSTORE_TEST_SEED");
  }
});

test("fast-check draws from it", () => {
  expect(fc.readConfigureGlobal().seed).toBe(testSeed);
});
