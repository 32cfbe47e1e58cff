import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/core/clock.ts";
import { idGivenMax } from "../../src/petstore/catalogue/catalogue.ts";
import type { IdempotentRequest } from "../../src/petstore/idempotency/idempotency.ts";
import { backupSqlite, restoreSqlite } from "../../src/storage/sqlite/backup.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { useTemporaryFolder } from "./folder.ts";
import { keyNamed } from "./keys.suite.ts";
import { doneOf } from "./outcomes.ts";
import { rejectionOf } from "./rejection.ts";

const folder = useTemporaryFolder();
const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;
const database = () => folder.path("petstore.db");
const backup = () => folder.path("backup.db");
const backUp = () => backupSqlite(database(), backup(), systemClock);
const restore = () => restoreSqlite(database(), backup(), "production", systemClock);

/** Everything that a client or an operator can see. */
async function contentsOf({ catalogue, categories, orders, keys }: Stores) {
  const limit = 10_000;
  return {
    ...(await catalogue.list({ limit })),
    ...(await orders.list({ limit })),
    ...(await categories.list({ limit })),
    keys: await keys.list(),
    uses: await keys.listUses(),
  };
}

const nowMs = Date.UTC(2026, 10, 15, 12);
const under = (idempotencyKey: string): IdempotentRequest => ({
  keyId: "key_a",
  idempotencyKey,
  fingerprint: idempotencyKey,
  nowMs,
});

async function storeWithContents(): Promise<Stores> {
  const stores = await folder.open();
  await stores.catalogue.import([
    { id: 1n, name: 'O\'Brien "🐕"', categoryId: -(2n ** 63n), status: "sold" },
    { id: 2n ** 53n + 1n, name: "far", categoryId: 2n ** 63n - 1n, status: "available" },
  ]);
  await stores.categories.add("Dogs", -(2n ** 63n));
  const order = { petId: 2n ** 53n + 1n, quantity: 2 };
  const { id } = doneOf(await stores.orders.place(order, nowMs, under("place")));
  doneOf(await stores.orders.move(id, "approve", under("approve")));
  await stores.keys.add(keyNamed("a"));
  await stores.keys.rotate("key_a", 99, keyNamed("b", { scopes: ["pets:read"] }));
  await stores.keys.recordUses([
    { keyId: "key_a", operation: "getPet", day: "2026-11-15", count: 4, lastAtMs: 7 },
  ]);
  return stores;
}

function leftovers(): string[] {
  return readdirSync(folder.path("")).filter((name) => name.includes("partial"));
}

describe("a backup", () => {
  test("holds everything, for its owner only, and can be opened as it is", async () => {
    const stores = await storeWithContents();
    const report = await backUp();
    expect(report).toEqual({ bytes: statSync(backup()).size, pets: 2, keys: 2 });
    expect(statSync(backup()).mode & 0o777).toBe(0o600);
    expect(leftovers()).toEqual([]);
    const copy = await folder.open({}, "backup.db");
    expect(await contentsOf(copy)).toEqual(await contentsOf(stores));
  });

  test("taken while pets are added holds each up to some instant and none after", async () => {
    const stores = await folder.open();
    let adding = true;
    const adders = Array.from({ length: 8 }, async () => {
      while (adding) await stores.catalogue.add(bella);
    });
    await stores.catalogue.import(Array(5_000).fill(bella));
    const running = Bun.spawn(
      [process.execPath, `${import.meta.dir}/backUp.ts`, database(), backup()],
      {
        stderr: "inherit",
      },
    );
    expect(await running.exited).toBe(0);
    adding = false;
    await Promise.all(adders);

    const copy = new DatabaseSync(backup());
    const row = copy
      .prepare(
        `SELECT count(*) AS pets, max(id) AS last,
           (SELECT value FROM counters WHERE name = 'last_pet_id') AS counter FROM pets`,
      )
      .get();
    copy.close();
    expect(row?.["pets"]).toBeGreaterThanOrEqual(5_000);
    expect(row?.["pets"]).toBe(row?.["last"] as number);
    expect(row?.["counter"]).toBe(row?.["last"] as number);
  });

  test("never overwrites a file", async () => {
    await storeWithContents();
    writeFileSync(backup(), "precious");
    const { message } = await rejectionOf(backUp());
    expect(message).toContain("overwrites nothing");
    expect(statSync(backup()).size).toBe("precious".length);
    expect(leftovers()).toEqual([]);
  });

  test("of nothing, or into no folder, says so and leaves nothing behind", async () => {
    const nothing = await rejectionOf(backUp());
    expect(nothing.message).toContain("nothing to back up");
    expect(existsSync(database())).toBe(false);
    await storeWithContents();
    const nowhere = await rejectionOf(
      backupSqlite(database(), folder.path("no/where.db"), systemClock),
    );
    expect(nowhere.message).toContain("Make it first");
  });
});

