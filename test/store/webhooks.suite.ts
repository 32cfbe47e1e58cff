/** Endpoints and deliveries, whichever engine they are on. */
import { describe, expect, test } from "bun:test";
import { Vault } from "../../src/core/vault.ts";
import {
  createEndpoint,
  type Delivery,
  type Endpoint,
  endpointsMax,
  type Settled,
} from "../../src/petstore/webhooks/webhooks.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";

const nowMs = Date.UTC(2026, 10, 16, 12);
const dayMs = 24 * 60 * 60_000;
const leaseMs = 30_000;
const clock = fakeClock(nowMs);
const vault = new Vault("the secret of this service", clock);
const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;

export const endpointFor = (parts: Partial<Endpoint> = {}): Endpoint => ({
  ...createEndpoint(
    { url: "https://example.com/hooks", types: undefined, description: "Ours" },
    vault,
    clock,
  ).endpoint,
  ...parts,
});

export const deliveryOf = (
  endpointId: string,
  eventId: number,
  parts: Partial<Delivery> = {},
): Delivery => ({
  ...{ endpointId, eventId, type: "pet.created", body: `{"id":${eventId}}`, state: "pending" },
  ...{ tries: 0, attempts: [], createdAtMs: nowMs, dueAtMs: nowMs, ...parts },
});

const attempt = { atMs: nowMs, durationMs: 12, status: 500, body: "No." };
const ended = (eventId: number, state: "delivered" | "failed"): Settled => ({
  ...{ eventId, state, tries: 1, attempts: [attempt], dueAtMs: undefined },
});

const take = ({ webhooks }: Stores, holder: string, atMs = nowMs) =>
  webhooks.lease({ holder, nowMs: atMs, untilMs: atMs + leaseMs });
