import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { idsFilterMax } from "../../src/petstore/catalogue/catalogue.ts";
import {
  listCategoriesAfter,
  listFirstCategories,
} from "../../src/storage/repositories/categories.ts";
import {
  hasStatus,
  listAllOrders,
  listOrdersByPet,
  listOrdersByStatus,
  listPets,
  listPetsByStatus,
  listPetsWithIds,
  petsOfStatus,
  petsWithTerms,
} from "../../src/storage/sqlite/catalogue.ts";
import { countStep } from "../../src/storage/sqlite/counting.ts";
import { listByTerms } from "../../src/storage/sqlite/petTerms.ts";
import {
  findOpenOrder,
  findResponse,
  pruneExpired,
} from "../../src/storage/sqlite/petTransaction.ts";
import { rounds } from "../../testkit/rounds.ts";
import { useTemporaryFolder } from "./folder.ts";
import { keyNamed } from "./keys.suite.ts";
import { rejectionOf } from "./rejection.ts";

const folder = useTemporaryFolder();
const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;

/** Changes a database behind the back of the program. */
function tamper(path: string, statements: string): void {
  const db = new DatabaseSync(path);
  db.exec(statements);
  db.close();
}

describe("opening", () => {
  test("missing folders are made, and only their owner can look into them", async () => {
    const stores = await folder.open({}, "a/b/petstore.db");
    await stores.catalogue.add(bella);
    expect(statSync(folder.path("a")).mode & 0o777).toBe(0o700);
    expect(statSync(folder.path("a/b")).mode & 0o777).toBe(0o700);
    for (const name of ["petstore.db", "petstore.db-wal", "petstore.db-shm"]) {
      expect(statSync(folder.path(`a/b/${name}`)).mode & 0o777).toBe(0o600);
    }
  });

  test("everything is there after reopening", async () => {
    const before = await folder.open();
    await before.catalogue.add(bella);
    await before.keys.add(keyNamed("a"));
    await before.close();
    expect(existsSync(folder.path("petstore.db-wal"))).toBe(false);
    const { catalogue, keys } = await folder.open();
    expect(catalogue.get(1n)).toBe('{"id":1,"name":"Bella","categoryId":3,"status":"available"}');
    expect(keys.list()).toEqual([keyNamed("a")]);
  });

  test("a store is ready when a write has reached the disk, every time it is asked", async () => {
    const stores = await folder.open();
    const other = new DatabaseSync(folder.path("petstore.db"));
    const version = other.prepare("PRAGMA data_version");
    const seen = [version.get()?.["data_version"]];
    for (let count = 0; count < 3; count++) {
      await stores.ready();
      seen.push(version.get()?.["data_version"]);
    }
    other.close();
    expect(new Set(seen).size).toBe(4);
  });

  test("an open store is ready and knows its size", async () => {
    const stores = await folder.open();
    await stores.ready();
    const size = await stores.size();
    expect(size["database"]).toBeGreaterThan(0);
    expect(size["log"]).toBeGreaterThan(0);
  });

  test("a database of the other environment is refused, with what to do about it", async () => {
    await (await folder.open({ environment: "staging" })).close();
    const { message } = await rejectionOf(folder.open({ environment: "production" }));
    expect(message).toContain("holds the data of staging, and this is production");
    expect(message).toContain("PETSTORE_ENV=staging");
  });

  test("a database of a newer release is refused and left as it is", async () => {
    await (await folder.open()).close();
    const db = new DatabaseSync(folder.path("petstore.db"));
    const version = db.prepare("PRAGMA user_version").get()?.["user_version"];
    db.close();
    tamper(folder.path("petstore.db"), "PRAGMA user_version = 1000");
    const { message } = await rejectionOf(folder.open());
    expect(message).toContain("newer release");
    tamper(folder.path("petstore.db"), `PRAGMA user_version = ${version}`);
    await folder.open();
  });

  test("a database of another program is refused and left as it is", async () => {
    tamper(folder.path("petstore.db"), "CREATE TABLE theirs (x); PRAGMA user_version = 1;");
    expect((await rejectionOf(folder.open())).message).toContain("another program");
    tamper(folder.path("petstore.db"), "INSERT INTO theirs VALUES (1)");
  });

  test("a file that is no database is refused by name", async () => {
    writeFileSync(folder.path("petstore.db"), "Dear diary, ".repeat(1_000));
    const { message } = await rejectionOf(folder.open());
    expect(message).toContain(folder.path("petstore.db"));
    expect(message).toContain("not a database");
  });

  test("processes that start together on no database make one and share it", async () => {
    const processes = Array.from({ length: 6 }, () =>
      Bun.spawn([process.execPath, `${import.meta.dir}/addTen.ts`, folder.path("petstore.db")], {
        stdout: "pipe",
        stderr: "inherit",
      }),
    );
    const outputs = await Promise.all(processes.map(({ stdout }) => new Response(stdout).text()));
    const ids = outputs.flatMap((output) => output.trim().split("\n").map(BigInt));
    expect(ids.toSorted((a, b) => Number(a - b))).toEqual(
      Array.from({ length: 60 }, (_, index) => BigInt(index + 1)),
    );
  });

  test("threads that open a new database at the same instant all succeed", async () => {
    const barrier = new Int32Array(new SharedArrayBuffer(4));
    const threads = Array.from(
      { length: 8 },
      () => new Worker(new URL("./openTogether.ts", import.meta.url), { workerData: barrier }),
    );
    // Many rounds, because what can go wrong is over within microseconds.
    for (let round = 1; round <= rounds(15, 60); round++) {
      const path = folder.path(`${round}.db`);
      const outcomes = threads.map(async (thread) => {
        const outcome = once(thread, "message");
        thread.postMessage({ path, arrivals: round * threads.length });
        return (await outcome)[0];
      });
      expect(await Promise.all(outcomes)).toEqual(threads.map(() => "opened"));
    }
    await Promise.all(threads.map((thread) => thread.terminate()));
  });

  test("what another process has changed is seen by the next read", async () => {
    const { catalogue, keys } = await folder.open();
    await keys.add(keyNamed("a"));
    const revision = keys.revision();
    const other = await folder.open();
    await other.keys.revoke("key_a", 5);
    expect(keys.revision()).not.toBe(revision);
    expect((await keys.findByHash("hash of a"))?.revokedAtMs).toBe(5);

    const before = keys.revision();
    const adding = Bun.spawn([
      process.execPath,
      `${import.meta.dir}/addTen.ts`,
      folder.path("petstore.db"),
    ]);
    expect(await adding.exited).toBe(0);
    expect((await catalogue.list({ limit: 100 })).pets).toHaveLength(10);
    expect(keys.revision()).toBe(before);
  });
});

