import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import pg from "pg";
import { listPetsOfByStatus, petPages } from "../../src/postgres/catalogue.ts";
import { listCategoriesAfter, listFirstCategories } from "../../src/postgres/categories.ts";
import { forgetExpired } from "../../src/postgres/forgetting.ts";
import { findKeys } from "../../src/postgres/keys.ts";
import { orderPages } from "../../src/postgres/orders.ts";
import { findPets } from "../../src/postgres/petReads.ts";
import { findMarks } from "../../src/postgres/reading.ts";
import { openPostgres } from "../../src/postgres/store.ts";
import { type PostgresServer, startPostgres } from "../postgres/server.ts";

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Plan[];
}

const rows = 200_000;
/** All pets that are sold have smaller ids than any that is available: nothing is spread evenly. */
const fill = `
  ALTER TABLE pets SET (autovacuum_enabled = off);
  INSERT INTO pets SELECT id, 'x', 1, CASE WHEN id <= ${rows / 2} THEN 'sold' ELSE 'available' END,
    '{"id":' || id || '}' FROM generate_series(1, ${rows}) AS id;
  INSERT INTO orders SELECT id, id, 1, CASE WHEN id <= 40000 THEN 'delivered' ELSE 'placed' END, 1,
    '{}' FROM generate_series(1, 50000) AS id;
  INSERT INTO once_marks SELECT 'k', id::text, 'f', id, '{}', id FROM generate_series(1, 50000) AS id;
  INSERT INTO pet_changes SELECT id, id - 1, ARRAY[id] FROM generate_series(1, 20000) AS id;
  INSERT INTO categories SELECT id, id::text FROM generate_series(1, 20000) AS id;
  INSERT INTO keys SELECT id, id::text, 'n', 'production', 'h' || id, 'h', '"all"', 1
    FROM generate_series(1, 5000) AS id`;

let server: PostgresServer;
let client: pg.Client;
beforeAll(async () => {
  server = await startPostgres();
  const address = await server.database("plans");
  const settings = { address, connectionsMax: 1, namedStatements: false };
  await (await openPostgres(settings, { environment: "production" })).close();
  client = new pg.Client(address);
  await client.connect();
  await client.query(fill);
});
afterAll(async () => {
  await client?.end();
  await server?.remove();
});

function stepsOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(stepsOf)];
}

async function explain(text: string, values: readonly unknown[]): Promise<Plan[]> {
  await client.query("BEGIN");
  const { rows } = await client.query(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    values as unknown[],
  );
  await client.query("ROLLBACK");
  return stepsOf(rows[0]["QUERY PLAN"][0].Plan);
}

const ids = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => index * 7 + 1).join(",")}}`;

/** What it asks for, through which index, and how many rows it may touch to find what it finds. */
const questions: readonly (readonly [string, string, readonly unknown[], string, number])[] = [
  ["the first pets", petPages.ofAll, ["{0}", 21], "pets_pkey", 21],
  ["pets far on", petPages.ofAll, [`{${rows - 1_000}}`, 21], "pets_pkey", 21],
  ["a hundred pages of pets", petPages.ofAll, [ids(100), 21], "pets_pkey", 21],
  ["the first of a status", petPages.ofStatus, ["{0}", 21, ["sold"]], "pets_by_status", 21],
  [
    "those of a status behind all others",
    petPages.ofStatus,
    ["{0}", 21, ["available"]],
    "pets_by_status",
    21,
  ],
  [
    "those of a status far on",
    petPages.ofStatus,
    [`{${rows - 50}}`, 21, ["available"]],
    "pets_by_status",
    21,
  ],
  [
    "those of a status that none has",
    petPages.ofStatus,
    ["{0}", 21, ["pending"]],
    "pets_by_status",
    0,
  ],
  [
    "behind the last of a status",
    petPages.ofStatus,
    [`{${rows / 2}}`, 21, ["sold"]],
    "pets_by_status",
    0,
  ],
  [
    "pages of several statuses",
    petPages.ofStatus,
    [`{0,0,${rows - 50}}`, 21, ["sold", "available", "available"]],
    "pets_by_status",
    21,
  ],
  ["one pet", findPets, [ids(1), 20_000], "pets_pkey", 1],
  ["200 pets", findPets, [ids(200), 20_000], "pets_pkey", 200],
  [
    "a list of 100 ids of a status",
    listPetsOfByStatus,
    [ids(100), 0, 21, "available"],
    "pets_pkey or pets_by_status",
    100,
  ],
  ["the first orders", orderPages.ofAll, ["{0}", 21], "orders_pkey", 21],
  [
    "orders of a status behind all others",
    orderPages.ofStatus,
    ["{0}", 21, ["placed"]],
    "orders_by_status",
    21,
  ],
  [
    "orders of a status that none has",
    orderPages.ofStatus,
    ["{0}", 21, ["approved"]],
    "orders_by_status",
    0,
  ],
  ["the first categories", listFirstCategories, [21], "categories_pkey", 21],
  ["further categories", listCategoriesAfter, [10_000, 21], "categories_pkey", 21],
  ["a key", findKeys, [["h77"]], "keys_hash_key", 1],
  [
    "marks",
    findMarks,
    [
      ["k", "k"],
      ["5", "7"],
    ],
    "once_marks_pkey",
    2,
  ],
  ["expired marks", forgetExpired, [30_000, 4], "once_marks_by_age", 4],
];

for (const known of ["before its tables were analysed", "after that"]) {
  describe(`what PostgreSQL does ${known}`, () => {
    beforeAll(async () => {
      if (known === "after that") await client.query("VACUUM ANALYZE");
    });

    for (const [what, text, values, index, rowsMax] of questions) {
      test(`${what}: it seeks in ${index}, and touches no more than it finds`, async () => {
        const steps = await explain(text, values);
        const used = steps.flatMap((step) => step["Index Name"] ?? []);
        expect(used.filter((name) => index.split(" or ").includes(name))).not.toEqual([]);
        // Which has a row for each of a few names.
        const others = steps.filter((step) => step["Relation Name"] !== "counters");
        expect(others.map((step) => step["Node Type"])).not.toContain("Seq Scan");
        for (const step of steps.filter((each) => each["Node Type"].includes("Index"))) {
          const touched = step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0);
          expect(touched).toBeLessThanOrEqual(rowsMax);
        }
        const isList = / ORDER BY /.test(text) && !text.includes("ANY") && text !== forgetExpired;
        // What makes a page one text may put its few rows in order, and nothing else.
        for (const step of isList ? steps.filter((each) => each["Node Type"] === "Sort") : []) {
          expect(step["Actual Rows"]).toBeLessThanOrEqual(rowsMax);
        }
      });
    }
  });
}
