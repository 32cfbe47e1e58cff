import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runScenarios } from "../../torture/runScenarios.ts";
import type { Scenario, ScenarioContext } from "../../torture/scenario.ts";

const root = mkdtempSync(join(tmpdir(), "petstore-perform-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const scenario = (name: string, run: (context: ScenarioContext) => Promise<void>): Scenario => ({
  name,
  about: "",
  run,
});
const fine = (name: string) => scenario(name, async () => {});

function runScenario(scenarios: readonly Scenario[], overtimeMsMax: number) {
  const options = { seed: 1, seconds: 0, root, onOutcome: () => {} };
  return runScenarios(scenarios, { ...options, overtimeMsMax });
}

test("a scenario that does not end is a violation, and none is begun beside it", async () => {
  const endless = scenario("endless", () => new Promise(() => {}));
  const outcomes = await runScenario([fine("before"), endless, fine("after")], 20);
  expect(outcomes.map(({ name, goesOn }) => [name, goesOn])).toEqual([
    ["before", false],
    ["endless", true],
  ]);
  expect(outcomes[1]?.tally.violations).toEqual([
    expect.stringContaining("endless does not end within 20 ms."),
  ]);
});

test("one that throws is a violation, keeps its folder, and the next has its turn", async () => {
  const throwing = scenario("throwing", async () => {
    throw new Error("No service.");
  });
  const outcomes = await runScenario([throwing, fine("after")], 60_000);
  expect(
    outcomes.map(({ name, goesOn, tally }) => [name, goesOn, tally.violations.length]),
  ).toEqual([
    ["throwing", false, 1],
    ["after", false, 0],
  ]);
  expect(existsSync(join(root, "throwing"))).toBe(true);
  expect(existsSync(join(root, "after"))).toBe(false);
});
