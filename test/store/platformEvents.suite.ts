/** What is recorded of keys, sites and domains, whichever engine they are on. */
import { describe, expect, test } from "bun:test";
import type { RecordedEvent } from "../../src/petstore/events/events.ts";
import type { ApiKey, KeyUse } from "../../src/petstore/keys/keys.ts";
import type { Sunsets } from "../../src/petstore/keys/sunsets.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { eventErrors } from "../../testkit/contractJudge.ts";
import { allEvents } from "./events.suite.ts";
import { keyNamed } from "./keys.suite.ts";
import { rejectionOf } from "./rejection.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** What is recorded from now on, judged by the contract, without what was there before. */
export async function recorder(stores: Stores) {
  let seen = await stores.events.lastId();
  const next = async () => {
    const events = (await allEvents(stores)).filter(({ id }) => id > seen);
    seen = events.at(-1)?.id ?? seen;
    expect(events.flatMap(({ type, data }) => eventErrors(type, JSON.parse(data)))).toEqual([]);
    return events;
  };
  const briefly = async () => (await next()).map(({ type, resource }) => `${type} ${resource}`);
  return { next, briefly };
}

const dataOf = (event: RecordedEvent | undefined) => JSON.parse(event?.data ?? "{}");

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describePlatformEvents(engine: string, open: () => Promise<Stores>): void {
  describe(`events of keys on ${engine}`, () => {
    test("are those of each change, without the hash of the token", async () => {
      const stores = await open();
      const { keys } = stores;
      const events = await recorder(stores);
      await keys.add(keyNamed("report", { scopes: ["pets:read"] }));
      await keys.rotate("key_report", Date.now() + dayMs, keyNamed("next"));
      await keys.revoke("key_next", Date.now());
      const [created, successor, rotated, revoked, ...more] = await events.next();
      expect(more).toEqual([]);
      expect([created?.type, created?.resource]).toEqual(["key.created", "keys/key_report"]);
      expect(dataOf(created)).toEqual({
        id: "key_report",
        name: "report",
        environment: "production",
        hint: "pet_live_…report",
        scopes: ["pets:read"],
        createdAt: "2026-11-15T12:00:00.000Z",
        expiresAt: null,
        revokedAt: null,
        replacedBy: null,
        state: "active",
      });
      expect([successor?.type, successor?.resource]).toEqual(["key.created", "keys/key_next"]);
      expect([rotated?.type, rotated?.resource]).toEqual(["key.rotated", "keys/key_report"]);
      expect(dataOf(rotated)).toMatchObject({ replacedBy: "key_next", state: "active" });
      expect([revoked?.type, revoked?.resource]).toEqual(["key.revoked", "keys/key_next"]);
      expect(dataOf(revoked)).toMatchObject({ state: "revoked" });
      expect(JSON.stringify([created, successor, rotated, revoked])).not.toContain("hash");
    });

    test("are none where nothing changed", async () => {
      const stores = await open();
      const { keys } = stores;
      await keys.add(keyNamed("one"));
      await keys.revoke("key_one", Date.now());
      const events = await recorder(stores);
      await keys.revoke("key_one", Date.now());
      await rejectionOf(keys.revoke("key_none", Date.now()));
      await rejectionOf(keys.rotate("key_one", Date.now(), keyNamed("two")));
      await keys.recordUses([useOf("one", "getPet")]);
      expect(await keys.recordExpiry(Date.now())).toBe(false);
      await keys.prune({ catalogueKeysExpiredAtMs: 0, usesBeforeDay: "2000-01-01" });
      expect(await events.briefly()).toEqual([]);
    });

    test("say once that a key has expired, however many processes look", async () => {
      const stores = await open();
      const nowMs = Date.now();
      const expiring = (name: string, parts: Partial<ApiKey>) =>
        stores.keys.add(keyNamed(name, { expiresAtMs: nowMs, ...parts }));
      await expiring("one", {});
      await expiring("two", { expiresAtMs: nowMs - 1 });
      await expiring("later", { expiresAtMs: nowMs + 1 });
      await expiring("revoked", { revokedAtMs: nowMs - 1 });
      const events = await recorder(stores);
      const looking = await Promise.all([open(), open(), open()]);
      await Promise.all([stores, ...looking].map(({ keys }) => keys.recordExpiry(nowMs)));
      await stores.keys.recordExpiry(nowMs);
      const recorded = await events.next();
      expect(recorded.map(({ type, resource }) => `${type} ${resource}`).toSorted()).toEqual([
        "key.expired keys/key_one",
        "key.expired keys/key_two",
      ]);
      expect(dataOf(recorded[0])).toMatchObject({ state: "expired" });
      await stores.keys.recordExpiry(nowMs + 1);
      expect(await events.briefly()).toEqual(["key.expired keys/key_later"]);
    });

    test("of keys that expired come before those are removed", async () => {
      const stores = await open();
      const nowMs = Date.now();
      await stores.keys.add(keyNamed("gone", { name: "dashboard session", expiresAtMs: 1 }));
      const retention = { catalogueKeysExpiredAtMs: nowMs, usesBeforeDay: "2000-01-01" };
      await stores.keys.prune(retention);
      expect(await stores.keys.list()).toHaveLength(1);
      await stores.keys.recordExpiry(nowMs);
      await stores.keys.prune(retention);
      expect(await stores.keys.list()).toEqual([]);
      expect((await allEvents(stores)).at(-1)?.type).toBe("key.expired");
    });
  });

  describe(`the event of an operation that will be removed, on ${engine}`, () => {
    const nowMs = Date.UTC(2030, 9, 10, 12);
    const at = (ms: number, operation = "getPet"): Sunsets => ({
      approaching: [{ operation, sunsetAtMs: nowMs + 30 * dayMs, successor: "/pets?id={petId}" }],
      sinceDay: new Date(ms - 7 * dayMs).toISOString().slice(0, 10),
      recordedSinceMs: ms - 30 * dayMs,
      nowMs: ms,
    });

    test("is recorded once in thirty days for each key that still calls it", async () => {
      const stores = await open();
      for (const name of ["one", "two", "revoked", "quiet", "expired"]) {
        await stores.keys.add(keyNamed(name, name === "expired" ? { expiresAtMs: nowMs } : {}));
        const day = name === "quiet" ? "2030-10-02" : "2030-10-09";
        await stores.keys.recordUses(
          [
            useOf(name, "getPet", day),
            useOf(name, "getPet", "2030-10-08"),
            useOf(name, "listPets", "2030-10-09"),
          ].filter((use) => name !== "quiet" || use.day === "2030-10-02"),
        );
      }
      await stores.keys.revoke("key_revoked", nowMs);
      const events = await recorder(stores);
      const looking = await Promise.all([open(), open()]);
      await Promise.all([stores, ...looking].map(({ keys }) => keys.recordSunsets(at(nowMs))));
      const recorded = await events.next();
      expect(recorded.map(({ type, resource }) => [type, resource])).toEqual([
        ["operation.sunset_approaching", "keys/key_one"],
        ["operation.sunset_approaching", "keys/key_two"],
      ]);
      expect(dataOf(recorded[0])).toEqual({
        keyId: "key_one",
        keyName: "one",
        operation: "getPet",
        sunsetAt: "2030-11-09T12:00:00.000Z",
        successor: "/pets?id={petId}",
        lastCallAt: "2030-10-09T10:00:00.000Z",
      });
      // It still calls it the next week, and a month later.
      await stores.keys.recordUses([useOf("one", "getPet", "2030-10-16")]);
      await stores.keys.recordSunsets(at(nowMs + 7 * dayMs));
      expect(await events.briefly()).toEqual([]);
      await stores.keys.recordUses([useOf("one", "getPet", "2030-11-08")]);
      await stores.keys.recordSunsets(at(nowMs + 30 * dayMs));
      expect(await events.briefly()).toEqual(["operation.sunset_approaching keys/key_one"]);
    });

    test("is none while nothing is to be removed", async () => {
      const stores = await open();
      await stores.keys.add(keyNamed("one"));
      await stores.keys.recordUses([useOf("one", "getPet", "2030-10-09")]);
      const events = await recorder(stores);
      expect(await stores.keys.recordSunsets({ ...at(nowMs), approaching: [] })).toBe(false);
      await stores.keys.recordSunsets(at(nowMs, "listPets"));
      expect(await events.briefly()).toEqual([]);
    });
  });
}

function useOf(name: string, operation: KeyUse["operation"], day = "2030-10-09"): KeyUse {
  const lastAtMs = Date.parse(`${day}T10:00:00Z`);
  return { keyId: `key_${name}`, operation, day, count: 1, lastAtMs };
}
