/** Judges histories of pets and orders by what src/petstore/orders/orders.ts and src/petstore/idempotency/idempotency.ts promise. */
import { expect } from "bun:test";
import type { PetStatus } from "../../src/petstore/catalogue/pet.ts";
import { retentionMs } from "../../src/petstore/idempotency/idempotency.ts";
import type { OrderStatus } from "../../src/petstore/orders/orders.ts";
import type { Stores } from "../../src/storage/stores.ts";
import type { Beginning, Event, Outcome } from "./history.ts";
import { isOpen, type PetState, statesAfter, unused } from "./historyModel.ts";

type Orders = ReadonlyMap<bigint, { readonly petId: bigint; readonly status: OrderStatus }>;
interface Seen {
  readonly pets: ReadonlyMap<bigint, NonNullable<PetState["pet"]>>;
  readonly orders: Orders;
}

const petStatuses: readonly PetStatus[] = ["available", "pending", "sold"];
/** Where an order may be, given where it was. */
const laterStatuses: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: ["placed", "approved", "delivered", "cancelled"],
  approved: ["approved", "delivered", "cancelled"],
  delivered: ["delivered"],
  cancelled: ["cancelled"],
};
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
   * the orders again: the pet of an order that is open in both was pending.
   */
  async observe(): Promise<Seen> {
    const before = await this.#orders();
    const pets = await this.#pets();
    const orders = await this.#orders();
    for (const [id, { petId, status }] of before) {
      const now = orders.get(id);
      expect(now?.petId).toBe(petId);
      expect(laterStatuses[status]).toContain(now?.status as OrderStatus);
      if (now !== undefined && isOpen(now.status)) expect(pets.get(petId)?.status).toBe("pending");
    }
    for (const read of [before, orders]) {
      const open = [...read.values()].filter(({ status }) => isOpen(status));
      expect(new Set(open.map(({ petId }) => petId)).size).toBe(open.length);
    }
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
    return new Map(read.map(({ id, name, status }) => [BigInt(id), { name, status }]));
  }

  async #orders(): Promise<Orders> {
    const after = this.#beginning.lastOrderId;
    const { orders } = await this.#stores.orders.list({ after, limit });
    const read = orders.map((text) => JSON.parse(text));
    return new Map(
      read.map(({ id, petId, status }) => [BigInt(id), { petId: BigInt(petId), status }]),
    );
  }
}

/** In some order, all that was done explains its outcomes, and left what is there now. */
export function judgeOutcomes(
  events: readonly Event[],
  seen: Seen,
  { petIds }: Pick<Beginning, "petIds">,
): void {
  const petOfOrder = new Map<bigint, bigint>();
  for (const { request, outcome } of events) {
    if (request.kind !== "place" || outcome.kind !== "done") continue;
    expect(petOfOrder.has(outcome.id ?? 0n)).toBe(false);
    petOfOrder.set(outcome.id ?? 0n, request.petId);
  }
  const first: PetState = { pet: { name: "x", status: "available" }, used: true, orders: {} };
  const byPet = Map.groupBy(
    // What was only repeated did nothing.
    events.filter(({ outcome }) => !["replayed", "mismatch"].includes(outcome.kind)),
    (event) => petOf(event, petOfOrder),
  );
  for (const { outcome } of byPet.get(undefined) ?? []) expect(outcome.kind).toBe("no_such_order");
  byPet.delete(undefined);
  for (const id of [...petIds, ...seen.pets.keys()]) if (!byPet.has(id)) byPet.set(id, []);
  for (const [id, ofPet] of byPet as Map<bigint, Event[]>) {
    let states = [petIds.includes(id) ? first : unused];
    for (const together of Map.groupBy(ofPet, ({ round }) => round).values()) {
      states = statesAfter(states, id, together);
    }
    const orders = [...seen.orders].filter(([, { petId }]) => petId === id);
    const left = {
      pet: seen.pets.get(id),
      orders: Object.fromEntries(orders.map(([orderId, { status }]) => [`${orderId}`, status])),
    };
    expect(states.map(({ pet, orders }) => ({ pet, orders }))).toContainEqual(left);
  }
}

function petOf(
  { request, outcome }: Event,
  petOfOrder: ReadonlyMap<bigint, bigint>,
): bigint | undefined {
  if (request.kind === "add") return outcome.id;
  if (request.kind === "import") return request.id;
  return "petId" in request ? request.petId : petOfOrder.get(request.orderId);
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
