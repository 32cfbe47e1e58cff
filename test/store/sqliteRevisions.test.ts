import { beforeEach, describe, expect, test } from "bun:test";
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/core/clock.ts";
import { petRange } from "../../src/petstore/catalogue/petChanges.ts";
import { mintKey } from "../../src/petstore/keys/lifecycle.ts";
import { RevisionReader, WalIndex } from "../../src/storage/sqlite/revisions.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { useTemporaryFolder } from "./folder.ts";

/** Two processes, as far as the database can tell. */
const folder = useTemporaryFolder();
const file = () => folder.path("petstore.db");
let one: Stores;
let two: Stores;
beforeEach(async () => {
  one = await folder.open();
  two = await folder.open();
});

const wanted = { environment: "production", scopes: "all", expiresAtMs: undefined } as const;
const prey = { name: "Prey", categoryId: 1n, status: "available" } as const;
const rounds = 60;

async function isSeenAtOnce(change: (round: number) => Promise<unknown>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const before = two.keys.revision();
    await change(round);
    expect([round, two.keys.revision() === before]).toEqual([round, false]);
  }
}

test("whoever hears that a key is revoked finds no process that does not know", async () => {
  const keys = Array.from({ length: rounds }, () =>
    mintKey({ ...wanted, name: "short-lived" }, systemClock),
  );
  for (const { key } of keys) await one.keys.add(key);
  await isSeenAtOnce((round) => one.keys.revoke(keys[round]?.key.id ?? "", 1));
});

test("nor one that does not know that a key has a successor", async () => {
  const newKey = () => mintKey({ ...wanted, name: "rotated" }, systemClock).key;
  const keys = Array.from({ length: rounds }, newKey);
  for (const key of keys) await one.keys.add(key);
  await isSeenAtOnce((round) => one.keys.rotate(keys[round]?.id ?? "", 1, newKey()));
});

test("a pet that is changed behind our back is noticed at once", async () => {
  await one.catalogue.add(prey);
  await one.catalogue.add(prey);
  await one.catalogue.add(prey);
  const { changes } = two.catalogue;
  const affectedBy = async (text: string) => {
    const before = (await two.catalogue.revision()) as number;
    stranger.exec(text);
    await two.catalogue.revision();
    return [1n, 2n, 3n].filter((id) => changes.affect(petRange(id, id), before));
  };
  const stranger = new DatabaseSync(file());
  try {
    expect(await affectedBy("UPDATE pets SET status = 'sold' WHERE id = 1")).toEqual([1n]);
    expect(await affectedBy("DELETE FROM pets WHERE id = 2")).toEqual([2n]);
    expect(await affectedBy("UPDATE pets SET id = 2 WHERE id = 3")).toEqual([1n, 2n, 3n]);
    expect(await affectedBy("DELETE FROM pet_changes")).toEqual([]);
    expect(await affectedBy("UPDATE pets SET status = 'pending'")).toEqual([1n, 2n]);
    const many = Array(5_000).fill("UPDATE pets SET status = 'sold' WHERE id = 1").join(";");
    expect(await affectedBy(`BEGIN; ${many}; COMMIT`)).toEqual([1n, 2n, 3n]);
    const kept = stranger.prepare("SELECT count(*) AS count FROM pet_changes").get();
    expect(kept?.["count"]).toBe(4_096);
  } finally {
    stranger.close();
  }
});

test("what was known before a reading that failed is not believed after it", async () => {
  const db = new DatabaseSync(file());
  let fails = false;
  const failing = {
    prepare(text: string) {
      const statement = db.prepare(text);
      return {
        get() {
          if (fails) throw new Error("database is locked");
          return statement.get();
        },
        all: (...values: number[]) => statement.all(...values),
        setReadBigInts: (wanted: boolean) => statement.setReadBigInts(wanted),
      };
    },
  } as unknown as DatabaseSync;
  try {
    const reader = new RevisionReader(failing, file());
    const before = reader.read();
    await one.catalogue.import([{ ...prey, id: 1n }]);
    fails = true;
    expect(() => reader.read()).toThrow("database is locked");
    fails = false;
    expect(reader.read().pet_revision).toBe(before.pet_revision + 1);
  } finally {
    db.close();
  }
});

describe("the index of the log", () => {
  test("is other than remembered after every commit, and only after one", async () => {
    const index = WalIndex.of(file()) as WalIndex;
    expect(index.isUnchanged()).toBe(false);
    for (let round = 0; round < rounds; round++) {
      index.remember();
      await one.keys.list();
      expect(index.isUnchanged()).toBe(true);
      await one.catalogue.add(prey);
      expect(index.isUnchanged()).toBe(false);
    }
  });

  test("tells of a commit also where the log begins anew", async () => {
    const stranger = new DatabaseSync(file());
    const index = WalIndex.of(file()) as WalIndex;
    try {
      for (let round = 0; round < rounds; round++) {
        index.remember();
        stranger.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        await one.catalogue.add(prey);
        expect(index.isUnchanged()).toBe(false);
      }
    } finally {
      stranger.close();
    }
  });

  test("is read without a descriptor of our own, whose end would let go of SQLite's locks", () => {
    const open = () =>
      readdirSync("/proc/self/fd").filter((name) => {
        try {
          return readlinkSync(`/proc/self/fd/${name}`) === `${realpathSync(file())}-shm`;
        } catch {
          return false;
        }
      });
    const before = open();
    expect(before).toHaveLength(1);
    // Without their numbers, which change with the locks of others.
    const locks = () =>
      readFileSync("/proc/locks", "utf8")
        .split("\n")
        .filter(ofIndex)
        .map((line) => line.replace(/^\d+: /, ""));
    const { ino } = statSync(`${file()}-shm`);
    const ofIndex = (line: string) => line.includes(`:${ino} `);
    const held = locks();
    expect(held.length).toBeGreaterThan(0);
    WalIndex.of(file())?.remember();
    expect([open(), locks()]).toEqual([before, held]);
  });

  test("is not believed while it is being written", () => {
    const head = Uint32Array.of(3_007_000, 0, 7, 1, 5, 3, 11, 12, 13, 14, 15, 16);
    const next = head.with(2, 8).with(4, 6);
    const path = folder.path("head");
    const isBelieved = (...copies: Uint32Array[]) => {
      writeFileSync(path, Buffer.concat(copies.map(({ buffer }) => Buffer.from(buffer))));
      const descriptor = openSync(path, "r");
      const index = new WalIndex(descriptor);
      index.remember();
      const believed = index.isUnchanged();
      closeSync(descriptor);
      return believed;
    };
    expect(isBelieved(head, head)).toBe(true);
    expect(isBelieved(head, next)).toBe(false);
    expect(isBelieved(next, head)).toBe(false);
    expect(isBelieved(head)).toBe(false);
  });

  test("is done without where there is none that we know: every question is then asked", async () => {
    expect(WalIndex.of(folder.path("no.db"))).toBeUndefined();
    const db = new DatabaseSync(file());
    try {
      const reader = new RevisionReader(db, folder.path("no.db"));
      const before = reader.read();
      expect(reader.read()).toEqual(before);
      await one.catalogue.import([{ ...prey, id: 1n }]);
      expect(reader.read().pet_revision).not.toBe(before.pet_revision);
    } finally {
      db.close();
    }
  });
});