describe("a restore", () => {
  test("brings everything back while the store is in use", async () => {
    const stores = await storeWithContents();
    const before = await contentsOf(stores);
    await backUp();
    await stores.catalogue.add(bella);
    await stores.keys.add(keyNamed("c"));
    const revision = stores.keys.revision();

    const report = await restore();
    expect(report).toEqual({ bytes: statSync(backup()).size, pets: 2, keys: 2 });
    expect(await contentsOf(stores)).toEqual(before);
    expect(await stores.catalogue.count({ words: ["brien"] })).toBe(1);
    expect(await stores.catalogue.count({ words: ["bella"] })).toBe(0);
    expect(stores.keys.revision()).not.toBe(revision);
    expect(leftovers()).toEqual([]);
  });

  test("brings no key back to life that was ended since, nor lengthens one", async () => {
    const stores = await folder.open();
    const lives: [name: string, expiresAtMs: number | undefined][] = [
      ["a", undefined],
      ["b", undefined],
      ["c", 2_000],
      ["d", undefined],
    ];
    for (const [name, expiresAtMs] of lives)
      await stores.keys.add({ ...keyNamed(name), expiresAtMs });
    await backUp();
    await stores.keys.revoke("key_a", 5);
    await stores.keys.rotate("key_b", 1_000, keyNamed("b2"));
    await stores.keys.rotate("key_c", 1_500, keyNamed("c2"));
    await restore();
    const kept = (await stores.keys.list()).map(({ id, revokedAtMs, expiresAtMs }) => [
      id,
      revokedAtMs,
      expiresAtMs,
    ]);
    expect(kept).toEqual([
      ["key_a", 5, undefined],
      ["key_b", undefined, 1_000],
      ["key_c", undefined, 1_500],
      ["key_d", undefined, undefined],
    ]);
  });

  test("gives no id a second time", async () => {
    const stores = await folder.open();
    await backUp();
    await stores.catalogue.add(bella);
    await stores.catalogue.add(bella);
    await restore();
    expect(doneOf(await stores.catalogue.add(bella)).id).toBe(3n);
  });

  test("into another database goes on past the ids of the backup", async () => {
    const stores = await storeWithContents();
    await backUp();
    const other = folder.path("new/petstore.db");
    await restoreSqlite(other, backup(), "production", systemClock);
    const restored = await folder.open({}, "new/petstore.db");
    expect(await contentsOf(restored)).toEqual(await contentsOf(stores));
    expect(doneOf(await restored.catalogue.add(bella)).id).toBe(2n ** 53n + 2n);
  });

  test("brings orders and pets back together, whatever became of them", async () => {
    const stores = await storeWithContents();
    const before = await contentsOf(stores);
    await backUp();
    doneOf(await stores.orders.move(1n, "deliver"));
    const { id: petId } = doneOf(await stores.catalogue.add(bella));
    const { id } = doneOf(await stores.orders.place({ petId, quantity: 1 }, nowMs));
    await stores.categories.remove(-(2n ** 63n));
    await stores.categories.add("Cats");
    await restore();
    expect(await contentsOf(stores)).toEqual(before);

    // No id of an order comes a second time either.
    const { id: later } = doneOf(await stores.catalogue.add(bella));
    const again = doneOf(await stores.orders.place({ petId: later, quantity: 1 }, nowMs));
    expect(again.id).toBe(id + 1n);
    doneOf(await stores.orders.move(1n, "deliver"));
  });

  test("brings back the idempotency keys of the backup with what they stand for, and no others", async () => {
    const stores = await storeWithContents();
    await backUp();
    const add = () => stores.catalogue.add(bella, { idempotency: under("add") });
    const lost = doneOf(await add());
    const deliver = () => stores.orders.move(1n, "deliver", under("deliver"));
    doneOf(await deliver());
    await restore();
    // What they did is gone, so it is done again when it is asked for again.
    expect(doneOf(await add()).id).toBe(lost.id + 1n);
    doneOf(await deliver());

    const other = folder.path("new/petstore.db");
    await restoreSqlite(other, backup(), "production", systemClock);
    const { orders } = await folder.open({}, "new/petstore.db");
    const order = { petId: 2n ** 53n + 1n, quantity: 2 };
    expect(await orders.place(order, nowMs, under("place"))).toMatchObject({
      kind: "replayed",
      id: 1n,
    });
    expect((await orders.move(1n, "approve", under("approve"))).kind).toBe("replayed");
  });

  test("refuses a backup whose open order lost its pet, and changes nothing", async () => {
    const stores = await storeWithContents();
    await backUp();
    new DatabaseSync(backup()).exec("DELETE FROM pets WHERE id > 1");
    const before = await contentsOf(stores);
    expect((await rejectionOf(restore())).message).toContain("is damaged");
    expect(await contentsOf(stores)).toEqual(before);
  });

  test("brings back what was deleted since, and never assigns the id of a deleted pet", async () => {
    const stores = await folder.open();
    const { catalogue, orders } = stores;
    const ids = [1n, idGivenMax, idGivenMax + 1n];
    await catalogue.import(ids.map((id) => ({ ...bella, id })));
    const order = doneOf(await orders.place({ petId: 1n, quantity: 1 }, nowMs));
    doneOf(await orders.move(order.id, "cancel"));
    doneOf(await catalogue.delete(1n));
    const before = await contentsOf(stores);
    await backUp();
    doneOf(await catalogue.delete(idGivenMax));
    await catalogue.import([{ ...bella, id: idGivenMax + 2n }]);
    doneOf(await catalogue.delete(idGivenMax + 2n));
    await restore();
    expect(await contentsOf(stores)).toEqual(before);
    expect(await orders.get(order.id)).toContain('"cancelled"');
    expect(doneOf(await catalogue.add(bella)).id).toBe(idGivenMax + 3n);
  });

  test("ends the events before it: whoever follows them learns that some are missing", async () => {
    const stores = await storeWithContents();
    await backUp();
    await stores.catalogue.add(bella);
    const after = await stores.events.lastId();
    await restore();
    expect(await stores.events.list({ after, limit: 10 })).toBeUndefined();
    const page = await stores.events.list({ after: 0, limit: 10 });
    expect(page).toMatchObject({ events: [], isLast: true });
    await stores.catalogue.add(bella);
    const next = await stores.events.list({ after: page?.readUpTo ?? 0, limit: 10 });
    expect(next?.events.map(({ type }) => type)).toEqual(["pet.created"]);
  });

  test("can be repeated, and every handle notices the keys each time", async () => {
    const stores = await storeWithContents();
    await backUp();
    const revisions = [stores.keys.revision()];
    for (let time = 0; time < 2; time++) {
      await restore();
      revisions.push(stores.keys.revision());
    }
    expect(new Set(revisions).size).toBe(3);
  });

  test("covers every table that the schema has, but what says which database this is", async () => {
    await storeWithContents();
    await backUp();
    // As a later release might: this test is about what nobody has thought of yet.
    for (const path of [database(), backup()]) {
      const db = new DatabaseSync(path);
      db.exec("CREATE TABLE later (id INTEGER PRIMARY KEY, note TEXT) STRICT");
      if (path === backup()) db.exec("INSERT INTO later VALUES (1, 'kept')");
      db.close();
    }
    await restore();
    const db = new DatabaseSync(database());
    expect(db.prepare("SELECT * FROM later").all()).toMatchObject([{ id: 1, note: "kept" }]);
    db.close();
  });

  const unusable: Readonly<Record<string, [make: () => unknown, why: string]>> = {
    "a backup of the other environment": [
      async () => {
        await (await folder.open({ environment: "staging" }, "staging.db")).close();
        await backupSqlite(folder.path("staging.db"), backup(), systemClock);
      },
      "is a backup of staging, and this is production",
    ],
    "a file that is no database": [
      () => writeFileSync(backup(), "Dear diary, ".repeat(1_000)),
      "not a database",
    ],
    "an empty file": [() => writeFileSync(backup(), ""), "is empty"],
    "a file that is not there": [() => {}, "There is no file"],
    "a database of another program": [
      () => new DatabaseSync(backup()).exec("CREATE TABLE theirs (x)"),
      "another program",
    ],
    "a backup of a newer release": [
      async () => {
        await backUp();
        new DatabaseSync(backup()).exec("PRAGMA user_version = 1000");
      },
      "newer release",
    ],
    "a backup that lost a reference": [
      async () => {
        await backUp();
        new DatabaseSync(backup()).exec(
          "PRAGMA foreign_keys = OFF; DELETE FROM keys WHERE id = 'key_a'",
        );
      },
      "is damaged",
    ],
    "a copy of a database in use": [
      () => {
        copyFileSync(database(), backup());
        writeFileSync(`${backup()}-wal`, "changes");
      },
      "database in use",
    ],
  };
  for (const [what, [make, why]] of Object.entries(unusable)) {
    test(`refuses ${what} and changes nothing`, async () => {
      const stores = await storeWithContents();
      const before = await contentsOf(stores);
      const revision = stores.keys.revision();
      await make();
      expect((await rejectionOf(restore())).message).toContain(why);
      expect(await contentsOf(stores)).toEqual(before);
      expect(stores.keys.revision()).toBe(revision);
      expect(leftovers()).toEqual([]);
    });
  }

  test("of something unusable into no database makes none", async () => {
    writeFileSync(backup(), "Dear diary");
    await rejectionOf(restore());
    expect(existsSync(database())).toBe(false);
  });
});
