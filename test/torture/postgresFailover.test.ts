/** One round of the scenario. `npm run cluster` is the same with Patroni, which promotes. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { postgresFailover } from "../../torture/scenarios/postgresFailover.ts";
import { Tally } from "../../torture/tally.ts";

/** With it, a standby is left behind. */
const seed = 3;

test("a primary that is killed under load loses nothing that was acknowledged, and the service goes on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-torture-"));
  const tally = new Tally();
  try {
    const random = new SeededRandom(seed);
    await postgresFailover.run({ random, tally, folder, seconds: 0, say: () => {} });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  expect(tally.violations).toEqual([]);
  expect(tally.faults).toEqual({ "standby left behind": 1, "primary killed": 1 });
  expect(tally.judged).toBeGreaterThan(100);
});
