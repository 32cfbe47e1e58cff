import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import type { KeyStore, KeyUse } from "../../src/petstore/keys/keys.ts";
import { type KeyRetention, mintKey } from "../../src/petstore/keys/lifecycle.ts";
import { UseRecorder } from "../../src/petstore/keys/useRecorder.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";
import { takeWriterThread } from "../store/writerPool.ts";

let folder: string;
let stores: Stores;
let clock: FakeClock;
let keyId: string;
const failures: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "petstore-uses-"));
  const options = { environment: "production", clock: systemClock } as const;
  stores = await openSqlite(join(folder, "petstore.db"), options, takeWriterThread);
  clock = fakeClock(Date.UTC(2026, 10, 15, 23, 59, 58));
  const wanted = {
    name: "k",
    environment: "production",
    scopes: "all",
    expiresAtMs: undefined,
  } as const;
  const { key } = mintKey(wanted, clock);
  await stores.keys.add(key);
  keyId = key.id;
  failures.length = 0;
});
afterEach(async () => {
  await stores.close().catch(() => {});
  rmSync(folder, { recursive: true });
});

const recorder = (store = stores.keys) =>
  new UseRecorder(store, clock, (event) => failures.push(event));
const uses = async () =>
  (await stores.keys.listUses()).map(({ operation, day, count }) => `${day} ${operation} ${count}`);

const watching = (written: (uses: readonly KeyUse[]) => unknown) =>
  ({
    recordUses: async (uses: readonly KeyUse[]) => void written(uses),
    prune: async () => {},
  }) as unknown as KeyStore;

describe("uses of a key", () => {
  test("are counted once each, however often they are written down", async () => {
    const counting = recorder();
    for (let times = 0; times < 3; times++) counting.count(keyId, "getPet");
    counting.count(keyId, "listPets");
    await counting.flush();
    await counting.flush();
    counting.count(keyId, "getPet");
    await counting.close();
    expect(await uses()).toEqual(["2026-11-15 getPet 4", "2026-11-15 listPets 1"]);
  });

  test("belong to the day they happen on, and the last one is remembered to the millisecond", async () => {
    const counting = recorder();
    counting.count(keyId, "getPet");
    clock.advance(1999);
    counting.count(keyId, "getPet");
    clock.advance(1);
    counting.count(keyId, "getPet");
    clock.advance(5);
    counting.count(keyId, "getPet");
    await counting.close();
    expect(await uses()).toEqual(["2026-11-15 getPet 2", "2026-11-16 getPet 2"]);
    expect((await stores.keys.list())[0]?.lastUsedAtMs).toBe(clock.now());
  });

  test("are written down every five seconds by themselves, until it is closed", async () => {
    const written: number[] = [];
    const watched = {
      ...stores.keys,
      recordUses: async (those: readonly unknown[]) => void written.push(those.length),
      prune: async () => {},
    };
    const counting = recorder(Object.setPrototypeOf(watched, Object.getPrototypeOf(stores.keys)));
    counting.count(keyId, "getPet");
    clock.advance(4999);
    expect(written).toEqual([]);
    clock.advance(1);
    expect(written).toEqual([1]);
    clock.advance(60_000);
    expect(written).toEqual([1]);
    await counting.close();
    counting.count(keyId, "getPet");
    clock.advance(60_000);
    expect(written).toEqual([1]);
  });

  test("are pruned once a day, along with the keys of the catalogue page", async () => {
    const pruned: KeyRetention[] = [];
    const watched = {
      recordUses: async () => {},
      prune: async (retention: KeyRetention) => void pruned.push(retention),
    };
    const counting = recorder({ ...stores.keys, ...watched } as KeyStore);
    for (let times = 0; times < 3; times++) {
      counting.count(keyId, "getPet");
      await counting.flush();
    }
    clock.advance(24 * 3_600_000);
    counting.count(keyId, "getPet");
    await counting.close();
    expect(pruned.map(({ usesBeforeDay }) => usesBeforeDay)).toEqual(["2025-10-11", "2025-10-12"]);
  });

  test("of several keys and operations are counted apart, in whatever order they come", async () => {
    const written: KeyUse[] = [];
    const counting = recorder(watching((uses) => written.push(...uses)));
    for (const key of ["a", "b", "a", "a", "b"]) counting.count(key, "getPet");
    counting.count("b", "listPets");
    await counting.close();
    expect(written.map(({ keyId, operation, count }) => [keyId, operation, count])).toEqual([
      ["a", "getPet", 3],
      ["b", "getPet", 2],
      ["b", "listPets", 1],
    ]);
  });

  test("are written down early when there are many", () => {
    const written: number[] = [];
    const counting = recorder(watching((uses) => written.push(uses.length)));
    for (let key = 1; key < 50_000; key++) counting.count(`key_${key}`, "getPet");
    expect(written).toEqual([]);
    counting.count("one more", "getPet");
    expect(written).toEqual([50_000]);
  });

  test("that are being written down when it is closed are waited for", async () => {
    const counting = recorder();
    counting.count(keyId, "getPet");
    clock.advance(5_000);
    await counting.close();
    await stores.close();
    await counting.flush();
    expect(failures).toEqual([]);
  });

  test("that cannot be written down are reported, and counting goes on", async () => {
    const counting = recorder();
    counting.count(keyId, "getPet");
    await stores.close();
    await counting.flush();
    expect(failures).toEqual(["uses.lost", "keys.prune_failed"]);
    counting.count(keyId, "getPet");
  });
});
