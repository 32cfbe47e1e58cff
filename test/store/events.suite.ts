/** What is recorded of changes, whichever engine they are on. */
import { describe, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { withTrace } from "../../src/core/tracing.ts";
import type { EventFilter, RecordedEvent } from "../../src/petstore/events/events.ts";
import { mintKey } from "../../src/petstore/keys/lifecycle.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { doneOf } from "./outcomes.ts";

const nowMs = Date.UTC(2026, 10, 15, 12);
const limit = 100_000;
const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;
const petText = (id: bigint, status = "available", name = "Bella") =>
  `{"id":${id},"name":"${name}","categoryId":3,"status":"${status}"}`;
const orderText = (id: bigint, petId: bigint, status: string) =>
  `{"id":${id},"petId":${petId},"quantity":2,"status":"${status}","placedAt":"2026-11-15T12:00:00.000Z"}`;

/** Follows the events by their ids while others write, as a client does that polls. */
export class Follower {
  readonly seen: RecordedEvent[] = [];
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  async poll(pageSize = 3): Promise<readonly RecordedEvent[]> {
    for (;;) {
      const after = this.seen.at(-1)?.id ?? 0;
      const page = await this.#stores.events.list({ after, limit: pageSize });
      this.seen.push(...(page?.events ?? []));
      if (page?.events.length === 0) return this.seen;
    }
  }
}

export async function allEvents({ events }: Stores): Promise<readonly RecordedEvent[]> {
  return (await events.list({ after: 0, limit }))?.events ?? [];
}

/** The last state of each resource by its events, which follow from each other. */
export function stateAfter(events: readonly RecordedEvent[]): Map<string, string> {
  const state = new Map<string, string>();
  for (const { type, resource, data } of events) {
    const before = state.get(resource);
    const [kind, what] = type.split(".") as [string, string];
    expect(`${kind}s/${JSON.parse(data).id}`).toBe(resource);
    expect(before === undefined).toBe(what === "created" || what === "placed");
    if (kind === "order") expect(JSON.parse(data).status).toBe(what);
    if (what === "deleted") expect(before).toBe(data);
    else expect(before).not.toBe(data);
    if (what === "deleted") state.delete(resource);
    else state.set(resource, data);
  }
  return state;
}

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeEvents(engine: string, open: () => Promise<Stores>): void {
  describe(`events on ${engine}`, () => {
    const listed = (stores: Stores) => allEvents(stores);
    const briefly = (events: readonly RecordedEvent[]) =>
      events.map(({ type, resource, data }) => [type, resource, data]);

    test("are those of each change, in its transaction's order, with the resource as it is then", async () => {
      const stores = await open();
      const { catalogue, orders } = stores;
      const { id } = doneOf(await catalogue.add(bella));
      await catalogue.update(id, { name: "Rex" });
      const order = doneOf(await orders.place({ petId: id, quantity: 2 }, nowMs)).id;
      await orders.move(order, "approve");
      await orders.move(order, "cancel");
      await catalogue.delete(id);
      const beforeMs = Date.now();
      const last = doneOf(await catalogue.add({ ...bella, name: "Ada" })).id;
      const delivered = doneOf(await orders.place({ petId: last, quantity: 2 }, nowMs)).id;
      await orders.move(delivered, "approve");
      await orders.move(delivered, "deliver");
      const events = await listed(stores);
      const [pet, other] = [`pets/${id}`, `pets/${last}`];
      expect(briefly(events)).toEqual([
        ["pet.created", pet, petText(id)],
        ["pet.updated", pet, petText(id, "available", "Rex")],
        ["order.placed", `orders/${order}`, orderText(order, id, "placed")],
        ["pet.updated", pet, petText(id, "pending", "Rex")],
        ["order.approved", `orders/${order}`, orderText(order, id, "approved")],
        ["order.cancelled", `orders/${order}`, orderText(order, id, "cancelled")],
        ["pet.updated", pet, petText(id, "available", "Rex")],
        ["pet.deleted", pet, petText(id, "available", "Rex")],
        ["pet.created", other, petText(last, "available", "Ada")],
        ["order.placed", `orders/${delivered}`, orderText(delivered, last, "placed")],
        ["pet.updated", other, petText(last, "pending", "Ada")],
        ["order.approved", `orders/${delivered}`, orderText(delivered, last, "approved")],
        ["order.delivered", `orders/${delivered}`, orderText(delivered, last, "delivered")],
        ["pet.updated", other, petText(last, "sold", "Ada")],
      ]);
      for (const { atMs } of events.slice(8)) {
        expect(atMs).toBeGreaterThanOrEqual(beforeMs);
        expect(atMs).toBeLessThanOrEqual(Date.now());
      }
    });

    test("carry the trace of the request that caused them, and nobody else's", async () => {
      const stores = await open();
      const { catalogue, orders, keys } = stores;
      const carrying = <T>(name: string, work: () => T) => withTrace(name, work);
      // In one batch, of unconditional additions alone and then of others, too.
      const added = await Promise.all([
        catalogue.add(bella),
        carrying("one", () => catalogue.add(bella)),
        carrying("two", () => catalogue.add(bella)),
      ]);
      const [first, second, third] = added.map((outcome) => doneOf(outcome).id) as bigint[];
      await Promise.all([
        carrying("three", () => catalogue.update(first as bigint, { name: "Rex" })),
        catalogue.delete(second as bigint),
        carrying("four", () => orders.place({ petId: third as bigint, quantity: 1 }, nowMs)),
      ]);
      const { key } = mintKey(
        { name: "traced", environment: "production", scopes: "all", expiresAtMs: undefined },
        systemClock,
      );
      await carrying("five", () => keys.add(key));
      await keys.revoke(key.id, nowMs);
      const traces = Map.groupBy(await listed(stores), ({ trace }) => trace);
      const typesOf = (trace: string | undefined) => traces.get(trace)?.map(({ type }) => type);
      expect([...traces.keys()].toSorted()).toEqual(
        [undefined, "one", "two", "three", "four", "five"].toSorted(),
      );
      expect(typesOf(undefined)).toEqual(["pet.created", "pet.deleted", "key.revoked"]);
      expect(typesOf("one")).toEqual(["pet.created"]);
      expect(traces.get("two")?.[0]?.resource).toBe(`pets/${third}`);
      expect(typesOf("three")).toEqual(["pet.updated"]);
      expect(typesOf("four")).toEqual(["order.placed", "pet.updated"]);
      expect(typesOf("five")).toEqual(["key.created"]);
    });

    test("of an import are one for each pet that was added", async () => {
      const stores = await open();
      const pets = [{ ...bella, id: 40n }, bella, { ...bella, id: 41n }];
      await stores.catalogue.import(pets);
      await stores.catalogue.import(pets.slice(0, 1));
      expect((await listed(stores)).map(({ type, resource }) => [type, resource])).toEqual([
        ["pet.created", "pets/40"],
        ["pet.created", "pets/41"],
        ["pet.created", "pets/42"],
      ]);
    });

    test("are none where nothing changed: a refusal, a repetition, a patch that changes nothing", async () => {
      const stores = await open();
      const { catalogue, orders } = stores;
      const idempotency = { keyId: "k", idempotencyKey: "i", fingerprint: "f", nowMs };
      const { id } = doneOf(await catalogue.add(bella, { idempotency }));
      const before = (await listed(stores)).length;
      await catalogue.add(bella, { idempotency });
      await catalogue.add(bella, { knownCategoryOnly: true });
      await catalogue.update(id, {});
      await catalogue.update(id, { name: "Bella" });
      await catalogue.update(id, { name: "Rex" }, { ifMatch: ['"other"'] });
      await catalogue.delete(id, { ifMatch: ['"other"'] });
      await catalogue.delete(id + 1n);
      await orders.place({ petId: id + 1n, quantity: 2 }, nowMs);
      await orders.move(1n, "approve");
      await catalogue.import([{ ...bella, id, name: "Other" }]);
      expect(before).toBe(1);
      expect(await listed(stores)).toHaveLength(before);
    });

    test("are read from any point on, and those from before an instant are removed", async () => {
      const stores = await open();
      for (let count = 0; count < 5; count++) await stores.catalogue.add(bella);
      const all = await listed(stores);
      const [first, second, third] = all as [RecordedEvent, RecordedEvent, RecordedEvent];
      const last = all.at(-1)?.id ?? 0;
      expect(await stores.events.lastId()).toBe(last);
      expect(await stores.events.list({ after: first.id, limit: 2 })).toEqual({
        events: [second, third],
        readUpTo: third.id,
        isLast: false,
      });
      const end = { events: [], readUpTo: last, isLast: true };
      expect(await stores.events.list({ after: last, limit })).toEqual(end);
      expect(await stores.events.prune(first.atMs)).toBe(false);
      expect(await listed(stores)).toEqual(all);
      expect(await stores.events.prune(Date.now() + 1)).toBe(false);
      expect(await listed(stores)).toEqual([]);
      expect(await stores.events.list({ after: last, limit })).toEqual(end);
      await stores.catalogue.add(bella);
      expect((await listed(stores)).map(({ id }) => id)).toEqual([last + 1]);
      // What followed these two was removed before it could be read; nothing followed the third.
      expect(await stores.events.list({ after: first.id, limit })).toBeUndefined();
      expect(await stores.events.list({ after: last - 1, limit })).toBeUndefined();
      expect((await stores.events.list({ after: last, limit }))?.events).toHaveLength(1);
    });

    test("are filtered by their types and their resource", async () => {
      const stores = await open();
      const ids = [doneOf(await stores.catalogue.add(bella)).id];
      ids.push(doneOf(await stores.catalogue.add(bella)).id);
      const resource = `pets/${ids[1]}`;
      for (const id of ids) await stores.orders.place({ petId: id, quantity: 1 }, nowMs);
      const found = async (filter: EventFilter, after = 0) => {
        const page = await stores.events.list({ after, limit, ...filter });
        expect(page).toMatchObject({ readUpTo: await stores.events.lastId(), isLast: true });
        return page?.events.map(({ type, resource }) => `${type} ${resource}`);
      };
      expect(await found({ resource })).toEqual([
        `pet.created ${resource}`,
        `pet.updated ${resource}`,
      ]);
      expect(await found({ resource, types: ["pet.updated"] })).toEqual([
        `pet.updated ${resource}`,
      ]);
      expect(await found({ resource: "pets/999" })).toEqual([]);
      expect(await found({ types: ["order.placed", "pet.deleted"] })).toEqual([
        "order.placed orders/1",
        "order.placed orders/2",
      ]);
      expect(await found({ types: [] })).toEqual([]);
      const limited = await stores.events.list({ after: 0, limit: 1, types: ["pet.updated"] });
      const [event] = limited?.events ?? [];
      expect(limited).toMatchObject({ readUpTo: event?.id, isLast: false });
      expect(await found({ types: ["pet.updated"] }, event?.id)).toEqual([
        `pet.updated ${resource}`,
      ]);
    });

    test("that do not match are passed over ten thousand at a time", async () => {
      const stores = await open();
      const many = Array.from({ length: 10_001 }, () => bella);
      for (let at = 0; at < many.length; at += 1_000) {
        await stores.catalogue.import(many.slice(at, at + 1_000));
      }
      const types = ["pet.deleted"] as const;
      const first = await stores.events.list({ after: 0, limit: 5, types });
      expect(first).toEqual({ events: [], readUpTo: 10_000, isLast: false });
      const second = await stores.events.list({ after: 10_000, limit: 5, types });
      expect(second).toEqual({ events: [], readUpTo: 10_001, isLast: true });
    });

    test("are seen by one who follows them while two processes write: all, once, in order", async () => {
      const [one, two, reader] = [await open(), await open(), await open()];
      const follower = new Follower(reader);
      const work = [one, two].map(async (stores) => {
        for (let count = 0; count < 30; count++) {
          const added = stores.catalogue.add(bella);
          const { id } = doneOf(await stores.catalogue.add(bella));
          await Promise.all([added, stores.orders.place({ petId: id, quantity: 1 }, nowMs)]);
        }
      });
      let busy = true;
      const done = Promise.all(work).finally(() => {
        busy = false;
      });
      while (busy) {
        await follower.poll();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await done;
      expect(await follower.poll()).toEqual(await listed(reader));
      expect(follower.seen).toHaveLength(2 * 30 * 4);
      expect(stateAfter(follower.seen).size).toBe(2 * 30 * 3);
    });
  });
}
