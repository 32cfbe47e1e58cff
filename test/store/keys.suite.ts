/** What every store of keys does, whichever engine it runs on. */
import { describe, expect, test } from "bun:test";
import type { ApiKey, KeyUse } from "../../src/petstore/keys/keys.ts";
import { catalogueKeyName } from "../../src/petstore/keys/lifecycle.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { rejectionOf } from "./rejection.ts";

const createdAtMs = Date.UTC(2026, 10, 15, 12);

export function keyNamed(name: string, changes: Partial<ApiKey> = {}): ApiKey {
  return {
    id: `key_${name}`,
    name,
    environment: "production",
    hash: `hash of ${name}`,
    hint: `pet_live_…${name}`,
    scopes: "all",
    createdAtMs,
    expiresAtMs: undefined,
    revokedAtMs: undefined,
    replacedBy: undefined,
    lastUsedAtMs: undefined,
    ...changes,
  };
}

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeKeys(engine: string, open: () => Promise<Stores>): void {
  describe(`the keys on ${engine}`, () => {
    test("a key is found by its hash with everything it was added with", async () => {
      const { keys } = await open();
      const plain = keyNamed("plain");
      const full = keyNamed("full", {
        name: "Ünïcode 'quoted' \"name\" 🗝",
        scopes: ["pets:read", "pets:write"],
        expiresAtMs: createdAtMs + 1,
        revokedAtMs: createdAtMs + 2,
        replacedBy: plain.id,
        lastUsedAtMs: createdAtMs + 3,
      });
      await keys.add(plain);
      await keys.add(full);
      expect(await keys.findByHash(plain.hash)).toEqual(plain);
      expect(await keys.findByHash(full.hash)).toEqual(full);
      expect(await keys.findByHash("hash of nobody")).toBeUndefined();
      expect(await keys.findByHash("HASH OF PLAIN")).toBeUndefined();
    });

    test("keys are listed in the order in which they were added", async () => {
      const { keys } = await open();
      const added = ["c", "a", "b"].map((name) => keyNamed(name));
      for (const key of added) await keys.add(key);
      expect(await keys.list()).toEqual(added);
    });

    test("no scope at all is not the same as all scopes", async () => {
      const { keys } = await open();
      await keys.add(keyNamed("none", { scopes: [] }));
      expect((await keys.findByHash("hash of none"))?.scopes).toEqual([]);
    });

    test("a second key with the same id or token is refused and changes nothing", async () => {
      const { keys } = await open();
      const key = keyNamed("one");
      await keys.add(key);
      const revision = keys.revision();
      await rejectionOf(keys.add(keyNamed("two", { id: key.id })));
      await rejectionOf(keys.add(keyNamed("two", { hash: key.hash })));
      expect(await keys.list()).toEqual([key]);
      expect(keys.revision()).toBe(revision);
    });

    test("a rotation adds the successor and ends the old key", async () => {
      const { keys } = await open();
      const old = keyNamed("old");
      const successor = keyNamed("new");
      await keys.add(old);
      await keys.rotate(old.id, createdAtMs + 60_000, successor);
      expect(await keys.list()).toEqual([
        { ...old, expiresAtMs: createdAtMs + 60_000, replacedBy: successor.id },
        successor,
      ]);
    });

    test("a rotation never lengthens the life of the old key", async () => {
      const { keys } = await open();
      await keys.add(keyNamed("old", { expiresAtMs: createdAtMs + 1_000 }));
      await keys.rotate("key_old", createdAtMs + 60_000, keyNamed("new"));
      expect((await keys.findByHash("hash of old"))?.expiresAtMs).toBe(createdAtMs + 1_000);
    });

    test("a rotation whose successor cannot be added leaves the old key as it was", async () => {
      const { keys } = await open();
      const [old, other] = [keyNamed("old"), keyNamed("other")];
      await keys.add(old);
      await keys.add(other);
      const revision = keys.revision();
      const successor = keyNamed("new", { hash: other.hash });
      await rejectionOf(keys.rotate(old.id, createdAtMs, successor));
      expect(await keys.list()).toEqual([old, other]);
      expect(keys.revision()).toBe(revision);
    });

    test("a key that was revoked or rotated meanwhile is not rotated: it stays ended", async () => {
      const { keys } = await open();
      for (const name of ["revoked", "rotated"]) await keys.add(keyNamed(name));
      await keys.revoke("key_revoked", createdAtMs);
      await keys.rotate("key_rotated", createdAtMs, keyNamed("first"));
      await rejectionOf(keys.rotate("key_revoked", createdAtMs, keyNamed("x")));
      await rejectionOf(keys.rotate("key_rotated", createdAtMs, keyNamed("y")));
      expect((await keys.list()).map(({ id }) => id)).toEqual([
        "key_revoked",
        "key_rotated",
        "key_first",
      ]);
    });

    test("a rotation of a key that is not there adds nothing", async () => {
      const { keys } = await open();
      const rotation = keys.rotate("key_nobody", createdAtMs, keyNamed("new"));
      expect((await rejectionOf(rotation)).message).toContain("key_nobody");
      expect(await keys.list()).toEqual([]);
    });

    test("a revoked key keeps the instant of its first revocation", async () => {
      const { keys } = await open();
      await keys.add(keyNamed("one"));
      await keys.revoke("key_one", createdAtMs + 5);
      await keys.revoke("key_one", createdAtMs + 9);
      expect((await keys.findByHash("hash of one"))?.revokedAtMs).toBe(createdAtMs + 5);
    });

    test("revoking a key that is not there is not passed over in silence", async () => {
      const { keys } = await open();
      expect((await rejectionOf(keys.revoke("key_nobody", createdAtMs))).message).toContain(
        "key_nobody",
      );
    });

    test("the revision differs after each change to a key, in every handle", async () => {
      const [one, two] = [await open(), await open()];
      const seen = [[one.keys.revision(), two.keys.revision()]];
      for (const change of [
        () => one.keys.add(keyNamed("a")),
        () => two.keys.add(keyNamed("b")),
        () => one.keys.rotate("key_a", createdAtMs, keyNamed("c")),
        () => two.keys.revoke("key_a", createdAtMs),
      ]) {
        await change();
        seen.push([one.keys.revision(), two.keys.revision()]);
      }
      for (const revisions of [seen.map(([first]) => first), seen.map(([, second]) => second)]) {
        expect(new Set(revisions).size).toBe(seen.length);
      }
    });

    test("a key is in force everywhere as soon as its revocation is acknowledged", async () => {
      const [one, two] = [await open(), await open()];
      await one.keys.add(keyNamed("a"));
      expect((await two.keys.findByHash("hash of a"))?.revokedAtMs).toBeUndefined();
      await one.keys.revoke("key_a", createdAtMs);
      expect((await two.keys.findByHash("hash of a"))?.revokedAtMs).toBe(createdAtMs);
    });

    test("pets, uses and a second revocation leave the revision as it is", async () => {
      const { keys, catalogue } = await open();
      await keys.add(keyNamed("a"));
      await keys.revoke("key_a", createdAtMs);
      const revision = keys.revision();
      await catalogue.add({ name: "Bella", categoryId: 1n, status: "sold" });
      await keys.recordUses([use("key_a", {})]);
      await keys.revoke("key_a", createdAtMs + 1);
      expect(keys.revision()).toBe(revision);
    });
  });

  function use(keyId: string, changes: Partial<KeyUse>): KeyUse {
    const lastAtMs = createdAtMs;
    return { keyId, operation: "getPet", day: "2026-11-15", count: 1, lastAtMs, ...changes };
  }

  describe(`the uses of keys on ${engine}`, () => {
    test("counts of the same key, operation and day add up", async () => {
      const { keys } = await open();
      await keys.add(keyNamed("a"));
      await keys.recordUses([use("key_a", { count: 2 }), use("key_a", { count: 3 })]);
      await keys.recordUses([use("key_a", { count: 2 ** 40, lastAtMs: createdAtMs + 7 })]);
      expect(await keys.listUses()).toEqual([
        use("key_a", { count: 2 ** 40 + 5, lastAtMs: createdAtMs + 7 }),
      ]);
    });

    test("uses are listed by key, operation and day", async () => {
      const { keys } = await open();
      await keys.add(keyNamed("b"));
      await keys.add(keyNamed("a"));
      const inOrder = [
        use("key_a", { operation: "getPet", day: "2026-11-15" }),
        use("key_a", { operation: "getPet", day: "2026-11-16" }),
        use("key_a", { operation: "listPets", day: "2026-11-14" }),
        use("key_b", { operation: "createPet", day: "2026-11-15" }),
      ];
      await keys.recordUses(inOrder.toReversed());
      expect(await keys.listUses()).toEqual(inOrder);
    });

    test("uses of an operation are found by keys, from a day on", async () => {
      const { keys } = await open();
      for (const name of ["a", "b", "c"]) await keys.add(keyNamed(name));
      const [wanted, ...others] = [
        use("key_a", { day: "2026-11-16" }),
        use("key_a", { day: "2026-11-15" }),
        use("key_a", { day: "2026-11-16", operation: "listPets" }),
        use("key_c", { day: "2026-11-16" }),
      ] as const;
      await keys.recordUses([wanted, ...others]);
      expect(await keys.usesOf("getPet", ["key_a", "key_b"], "2026-11-16")).toEqual([wanted]);
      expect(await keys.usesOf("getPet", [], "2026-11-16")).toEqual([]);
    });

    test("the last use moves forward only", async () => {
      const { keys } = await open();
      await keys.add(keyNamed("a"));
      for (const lastAtMs of [createdAtMs + 10, createdAtMs + 20, createdAtMs + 15]) {
        await keys.recordUses([use("key_a", { lastAtMs })]);
      }
      expect((await keys.listUses())[0]?.lastAtMs).toBe(createdAtMs + 20);
      expect((await keys.findByHash("hash of a"))?.lastUsedAtMs).toBe(createdAtMs + 20);
    });

    test("the use of a key that is gone is left out, and the others are kept", async () => {
      const { keys } = await open();
      await keys.add(keyNamed("a"));
      await keys.recordUses([use("key_gone", {}), use("key_a", {})]);
      expect(await keys.listUses()).toEqual([use("key_a", {})]);
    });

    test("keys of the catalogue page that expired long enough ago are removed with their uses", async () => {
      const [one, two] = [await open(), await open()];
      const page = { name: catalogueKeyName };
      await one.keys.add(keyNamed("old", { ...page, expiresAtMs: createdAtMs }));
      await one.keys.add(keyNamed("recent", { ...page, expiresAtMs: createdAtMs + 1 }));
      await one.keys.add(keyNamed("endless", page));
      await one.keys.add(keyNamed("other", { expiresAtMs: createdAtMs }));
      const ids = ["key_endless", "key_old", "key_other", "key_recent"];
      await one.keys.recordUses(ids.map((id) => use(id, {})));
      const revision = two.keys.revision();

      const retention = { catalogueKeysExpiredAtMs: createdAtMs, usesBeforeDay: "" };
      await one.keys.recordExpiry(createdAtMs + 1);
      await one.keys.prune(retention);
      expect((await two.keys.list()).map(({ id }) => id)).toEqual([
        ...["key_recent", "key_endless", "key_other"],
      ]);
      expect((await two.keys.listUses()).map(({ keyId }) => keyId)).toEqual([
        ...["key_endless", "key_other", "key_recent"],
      ]);
      expect(await two.keys.findByHash("hash of old")).toBeUndefined();
      expect(two.keys.revision()).not.toBe(revision);

      const after = two.keys.revision();
      await one.keys.prune(retention);
      expect(two.keys.revision()).toBe(after);
    });

    test("a key of the catalogue page that took the place of another is removed after it", async () => {
      const { keys } = await open();
      const page = { name: catalogueKeyName, expiresAtMs: createdAtMs };
      await keys.add(keyNamed("old", { ...page, expiresAtMs: undefined }));
      await keys.rotate("key_old", createdAtMs + 1, keyNamed("new", page));
      const listed = async () => (await keys.list()).map(({ id }) => id);
      await keys.recordExpiry(createdAtMs + 1);
      await keys.prune({ catalogueKeysExpiredAtMs: createdAtMs, usesBeforeDay: "" });
      expect(await listed()).toEqual(["key_old", "key_new"]);
      for (const left of [["key_new"], []]) {
        await keys.prune({ catalogueKeysExpiredAtMs: createdAtMs + 1, usesBeforeDay: "" });
        expect(await listed()).toEqual(left);
      }
    });

    test("uses on the days before the first that is kept are removed", async () => {
      const { keys } = await open();
      await keys.add(keyNamed("a"));
      await keys.recordUses(["2025-10-11", "2025-10-12"].map((day) => use("key_a", { day })));
      await keys.prune({ catalogueKeysExpiredAtMs: 0, usesBeforeDay: "2025-10-12" });
      expect((await keys.listUses()).map(({ day }) => day)).toEqual(["2025-10-12"]);
      expect((await keys.list()).map(({ id }) => id)).toEqual(["key_a"]);
    });

    test("uses recorded through two handles at once all count", async () => {
      const [one, two] = [await open(), await open()];
      await one.keys.add(keyNamed("a"));
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          (index % 2 === 0 ? one : two).keys.recordUses([use("key_a", {})]),
        ),
      );
      expect((await one.keys.listUses())[0]?.count).toBe(40);
    });
  });
}
