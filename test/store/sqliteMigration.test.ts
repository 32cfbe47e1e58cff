import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { systemClock } from "../../src/core/clock.ts";
import { backupSqlite, restoreSqlite } from "../../src/storage/sqlite/backup.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { useTemporaryFolder } from "./folder.ts";
import { doneOf } from "./outcomes.ts";
import { makeVersionOne, petsOfVersionOne } from "./versionOne.ts";

const folder = useTemporaryFolder();
const database = () => folder.path("petstore.db");
const nowMs = Date.UTC(2026, 10, 15, 12);
const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;
const idempotency = { keyId: "key_b", idempotencyKey: "m", fingerprint: "f", nowMs };

/** Everything that version 1 held is there, and nothing else. */
async function expectContents({ catalogue, categories, orders, keys }: Stores): Promise<void> {
  const limit = 100;
  expect((await catalogue.list({ limit })).pets).toEqual([...petsOfVersionOne]);
  expect((await catalogue.list({ status: "sold", limit })).pets).toEqual([
    petsOfVersionOne[1] as string,
  ]);
  const smallest = { categoryIds: [-(2n ** 63n)], limit };
  expect((await catalogue.list(smallest)).pets).toEqual([petsOfVersionOne[1] as string]);
  expect((await catalogue.list({ words: ["bel"], limit })).pets).toEqual([
    petsOfVersionOne[0] as string,
  ]);
  expect(await keys.list()).toMatchObject([
    { id: "key_b", scopes: "all", lastUsedAtMs: 6 },
    { id: "key_a", scopes: ["pets:read"], expiresAtMs: 99, replacedBy: "key_b" },
  ]);
  expect(await keys.listUses()).toEqual([
    { keyId: "key_b", operation: "getPet", day: "2026-11-15", count: 4, lastAtMs: 6 },
  ]);
  expect((await orders.list({ limit })).orders).toEqual([]);
  expect((await categories.list({ limit })).categories).toEqual([]);
}

/** Uses everything that version 1 did not have. */
async function expectToWork({ catalogue, categories, orders }: Stores): Promise<void> {
  const { id } = doneOf(await catalogue.add(bella, { idempotency }));
  expect(id).toBe(9007199254740995n);
  expect((await catalogue.add(bella, { idempotency })).kind).toBe("replayed");
  expect((await categories.add("Dogs")).kind).toBe("done");
  for (const petId of [1n, 9007199254740993n, id]) {
    const order = doneOf(await orders.place({ petId, quantity: 1 }, nowMs));
    doneOf(await orders.move(order.id, "approve"));
    doneOf(await orders.move(order.id, "deliver"));
    expect(await catalogue.get(petId)).toContain('"status":"sold"');
  }
}

/** Tables, columns and indexes by name, and the version. */
function shapeOf(path: string): unknown {
  const db = new DatabaseSync(path);
  const shape = db
    .prepare(
      `SELECT objects.type, objects.name, columns.name AS column, columns.type AS holds
       FROM sqlite_schema AS objects LEFT JOIN pragma_table_info(objects.name) AS columns
       ORDER BY 1, 2, columns.cid`,
    )
    .all();
  const counters = db.prepare("SELECT name FROM counters ORDER BY name").all();
  const version = db.prepare("PRAGMA user_version").get();
  db.close();
  return { shape, counters, version };
}

describe("a database of version 1", () => {
  test("is brought up to date with everything in it", async () => {
    makeVersionOne(database());
    const stores = await folder.open();
    await expectContents(stores);
    await expectToWork(stores);
  });

  test("then has the shape of a new one", async () => {
    makeVersionOne(database());
    await (await folder.open()).close();
    await (await folder.open({}, "new.db")).close();
    expect(shapeOf(database())).toEqual(shapeOf(folder.path("new.db")));
  });

  test("is brought up to date once when many open it at the same instant", async () => {
    const barrier = new Int32Array(new SharedArrayBuffer(4));
    const threads = Array.from(
      { length: 6 },
      () => new Worker(new URL("./openTogether.ts", import.meta.url), { workerData: barrier }),
    );
    for (let round = 1; round <= 20; round++) {
      const path = folder.path(`${round}.db`);
      makeVersionOne(path);
      const outcomes = threads.map(async (thread) => {
        const outcome = once(thread, "message");
        thread.postMessage({ path, arrivals: round * threads.length });
        return (await outcome)[0];
      });
      expect(await Promise.all(outcomes)).toEqual(threads.map(() => "opened"));
    }
    await Promise.all(threads.map((thread) => thread.terminate()));
    await expectContents(await folder.open({}, "1.db"));
  });

  test("in use by a program of its time goes on working for that program", async () => {
    makeVersionOne(database());
    const old = new DatabaseSync(database());
    const add = old.prepare("INSERT INTO pets VALUES (?, 'old', 1, 'available', '{}')");
    add.run(3);
    const { catalogue } = await folder.open();
    add.run(4);
    old.close();
    expect((await catalogue.list({ limit: 100 })).pets).toHaveLength(5);
  });

  test("can be backed up by this program and is left at its version", async () => {
    makeVersionOne(database());
    const backup = folder.path("backup.db");
    expect(await backupSqlite(database(), backup, systemClock)).toMatchObject({ pets: 3, keys: 2 });
    for (const path of [database(), backup]) {
      const db = new DatabaseSync(path);
      expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
      db.close();
    }
  });
});

describe("a backup of version 1", () => {
  const backup = () => folder.path("backup.db");
  const restore = () => restoreSqlite(database(), backup(), "production", systemClock);

  async function makeBackup(): Promise<void> {
    makeVersionOne(folder.path("old.db"));
    await backupSqlite(folder.path("old.db"), backup(), systemClock);
  }

  test("is restored into no database", async () => {
    await makeBackup();
    expect(await restore()).toMatchObject({ pets: 3, keys: 2 });
    const stores = await folder.open();
    await expectContents(stores);
    await expectToWork(stores);
  });

  test("takes the place of orders, categories and idempotency keys that are younger", async () => {
    await makeBackup();
    const stores = await folder.open();
    await stores.catalogue.import([{ ...bella, id: 1n }, bella, bella]);
    await stores.categories.add("Dogs");
    const { id } = doneOf(
      await stores.orders.place({ petId: 1n, quantity: 1 }, nowMs, idempotency),
    );
    await restore();
    await expectContents(stores);
    // The key stood for an order that is gone, so the order can be placed, under another id.
    const again = doneOf(await stores.orders.place({ petId: 1n, quantity: 1 }, nowMs, idempotency));
    expect(again.id).toBe(id + 1n);
  });

  test("is itself left as it was", async () => {
    await makeBackup();
    await restore();
    const db = new DatabaseSync(backup());
    expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
    db.close();
    expect(existsSync(`${backup()}-wal`)).toBe(false);
  });
});