const byOperator = { atMs: nowMs, reason: "operator" } as const;
const fine = { failingSinceMs: undefined, disabled: undefined };

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeWebhooks(engine: string, open: () => Promise<Stores>): void {
  /** One endpoint, leased by `one`, with deliveries of the events 1 to `count`. */
  async function withDeliveries(
    count: number,
    change: (delivery: Delivery) => Delivery = (d) => d,
  ) {
    const stores = await open();
    const endpoint = endpointFor();
    await stores.webhooks.add(endpoint);
    await take(stores, "one");
    const lease = { holder: "one", endpointId: endpoint.id };
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    const deliveries = ids.map((id) => change(deliveryOf(endpoint.id, id)));
    expect(await stores.webhooks.plan({ lease, from: 0, to: count, deliveries })).toBe(true);
    const listed = async () =>
      (
        await stores.webhooks.listDeliveries({ endpointId: endpoint.id, limit: 100_000 })
      ).toReversed();
    return { stores, webhooks: stores.webhooks, endpoint, lease, deliveries, listed };
  }

  describe(`endpoints on ${engine}`, () => {
    test("are listed as they were added, each placed after the last event", async () => {
      const stores = await open();
      const [first, second] = [endpointFor({ types: ["pet.created"] }), endpointFor()];
      expect(await stores.webhooks.add(first)).toBe(true);
      await stores.catalogue.add(bella);
      await stores.catalogue.add(bella);
      expect(await stores.webhooks.add(second)).toBe(true);
      expect(await stores.webhooks.list()).toEqual([first, { ...second, place: 2 }]);
    });

    test("are limited in number, also when two are added at once", async () => {
      const [one, two] = [await open(), await open()];
      const others = Array.from({ length: endpointsMax - 1 }, () => endpointFor());
      await Promise.all(others.map((endpoint) => one.webhooks.add(endpoint)));
      const added = await Promise.all(
        [one, two, one, two].map(({ webhooks }) => webhooks.add(endpointFor())),
      );
      expect(added.filter(Boolean)).toHaveLength(1);
      expect(await one.webhooks.list()).toHaveLength(endpointsMax);
    });

    test("get new secrets only in place of those that were read", async () => {
      const { webhooks } = await open();
      const endpoint = endpointFor();
      await webhooks.add(endpoint);
      const secrets = [{ sealed: "new" }, { sealed: "old", expiresAtMs: nowMs }];
      expect(await webhooks.replaceSecrets(endpoint, secrets)).toBe(true);
      expect(await webhooks.replaceSecrets(endpoint, [{ sealed: "other" }])).toBe(false);
      expect((await webhooks.list())[0]?.secrets).toEqual(secrets);
      expect(await webhooks.replaceSecrets({ ...endpoint, id: "whe_no" }, secrets)).toBe(false);
    });

    test("get another URL, types and description, and keep the rest", async () => {
      const { webhooks } = await open();
      const endpoint = endpointFor();
      await webhooks.add(endpoint);
      const types = ["pet.deleted"] as const;
      const changed = { url: "https://example.org/", types, description: "Theirs" };
      expect(await webhooks.update(endpoint.id, changed)).toBe(true);
      expect(await webhooks.list()).toEqual([{ ...endpoint, ...changed }]);
      expect(await webhooks.update(endpoint.id, { ...changed, types: undefined })).toBe(true);
      expect((await webhooks.list())[0]?.types).toBeUndefined();
      await webhooks.remove(endpoint.id);
      expect(await webhooks.update(endpoint.id, changed)).toBe(false);
    });

    test("are not leased while they are disabled, and continue where they stopped", async () => {
      const { stores, webhooks, endpoint, lease } = await withDeliveries(2);
      expect(await webhooks.setDisabled(endpoint.id, byOperator)).toBe(true);
      expect((await webhooks.list())[0]?.disabled).toEqual(byOperator);
      expect(await webhooks.settle({ lease, settled: [ended(1, "delivered")], ...fine })).toBe(
        false,
      );
      expect(await take(stores, "one")).toEqual([]);
      expect(await webhooks.setDisabled(endpoint.id, undefined)).toBe(true);
      expect(await take(stores, "two")).toEqual([{ ...endpoint, place: 2 }]);
      const due = await webhooks.due({ endpointId: endpoint.id, nowMs, limit: 9 });
      expect(due.map(({ eventId }) => eventId)).toEqual([1, 2]);
      expect(await webhooks.setDisabled("whe_no", undefined)).toBe(false);
    });

    test("that are removed are gone at once, and their deliveries soon after", async () => {
      const { stores, webhooks, endpoint, lease, listed } = await withDeliveries(1_500);
      expect(await webhooks.remove(endpoint.id)).toBe(true);
      expect(await webhooks.remove(endpoint.id)).toBe(false);
      expect(await webhooks.setDisabled(endpoint.id, undefined)).toBe(false);
      expect(await webhooks.list()).toEqual([]);
      expect(await take(stores, "one")).toEqual([]);
      expect(await webhooks.plan({ lease, from: 1_500, to: 1_501, deliveries: [] })).toBe(false);
      let rounds = 0;
      while (await webhooks.prune(nowMs)) rounds++;
      expect(rounds).toBe(2);
      expect(await listed()).toEqual([]);
      expect(await webhooks.add(endpoint)).toBe(true);
    });
  });

  describe(`leases of endpoints on ${engine}`, () => {
    test("have one holder at a time, until they end or are released", async () => {
      const [stores, other] = [await open(), await open()];
      const [first, second] = [endpointFor(), endpointFor()];
      await stores.webhooks.add(first);
      expect(await take(stores, "one")).toEqual([first]);
      await stores.webhooks.add(second);
      expect(await take(other, "two")).toEqual([second]);
      expect(await take(stores, "one", nowMs + leaseMs - 1)).toEqual([first]);
      // That of the second has ended; that of the first was extended.
      expect(await take(stores, "three", nowMs + leaseMs)).toEqual([second]);
      await stores.webhooks.release("one");
      expect(await take(other, "two", nowMs + leaseMs)).toEqual([first]);
    });

    test("are taken by one of several processes that ask at once", async () => {
      const all = [await open(), await open(), await open()];
      for (let count = 0; count < 5; count++) await all[0]?.webhooks.add(endpointFor());
      const taken = await Promise.all(all.map((stores, index) => take(stores, `${index}`)));
      const ids = taken.flat().map(({ id }) => id);
      expect(ids).toHaveLength(5);
      expect(new Set(ids).size).toBe(5);
    });

    test("that were taken before the clock was set back do not block", async () => {
      const stores = await open();
      await stores.webhooks.add(endpointFor());
      expect(await take(stores, "one", nowMs + dayMs)).toHaveLength(1);
      expect(await take(stores, "two")).toHaveLength(1);
    });

    test("move retries with the clock when it is set back, and not otherwise", async () => {
      const aheadMs = nowMs + dayMs;
      const { stores, listed } = await withDeliveries(1, (delivery) => ({
        ...delivery,
        dueAtMs: aheadMs + 5_000,
      }));
      const dueIn = async () => ((await listed())[0]?.dueAtMs ?? 0) - nowMs;
      await take(stores, "one", aheadMs);
      await take(stores, "one", aheadMs + 3_000);
      await take(stores, "one", aheadMs + 2_000);
      expect(await dueIn()).toBe(dayMs + 5_000);
      await take(stores, "two", nowMs + 2_000);
      expect(await dueIn()).toBe(5_000);
      await take(stores, "two", nowMs + 5_000);
      expect(await dueIn()).toBe(5_000);
    });

    test("are needed to plan and to settle, and the place must be the one that was read", async () => {
      const { stores, webhooks, endpoint, lease, deliveries, listed } = await withDeliveries(2);
      const next = [deliveryOf(endpoint.id, 3)];
      expect(await webhooks.plan({ lease, from: 1, to: 3, deliveries: next })).toBe(false);
      await take(stores, "two", nowMs + leaseMs);
      expect(await webhooks.plan({ lease, from: 2, to: 3, deliveries: next })).toBe(false);
      expect(await webhooks.settle({ lease, settled: [ended(1, "failed")], ...fine })).toBe(false);
      expect(await listed()).toEqual(deliveries);
      const own = { ...lease, holder: "two" };
      expect(await webhooks.plan({ lease: own, from: 2, to: 3, deliveries: next })).toBe(true);
      expect((await webhooks.list())[0]?.place).toBe(3);
    });
  });

  describe(`deliveries on ${engine}`, () => {
    test("are due in the order of their time, those of a clock that was set back included", async () => {
      const times = [nowMs, nowMs - 2, nowMs + 1, nowMs - 1, nowMs + 30 * dayMs];
      const { webhooks, endpoint } = await withDeliveries(5, (delivery) => ({
        ...delivery,
        dueAtMs: times[delivery.eventId - 1] ?? 0,
      }));
      const due = async (limit: number) =>
        (await webhooks.due({ endpointId: endpoint.id, nowMs, limit })).map((each) => each.eventId);
      expect(await due(9)).toEqual([2, 4, 1, 5]);
      expect(await due(2)).toEqual([2, 4]);
      expect(await webhooks.due({ endpointId: "whe_no", nowMs, limit: 9 })).toEqual([]);
    });

    test("are settled together with what that means for the endpoint", async () => {
      const { stores, webhooks, endpoint, lease, deliveries, listed } = await withDeliveries(3);
      const again = { ...ended(2, "failed"), state: "pending", dueAtMs: nowMs + 5_000 } as const;
      const settled = [ended(1, "delivered"), again];
      expect(
        await webhooks.settle({ lease, settled, failingSinceMs: nowMs, disabled: undefined }),
      ).toBe(true);
      const [first, second, third] = deliveries as [Delivery, Delivery, Delivery];
      expect(await listed()).toEqual([{ ...first, ...settled[0] }, { ...second, ...again }, third]);
      expect(await webhooks.getDelivery(endpoint.id, 2)).toEqual({ ...second, ...again });
      expect(await webhooks.getDelivery(endpoint.id, 9)).toBeUndefined();
      expect(await webhooks.countPending(endpoint.id)).toBe(2);
      expect((await webhooks.list())[0]?.failingSinceMs).toBe(nowMs);
      await webhooks.settle({ lease, settled: [ended(3, "delivered")], ...fine });
      expect((await webhooks.list())[0]?.failingSinceMs).toBeUndefined();
      const gone = {
        settled: [ended(2, "failed")],
        failingSinceMs: nowMs,
        disabled: { atMs: nowMs, reason: "gone" },
      } as const;
      expect(await webhooks.settle({ lease, ...gone })).toBe(true);
      expect((await webhooks.list())[0]?.disabled).toEqual({ atMs: nowMs, reason: "gone" });
      const recorded = await stores.events.list({ after: 0, limit: 9 });
      expect(recorded?.events.map(({ type, resource, data }) => [type, resource, data])).toEqual([
        [
          ...["webhook.disabled", `webhooks/${endpoint.id}`],
          JSON.stringify({
            ...{ id: endpoint.id, description: "Ours" },
            disabled: { at: new Date(nowMs).toISOString(), reason: "gone" },
          }),
        ],
      ]);
      expect(await webhooks.countPending(endpoint.id)).toBe(0);
    });

    test("are listed from the newest, by state and in pages", async () => {
      const { webhooks, endpoint, lease } = await withDeliveries(5);
      await webhooks.settle({ lease, settled: [ended(2, "failed"), ended(4, "failed")], ...fine });
      const ids = async (query: object) =>
        (await webhooks.listDeliveries({ endpointId: endpoint.id, limit: 9, ...query })).map(
          ({ eventId }) => eventId,
        );
      expect(await ids({})).toEqual([5, 4, 3, 2, 1]);
      expect(await ids({ limit: 2, before: 4 })).toEqual([3, 2]);
      expect(await ids({ state: "failed" })).toEqual([4, 2]);
      expect(await ids({ state: "delivered" })).toEqual([]);
    });

    test("are replayed one by one, or all that failed, with their attempts kept", async () => {
      const { webhooks, endpoint, lease } = await withDeliveries(4);
      const states = [ended(1, "failed"), ended(2, "delivered"), ended(3, "failed")];
      await webhooks.settle({ lease, settled: states, ...fine });
      const endpointId = endpoint.id;
      const laterMs = nowMs + 5;
      expect(await webhooks.replay({ endpointId, eventId: 2, nowMs: laterMs })).toBe(1);
      expect(await webhooks.getDelivery(endpointId, 2)).toMatchObject({
        ...{ state: "pending", tries: 0, attempts: [attempt], dueAtMs: laterMs },
      });
      expect(await webhooks.replay({ endpointId, eventId: 9, nowMs })).toBe(0);
      expect(await webhooks.replay({ endpointId, nowMs })).toBe(2);
      expect(await webhooks.replay({ endpointId, nowMs })).toBe(0);
      expect(await webhooks.countPending(endpointId)).toBe(4);
    });

    test("are kept for thirty days once they have ended, and of those delivered the newest ten thousand", async () => {
      const old = { createdAtMs: nowMs - 31 * dayMs };
      const { webhooks, endpoint, listed } = await withDeliveries(10_010, (delivery) => ({
        ...delivery,
        ...(delivery.eventId === 2 ? { state: "failed" } : { state: "delivered" }),
        // Of these, the first is pending and the others have ended too long ago.
        ...(delivery.eventId === 1 ? { state: "pending", ...old } : {}),
        ...(delivery.eventId === 3 ? { state: "failed", ...old } : {}),
      }));
      while (await webhooks.prune(nowMs)) {
        // Each call removes some.
      }
      const kept = (await listed()).map(({ eventId }) => eventId);
      expect(kept).toHaveLength(10_002);
      expect(kept.slice(0, 4)).toEqual([1, 2, 11, 12]);
      expect(await webhooks.countPending(endpoint.id)).toBe(1);
    });
  });
}
