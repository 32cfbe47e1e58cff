/** Judges histories of pets and orders by what src/petstore/orders/orders.ts and src/petstore/idempotency/idempotency.ts promise. */
import { expect } from "bun:test";
import type { PetStatus } from "../../src/petstore/catalogue/pet.ts";
import { retentionMs } from "../../src/petstore/idempotency/idempotency.ts";
import type { OrderStatus } from "../../src/petstore/orders/orders.ts";
import type { Stores } from "../../src/storage/stores.ts";
import type { Beginning, Event, Outcome } from "./history.ts";

interface Seen {
  readonly pets: ReadonlyMap<bigint, PetStatus>;
  readonly orders: ReadonlyMap<bigint, { readonly petId: bigint; readonly status: OrderStatus }>;
}

const petStatuses: readonly PetStatus[] = ["available", "pending", "sold"];
const orderStatuses: readonly OrderStatus[] = ["placed", "approved", "delivered"];
const petStatusOf = {
  placed: "pending",
  approved: "pending",
  delivered: "sold",
  cancelled: "available",
} as const;
const limit = 10_000;

/** Looks at the pets and orders of a history while others change them. */
export class Observer {
  readonly #stores: Stores;
  readonly #beginning: Beginning;

  constructor(stores: Stores, beginning: Beginning) {
    this.#stores = stores;
    this.#beginning = beginning;
  }

  /** Looks again and again until it is done. */
  async during<T>(doing: Promise<T>): Promise<T> {
    let underWay = true;
    const ended = doing.finally(() => {
      underWay = false;
    });
    try {
      while (underWay) {
        await this.observe();
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      await Promise.allSettled([ended]);
    }
    return ended;
  }

  /**
   * Pets and orders cannot be read at one instant, so the pets are read between the orders and
   * the orders again: a pet is where its order was, where it now is, or on the way.
   */
  async observe(): Promise<Seen> {
    const before = await this.#orders();
    const pets = await this.#pets();
    const orders = await this.#orders();
    for (const [id, { petId, status }] of before) {
      const now = orders.get(id);
      expect(now?.petId).toBe(petId);
      expect(orderStatuses.indexOf(now?.status as OrderStatus)).toBeGreaterThanOrEqual(
        orderStatuses.indexOf(status),
      );
      expect(pets.has(petId)).toBe(true);
    }
    for (const [id, { petId, status }] of orders) {
      const petStatus = pets.get(petId);
      if (petStatus === undefined) continue;
      const earlier = before.get(id)?.status;
      const from = petStatuses.indexOf(earlier === undefined ? "available" : petStatusOf[earlier]);
      const to = petStatuses.indexOf(petStatusOf[status]);
      expect(petStatuses.slice(from, to + 1)).toContain(petStatus);
    }
    const orderedPets = [...orders.values()].map(({ petId }) => petId);
    expect(new Set(orderedPets).size).toBe(orderedPets.length);
    return { pets, orders };
  }

  async #pets(): Promise<Seen["pets"]> {
    const after = this.#beginning.lastPetId;
    for (const status of petStatuses) {
      const { pets } = await this.#stores.catalogue.list({ status, after, limit });
      for (const text of pets) expect(text).toContain(`"status":"${status}"`);
    }
    const { pets } = await this.#stores.catalogue.list({ after, limit });
    const read = pets.map((text) => JSON.parse(text));
    return new Map(read.map(({ id, status }) => [BigInt(id), status]));
  }

  async #orders(): Promise<Seen["orders"]> {
    const after = this.#beginning.lastOrderId;
    const { orders } = await this.#stores.orders.list({ after, limit });
    const read = orders.map((text) => JSON.parse(text));
    return new Map(
      read.map(({ id, petId, status }) => [BigInt(id), { petId: BigInt(petId), status }]),
    );
  }
}

/** Whatever was done left what is there now, and nothing else is there. */
export function judgeOutcomes(
  events: readonly Event[],
  seen: Seen,
  { petIds }: Pick<Beginning, "petIds">,
): void {
  const added = new Map<bigint, PetStatus>(petIds.map((id) => [id, "available"]));
  const orders = new Map<bigint, { petId: bigint; status: OrderStatus }>();
  // Nobody knows the order within a round, but an order is approved in a later one than placed.
  for (const { request, outcome } of events) {
    const { kind, id, text } = outcome;
    if (request.kind === "import") {
      if (outcome.added !== 1) continue;
      expect(added.has(request.id)).toBe(false);
      added.set(request.id, request.status);
    } else if (kind === "done" && id !== undefined) {
      const made: { status?: unknown } = JSON.parse(text ?? "{}");
      if (request.kind === "add") {
        expect(added.has(id)).toBe(false);
        added.set(id, request.status);
        expect(made.status).toBe(request.status);
      } else if (request.kind === "place") {
        expect(orders.has(id)).toBe(false);
        orders.set(id, { petId: request.petId, status: "placed" });
        expect(made.status).toBe("placed");
      } else {
        expect(id).toBe(request.orderId);
        expect(made.status).toBe(request.kind === "approve" ? "approved" : "delivered");
      }
    }
  }
  for (const [id, order] of orders) {
    const times = (kind: string) =>
      events.filter(
        ({ request, outcome }) =>
          request.kind === kind && outcome.kind === "done" && outcome.id === id,
      ).length;
    const moves = [times("approve"), times("deliver")] as const;
    expect(["0 0", "1 0", "1 1"]).toContain(moves.join(" "));
    order.status = orderStatuses[moves[0] + moves[1]] as OrderStatus;
  }
  expect(seen.orders).toEqual(orders);

  const pets = new Map(added);
  for (const { petId, status } of orders.values()) {
    expect(added.get(petId)).toBe("available");
    pets.set(petId, petStatusOf[status]);
  }
  expect(new Map([...seen.pets].toSorted())).toEqual(new Map([...pets].toSorted()));
}

/** Under one idempotency key one thing is done in 24 hours, and its outcome is given again and again. */
export function judgeMarks(events: readonly Event[]): void {
  const byKey = Map.groupBy(
    events,
    ({ idempotency }) => idempotency && `${idempotency.keyId} ${idempotency.idempotencyKey}`,
  );
  byKey.delete(undefined);
  for (const ofKey of byKey.values()) {
    let kept: { fingerprint: string; atMs: number; outcome: Outcome } | undefined;
    for (const together of Map.groupBy(ofKey, ({ round }) => round).values()) {
      const nowMs = together[0]?.idempotency?.nowMs ?? Number.NaN;
      if (kept !== undefined && nowMs - kept.atMs >= retentionMs) kept = undefined;
      const wasKept = kept !== undefined;
      const done = together.filter(({ outcome }) => outcome.kind === "done");
      expect(done.length).toBeLessThanOrEqual(wasKept ? 0 : 1);
      if (done[0]?.idempotency !== undefined) {
        kept = {
          fingerprint: done[0].idempotency.fingerprint,
          atMs: nowMs,
          outcome: done[0].outcome,
        };
      }
      for (const { idempotency, outcome } of together) {
        if (outcome.kind === "done") continue;
        const same = idempotency?.fingerprint === kept?.fingerprint;
        if (outcome.kind === "mismatch") expect(kept !== undefined && !same).toBe(true);
        else if (outcome.kind === "replayed") {
          expect(same).toBe(true);
          expect(outcome).toEqual({ ...kept?.outcome, kind: "replayed" });
        } else {
          // Refused on its merits, so before anything was kept.
          expect(wasKept).toBe(false);
        }
      }
    }
  }
}
