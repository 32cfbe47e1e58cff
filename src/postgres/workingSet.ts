/** What a transaction has read and is going to write. Its decisions are made on this, in memory. */
import { idGivenMax } from "../catalogue/catalogue.ts";
import { type NewPet, type Pet, type PetStatus, petText } from "../catalogue/pet.ts";
import { int64Max } from "../contract/int64.ts";
import type { JsonOf } from "../contract/operations.ts";
import { type Done, type Mismatch, type Once, onceMs } from "../once.ts";
import type { OrderStatus } from "../orders/order.ts";

export interface HeldPet extends NewPet {
  readonly json: string;
}

export interface HeldOrder {
  readonly petId: bigint;
  readonly quantity: number;
  readonly status: OrderStatus;
  readonly placedAtMs: number;
  readonly json: string;
}

export interface HeldMark {
  readonly keyId: string;
  readonly mark: string;
  readonly fingerprint: string;
  readonly entityId: bigint;
  readonly text: string;
  readonly createdAtMs: number;
}

/** What must be read before a decision can be made. */
export class Wanted {
  readonly petIds = new Set<bigint>();
  readonly orderIds = new Set<bigint>();
  readonly categoryIds = new Set<bigint>();
  readonly marks = new Map<string, Once>();
  /** How many pets may be given an id. */
  newPets = 0;

  mark(once: Once | undefined): void {
    if (once !== undefined) this.marks.set(markName(once), once);
  }
}

export class WorkingSet {
  lastPetId: bigint;
  lastOrderId: bigint;
  readonly pets = new Map<bigint, HeldPet>();
  readonly orders = new Map<bigint, HeldOrder>();
  readonly marks = new Map<string, HeldMark>();
  readonly categoryIds = new Set<bigint>();
  /** Ids past `idGivenMax` that an import has taken, as far as new pets may get. */
  readonly takenIds = new Set<bigint>();

  readonly addedPets = new Set<bigint>();
  readonly changedPets = new Set<bigint>();
  readonly addedOrders = new Set<bigint>();
  readonly changedOrders = new Set<bigint>();
  readonly keptMarks = new Set<string>();
  /** Whether a pet may have come among those with smaller ids, where an addition never puts one. */
  imported = false;
  /** The earliest instant that a kept mark was given. */
  marksNowMs = Number.POSITIVE_INFINITY;

  constructor(lastPetId: bigint, lastOrderId: bigint) {
    this.lastPetId = lastPetId;
    this.lastOrderId = lastOrderId;
  }

  /** Past `idGivenMax` an import may have been there before. */
  nextPetId(): bigint {
    do this.lastPetId = following(this.lastPetId, "pet");
    while (
      this.lastPetId > idGivenMax &&
      (this.takenIds.has(this.lastPetId) || this.pets.has(this.lastPetId))
    );
    return this.lastPetId;
  }

  nextOrderId(): bigint {
    this.lastOrderId = following(this.lastOrderId, "order");
    return this.lastOrderId;
  }

  addPet(id: bigint, { name, categoryId, status }: NewPet): JsonOf<Pet> {
    const json = petText({ id, name, categoryId, status });
    this.pets.set(id, { name, categoryId, status, json });
    this.addedPets.add(id);
    return json;
  }

  movePet(id: bigint, { name, categoryId }: HeldPet, status: PetStatus): void {
    const json = petText({ id, name, categoryId, status });
    this.pets.set(id, { name, categoryId, status, json });
    if (!this.addedPets.has(id)) this.changedPets.add(id);
  }

  putOrder(id: bigint, order: HeldOrder): void {
    const isNew = !this.orders.has(id);
    this.orders.set(id, order);
    if (isNew) this.addedOrders.add(id);
    else if (!this.addedOrders.has(id)) this.changedOrders.add(id);
  }

  /** Undefined when nothing is kept under the mark any more, so that the thing is to be done. */
  recall<T>(once: Once | undefined): Done<T> | Mismatch | undefined {
    if (once === undefined) return undefined;
    const held = this.marks.get(markName(once));
    if (held === undefined || held.createdAtMs <= once.nowMs - onceMs) return undefined;
    if (held.fingerprint !== once.fingerprint) return { kind: "mismatch" };
    return { kind: "replayed", id: held.entityId, text: held.text as JsonOf<T> };
  }

  /** After the effect. */
  keep(once: Once | undefined, entityId: bigint, text: string): void {
    if (once === undefined) return;
    const { keyId, mark, fingerprint, nowMs: createdAtMs } = once;
    const name = markName(once);
    this.marks.set(name, { keyId, mark, fingerprint, entityId, text, createdAtMs });
    this.keptMarks.add(name);
    this.marksNowMs = Math.min(this.marksNowMs, createdAtMs);
  }
}

export function markName({ keyId, mark }: { keyId: string; mark: string }): string {
  return JSON.stringify([keyId, mark]);
}

function following(last: bigint, what: string): bigint {
  if (last === int64Max) throw new Error(`Every number is used up: no ${what} can be given one.`);
  return last + 1n;
}
