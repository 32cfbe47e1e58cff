import { beforeAll, describe, expect, test } from "bun:test";
import {
  findPets,
  listOrdersByPet,
  orderPages,
  petPages,
  petsOfCategories,
  petsWithWords,
  petsWithWordsNear,
} from "../../src/storage/postgres/catalogue.ts";
import { findOpenOrders, findResponses } from "../../src/storage/postgres/workingSet.ts";
import { pruneExpired } from "../../src/storage/postgres/writer.ts";
import {
  listCategoriesAfter,
  listFirstCategories,
} from "../../src/storage/repositories/categories.ts";
import { findKey } from "../../src/storage/repositories/keys.ts";
import { forPostgres } from "../../src/storage/repositories/storage.ts";
import { usePlans } from "./postgresPlans.ts";

const rows = 200_000;
/** All pets that are sold have smaller ids than any that is available: nothing is spread evenly. */
const fill = `
  ALTER TABLE pets SET (autovacuum_enabled = off);
  ALTER TABLE pet_words SET (autovacuum_enabled = off);
  INSERT INTO pets SELECT id, 'x', CASE WHEN id <= ${rows - 500} THEN 1 ELSE 2 END,
    CASE WHEN id <= ${rows / 2} THEN 'sold' ELSE 'available' END,
    '{"id":' || id || '}' FROM generate_series(1, ${rows}) AS id;
  INSERT INTO pet_words SELECT id,
    array_to_tsvector(ARRAY['x', CASE WHEN id <= ${rows - 700} THEN 'early' ELSE 'late' END])
    FROM generate_series(1, ${rows}) AS id;
  INSERT INTO orders SELECT id, id, 1, CASE WHEN id <= 40000 THEN 'delivered' ELSE 'placed' END, 1,
    '{}' FROM generate_series(1, 50000) AS id;
  INSERT INTO idempotency_keys SELECT 'k', id::text, 'f', id, '{}', id FROM generate_series(1, 50000) AS id;
  INSERT INTO pet_changes SELECT id, id - 1, ARRAY[id] FROM generate_series(1, 20000) AS id;
  INSERT INTO categories SELECT id, id::text FROM generate_series(1, 20000) AS id;
  INSERT INTO keys SELECT id, id::text, 'n', 'production', 'h' || id, 'h', '"all"', 1
    FROM generate_series(1, 5000) AS id`;

const { analyse, explain } = usePlans(fill);

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
  ["open orders of pets", findOpenOrders, [ids(100)], "orders_open", 100],
  [
    "pets of a category behind all others",
    petsOfCategories,
    ["{2}", ["available"], 0, 21],
    "pets_by_category",
    21,
  ],
  [
    "pets of several categories, of any status",
    petsOfCategories,
    [
      "{1,1,1,2,2,2,3}",
      ["available", "pending", "sold", "available", "pending", "sold", "sold"],
      0,
      21,
    ],
    "pets_by_category",
    21,
  ],
  [
    "pets of a category that none has",
    petsOfCategories,
    ["{3}", ["sold"], 0, 21],
    "pets_by_category",
    0,
  ],
  [
    "pets with a common word",
    petsWithWordsNear,
    ["sold", null, "'ear':*", 0, 21],
    "pet_words_pkey",
    2_000,
  ],
  [
    "pets with a word behind all others",
    petsWithWords,
    ["available", "{1,2}", "'lat':* & 'x':*", 0, 21],
    "pet_words_by_word",
    700,
  ],
  [
    "pets with a word that none has",
    petsWithWords,
    [null, null, "'none':*", 0, 21],
    "pet_words_by_word",
    0,
  ],
  ["orders of a pet", listOrdersByPet, [77, null, 0, 21], "orders_by_pet or orders_pet_id_key", 1],
  ["the first categories", forPostgres(listFirstCategories), [21], "categories_pkey", 21],
  ["further categories", forPostgres(listCategoriesAfter), [10_000, 21], "categories_pkey", 21],
  ["a key", forPostgres(findKey.text), [["h77"]], "keys_hash_key", 1],
  [
    "idempotency keys",
    findResponses,
    [
      ["k", "k"],
      ["5", "7"],
    ],
    "idempotency_keys_pkey",
    2,
  ],
  ["expired idempotency keys", pruneExpired, [30_000, 4], "idempotency_keys_by_age", 4],
];

for (const known of ["before its tables were analysed", "after that"]) {
  describe(`what PostgreSQL does ${known}`, () => {
    beforeAll(async () => {
      if (known === "after that") await analyse();
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
        const isList = / ORDER BY /.test(text) && !text.includes("ANY") && text !== pruneExpired;
        // What makes a page one text may put its few rows in order, and nothing else.
        for (const step of isList ? steps.filter((each) => each["Node Type"] === "Sort") : []) {
          expect(step["Actual Rows"]).toBeLessThanOrEqual(rowsMax);
        }
      });
    }
  });
}
