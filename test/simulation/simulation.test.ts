/**
 * Thousands of names through days of mistakes, outages and dying workers. Any failure names its
 * seed; `PETSTORE_TEST_SEED=N npm test -- test/simulation` goes through the same again.
 */
import { expect, test } from "bun:test";
import { memoryStores } from "../../testkit/memoryStores.ts";
import { rounds } from "../../testkit/rounds.ts";
import { testSeed as seed } from "../../testkit/seed.ts";
import { useTemporaryFolder } from "../store/folder.ts";
import { type SimulationReport, simulate } from "./simulation.ts";
import { worsenings } from "./worsenings.ts";

const folder = useTemporaryFolder();

/** What a failure shows: the seed, and what was broken. */
const broken = ({ seed, violations }: SimulationReport) =>
  violations.map(({ atMs, rule, detail }) => `seed ${seed}, ${atMs} ms: ${rule}: ${detail}`);

function expectMuchToHaveHappened({ counts }: SimulationReport, least: Record<string, number>) {
  const missed = Object.entries(least).filter(([what, times]) => (counts.get(what) ?? 0) < times);
  expect(missed).toEqual([]);
}

const manyNames = 2_000;
const names = rounds(200, manyNames);

test(`${names} names go well through 48 hours of faults`, async () => {
  const report = await simulate({ seed, domains: names, hours: 48, stores: memoryStores() });
  expect(broken(report)).toEqual([]);
  const leastOfMany = {
    "check: right": 10_000,
    "check: wrong": 10_000,
    "check: unknown": 1_000,
    certificates: 1_200,
    "certificates renewed": 10,
    "change: fenced": 3,
    "orders resumed": 20,
    "status: prepared": 50,
    "names proven": 40,
    "certificates below a wildcard": 5,
    "end: healthy": 1_000,
    "fault: worker killed": 100,
    "status: degraded": 20,
  };
  const least = Object.entries(leastOfMany).map(
    ([what, times]) => [what, Math.ceil((times * names) / manyNames)] as const,
  );
  expectMuchToHaveHappened(report, Object.fromEntries(least));
});

test("a few names go well through 35 days, with renewals, names given up and tombstones", async () => {
  const report = await simulate({
    seed,
    domains: rounds(50, 80),
    family: 18,
    hours: 35 * 24,
    stores: memoryStores(),
  });
  expect(broken(report)).toEqual([]);
  expectMuchToHaveHappened(report, {
    "certificates renewed": 40,
    "status: abandoned": 1,
    "end: forgotten": 1,
  });
});

test("names go well from another seed, too", async () => {
  const report = await simulate({
    seed: seed + 1,
    domains: rounds(100, 250),
    hours: 30,
    stores: memoryStores(),
  });
  expect(broken(report)).toEqual([]);
});

test("after a day without the authority, all that waited for it goes on within minutes", async () => {
  const report = await simulate({
    seed,
    domains: rounds(100, 200),
    // Until those that live for six days are about to be renewed.
    hours: 60,
    outageHours: 24,
    stores: memoryStores(),
  });
  expect(broken(report)).toEqual([]);
  expectMuchToHaveHappened(report, { "waited for the authority": 1 });
});

test("the same seed takes the same course, and another one another", async () => {
  const small = { domains: 30, hours: 12 };
  const [first, again, other] = [
    await simulate({ seed, ...small, stores: memoryStores() }),
    await simulate({ seed, ...small, stores: memoryStores() }),
    await simulate({ seed: seed + 1, ...small, stores: memoryStores() }),
  ];
  expect(again.traceHash).toBe(first.traceHash);
  expect(again.counts).toEqual(first.counts);
  expect(other.traceHash).not.toBe(first.traceHash);
});

test("names go well on SQLite too", async () => {
  const stores = await folder.open();
  const report = await simulate({ seed, domains: 25, hours: 5, stores });
  expect(broken(report)).toEqual([]);
});

for (const [what, { worsen, breaks }] of Object.entries(worsenings)) {
  test(`${what} would be noticed`, async () => {
    const stores = memoryStores();
    const small = { seed: 11, domains: 400, hours: 24, untilBroken: breaks };
    const { violations } = await simulate({ ...small, stores, worsen });
    expect(violations.map(({ rule }) => rule)).toContain(breaks);
  });
}