describe("query plans", () => {
  /** What the query does, step by step. Nothing of it may scan or sort, unless it says so. */
  const plans: Readonly<Record<string, [query: string, steps: RegExp[]]>> = {
    "a key is found through its hash": [
      "SELECT * FROM keys WHERE hash = ?",
      [/^SEARCH keys USING INDEX .* \(hash=\?\)$/],
    ],
    "a list of pets seeks": [listPets, [/^SEARCH pets USING INTEGER PRIMARY KEY \(rowid>\?\)$/]],
    "a list of pets by status seeks": [
      listPetsByStatus,
      [/^SEARCH pets USING INDEX pets_by_status \(status=\? AND rowid>\?\)$/],
    ],
    ...Object.fromEntries(
      [1, 2, 10, idsFilterMax].map((count) => [
        `a list of pets with ${count} ids seeks each`,
        [listPetsWithIds(count), [/^SEARCH pets USING INTEGER PRIMARY KEY \(rowid=\?\)$/]],
      ]),
    ),
    "pets with words and categories are read from the index of terms, then one by one": [
      listByTerms,
      [
        /^SCAN pet_terms VIRTUAL TABLE INDEX \d+:.*M1/,
        /^SEARCH pets USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
      ],
    ],
    "pets of a status are counted in its index": [
      countStep(petsOfStatus),
      [
        /^CO-ROUTINE seen$/,
        /^SEARCH pets USING COVERING INDEX pets_by_status \(status=\? AND rowid>\?\)$/,
        /^SCAN seen$/,
      ],
    ],
    "pets with words of a status are counted in the index of terms": [
      countStep(petsWithTerms, hasStatus),
      [
        /^CO-ROUTINE seen$/,
        /^SCAN pet_terms VIRTUAL TABLE INDEX \d+:.*M1/,
        /^SCAN seen$/,
        /^CORRELATED SCALAR SUBQUERY/,
        /^SEARCH pets USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
      ],
    ],
    "orders of a pet are found by their pet": [
      listOrdersByPet,
      [/^SEARCH orders USING INDEX \S+ \(pet_id=\?/],
    ],
    "a list of orders seeks": [
      listAllOrders,
      [/^SEARCH orders USING INTEGER PRIMARY KEY \(rowid>\?\)$/],
    ],
    "a list of orders by status seeks": [
      listOrdersByStatus,
      [/^SEARCH orders USING INDEX orders_by_status \(status=\? AND rowid>\?\)$/],
    ],
    "the open order of a pet is found through the pet": [
      findOpenOrder,
      [/^SEARCH orders USING (?:COVERING )?INDEX orders_open \(pet_id=\?\)$/],
    ],
    "a list of categories starts at the first and stops at its limit": [
      listFirstCategories,
      [/^SCAN categories$/],
    ],
    "a further list of categories seeks": [
      listCategoriesAfter,
      [/^SEARCH categories USING INTEGER PRIMARY KEY \(rowid>\?\)$/],
    ],
    "an idempotency key is found by its API key and text": [
      findResponse,
      [
        /^SEARCH idempotency_keys USING INDEX sqlite_autoindex_\S+ \(key_id=\? AND idempotency_key=\?\)$/,
      ],
    ],
    "expired idempotency keys are found by their age": [
      pruneExpired,
      [
        /^SEARCH idempotency_keys USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
        /^LIST SUBQUERY/,
        /^SEARCH idempotency_keys USING COVERING INDEX idempotency_keys_by_age \(created_at_ms<\?\)$/,
      ],
    ],
  };
  for (const [what, [query, expected]] of Object.entries(plans)) {
    test(what, async () => {
      await folder.open();
      const db = new DatabaseSync(folder.path("petstore.db"));
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${query}`).all();
      db.close();
      expect(steps.map(({ detail }) => detail)).toEqual(
        expected.map((step) => expect.stringMatching(step)),
      );
    });
  }
});
