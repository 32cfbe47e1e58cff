/** How both engines find events and deliveries: through an index, without reading what is not asked for. */
import { beforeAll, describe, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import {
  filterEvents,
  findOldest,
  listEvents,
  listOldest,
} from "../../src/storage/repositories/events.ts";
import { forPostgres, forSqlite } from "../../src/storage/repositories/storage.ts";
import {
  countPending,
  findDelivery,
  findDue,
  findFailed,
  findMany,
  findOld,
  listAny,
  listDeliveries,
  moveDue,
  removeDeliveries,
  replay,
  settleDelivery,
} from "../../src/storage/repositories/webhooks.ts";
import { useTemporaryFolder } from "./folder.ts";
import { usePlans } from "./postgresPlans.ts";

const many = 30_000;
const nowMs = 1_000_000;
/** Of each endpoint, one of 30 waits for a retry and one of 300 has failed. */
const stateOf =
  "CASE WHEN n % 300 = 1 THEN 'failed' WHEN n % 30 = 0 THEN 'pending' ELSE 'delivered' END";
const fill = `
  INSERT INTO events (id, type, resource, at_ms, data) SELECT n, 'pet.created', 'pets/' || n, n, '{}'
    FROM generate_series(1, ${many}) AS n;
  INSERT INTO webhook_deliveries (endpoint_id, event_id, type, body, state, tries, attempts,
      created_at_ms, due_at_ms)
    SELECT 'whe_' || e, n, 'pet.created', '{"id":' || n || '}', ${stateOf}, 1, '[]', n, ${nowMs} + n
    FROM generate_series(1, 3) AS e CROSS JOIN generate_series(1, ${many}) AS n`;

const one = "whe_2";
const settled = [one, 7, "pet.created", "", "delivered", 1, "[]", 1, 0, null];
/** What it asks for, through which index, and how many rows of one step it may touch. */
const questions: readonly (readonly [string, string, readonly unknown[], string, number])[] = [
  ["a page of events", listEvents, [100, many, 250], "events_pkey", 250],
  [
    "a page of events of a type that none has",
    filterEvents,
    [100, 10_100, 250, "{pet.deleted}", false, null],
    "events_pkey",
    10_000,
  ],
  ["the oldest event", findOldest, [], "events_pkey", 1],
  ["the oldest events", listOldest, [1_000], "events_pkey", 1_000],
  ["events to remove", "DELETE FROM events WHERE id <= ?1", [1_000], "events_pkey", 1_000],
  ["a delivery", findDelivery, [one, 7], "webhook_deliveries_pkey", 1],
  [
    "the last deliveries",
    listDeliveries(undefined),
    [one, many, 50, null],
    "webhook_deliveries_pkey",
    50,
  ],
  [
    "the last that failed",
    listDeliveries("failed"),
    [one, many, 50, null],
    "webhook_deliveries_failed",
    50,
  ],
  ["what failed", findFailed, [one, 1_000], "webhook_deliveries_failed", 100],
  ["nothing that is due", findDue, [one, -1, nowMs, 250], "webhook_deliveries_due", 0],
  ["what is due", findDue, [one, -1, nowMs + many, 250], "webhook_deliveries_due", 250],
  ["how many are pending", countPending, [one], "webhook_deliveries_due", 1_000],
  ["retries to move", moveDue, [one, 1], "webhook_deliveries_due", 1_000],
  ["deliveries to replay", replay, [one, 1, "{7,8}"], "webhook_deliveries_pkey", 2],
  ["a result", settleDelivery, settled, "webhook_deliveries_pkey", 1],
  ["old deliveries", findOld, [one, 0, 1_000], "webhook_deliveries_pkey", 1_000],
  ["deliveries of a removed endpoint", listAny, [one, 1_000], "webhook_deliveries_pkey", 1_000],
  // Those that are kept are counted.
  ["too many deliveries", findMany, [one, 1_000], "webhook_deliveries_pkey", 11_000],
  ["deliveries to remove", removeDeliveries, [one, "{7,8}"], "webhook_deliveries_pkey", 2],
];

describe("what PostgreSQL does for events and webhooks", () => {
  const { analyse, explain } = usePlans(fill);
  beforeAll(analyse);

  for (const [what, text, values, index, rowsMax] of questions) {
    test(`${what}: it seeks in ${index}, and touches no more than it must`, async () => {
      const steps = await explain(forPostgres(text), values);
      const used = steps.flatMap((step) => [
        ...(step["Conflict Arbiter Indexes"] ?? []),
        ...(step["Index Name"] === undefined ? [] : [step["Index Name"]]),
      ]);
      expect(used).toContain(index);
      expect(steps.map((step) => step["Node Type"])).not.toContain("Seq Scan");
      for (const step of steps.filter((each) => each["Index Name"] !== undefined)) {
        const touched = step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0);
        expect(touched).toBeLessThanOrEqual(rowsMax);
      }
    });
  }
});

describe("what SQLite does for events and webhooks", () => {
  const folder = useTemporaryFolder();
  /** A key of a table has no name of ours there. */
  const named: Readonly<Record<string, string>> = {
    events_pkey: "INTEGER PRIMARY KEY",
    webhook_deliveries_pkey: "sqlite_autoindex_webhook_deliveries_1",
  };

  test("each statement seeks in an index, and sorts nothing", async () => {
    await folder.open();
    const db = new DatabaseSync(folder.path("petstore.db"));
    for (const [what, text, , index] of questions) {
      if (text === settleDelivery) continue;
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${forSqlite(text)}`).all();
      const steps = plan.map(({ detail }) => String(detail));
      const searches = steps.filter((step) => /^(?:SEARCH|SCAN events USING)/.test(step));
      // The first of all by its key needs no place to begin at.
      const isFirst = text === findOldest || text === listOldest;
      if (!isFirst)
        expect([what, searches.join()]).toEqual([
          what,
          expect.stringContaining(named[index] ?? index),
        ]);
      const scans = steps.filter((step) => /^SCAN (?!json_each|oldest|\(subquery)/.test(step));
      expect([what, scans]).toEqual([what, isFirst ? ["SCAN events"] : []]);
      expect([what, steps.filter((step) => /TEMP B-TREE/.test(step))]).toEqual([what, []]);
    }
    db.close();
  });
});
