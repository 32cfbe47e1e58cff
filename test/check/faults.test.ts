/** Whether the checks can tell a good service from a bad one. */
import { describe, expect, test } from "bun:test";
import type { Part } from "../../src/check/check.ts";
import { checks } from "../../src/check/checks.ts";
import { type RunReport, runChecks } from "../../src/check/runChecks.ts";
import { systemClock } from "../../src/core/clock.ts";
import { rounds } from "../../testkit/rounds.ts";
import { faults } from "./faults.ts";
import { startReference } from "./reference.ts";
import { type Fault, referenceKey } from "./referenceService.ts";

/**
 * One fault in so many is judged by all checks, and so is each that spoils much. The others are by
 * the parts they are about: what is wrong with an order is seldom found in the paging of events.
 */
const everyCheckEach = rounds(10, 1);

async function verdictOn(
  fault: Partial<Fault>,
  { connected = false, only }: { connected?: boolean; only?: readonly Part[] | undefined } = {},
): Promise<RunReport> {
  const { base, fetch, stop } = startReference(fault);
  const task = { base, key: referenceKey, clock: systemClock, only };
  try {
    // What a check finds does not depend on the connection, which takes most of the time.
    return await runChecks(connected ? task : { ...task, fetch });
  } finally {
    stop();
  }
}

const failedIn = ({ results }: RunReport): string[] =>
  results.filter(({ outcome }) => outcome.kind === "failed").map(({ check }) => check.id);

test("an implementation by other hands passes everything that can be asked of it today", async () => {
  const verdict = await verdictOn({}, { connected: true });
  expect(failedIn(verdict)).toEqual([]);
  const skipped = verdict.results.filter(({ outcome }) => outcome.kind === "skipped");
  expect(skipped.map(({ check }) => check.id)).toEqual(["get-removed-410"]);
});

const found = new Set<string>();

describe("a single fault is found by the checks that are about it", () => {
  for (const [index, fault] of faults.entries()) {
    test(fault.name, async () => {
      const concerned = checks.filter(({ id }) => fault.caughtBy.includes(id));
      const byAll = fault.andMore === true || index % everyCheckEach === 0;
      const only = byAll ? undefined : concerned.map(({ part }) => part);
      const failed = failedIn(await verdictOn(fault, { only }));
      for (const id of failed) found.add(id);
      expect(fault.caughtBy.length).toBeGreaterThan(0);
      if (fault.andMore) expect(failed).toEqual(expect.arrayContaining([...fault.caughtBy]));
      else expect(failed.toSorted()).toEqual(fault.caughtBy.toSorted());
    });
  }
});

test("every fault has a name of its own", () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
});

test("every check finds some fault, so that none passes whatever happens", () => {
  // The end of getPet needs another clock: see check.test.ts.
  const idle = checks.map(({ id }) => id).filter((id) => !found.has(id));
  expect(idle).toEqual(["get-removed-410"]);
});
