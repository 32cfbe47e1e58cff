/** What clients sent and the responses they got, for comparison with the database afterwards. */

import { int64Max, int64Min } from "../src/contract/int64.ts";
import type { PetStatus } from "../src/petstore/catalogue/pet.ts";
import type { OrderEvent, OrderStatus } from "../src/petstore/orders/orders.ts";
import type { SeededRandom } from "../testkit/seededRandom.ts";
import { EditedPets } from "./edits.ts";
import { EventFold } from "./eventFold.ts";

/**
 * `sent`: no response yet. `refused`: rejected, without effect. `unknown`: no response was received,
 * so it took effect completely or not at all.
 */
export type WriteOutcome = "sent" | "acknowledged" | "refused" | "unknown";

export interface Write {
  /** Its Idempotency-Key. */
  readonly idempotencyKey: string | undefined;
  outcome: WriteOutcome;
  /** The first answer, which a repetition must get again. */
  text: string | undefined;
  /** Where the journal of the disk was at the first acknowledgement, where there is one. */
  acknowledgedAt?: number | undefined;
}

export interface PetEntry extends Write {
  readonly kind: "pet";
  readonly number: number;
  readonly name: string;
  readonly categoryId: bigint;
  /** As it was sent; left out, it is `available`. */
  readonly status: PetStatus | undefined;
  readonly orders: OrderEntry[];
  id: string | undefined;
}

export interface OrderEntry extends Write {
  readonly kind: "order";
  readonly pet: PetEntry;
  readonly quantity: number;
  readonly moves: MoveEntry[];
  id: string | undefined;
  /** How far it is at least. */
  certain: OrderStatus;
  placedAt: string | undefined;
}

export interface MoveEntry extends Write {
  readonly kind: "move";
  readonly order: OrderEntry;
  readonly event: OrderEvent;
}

export type Entry = PetEntry | OrderEntry | MoveEntry;

export const orderSteps: readonly OrderStatus[] = ["placed", "approved", "delivered"];
const petSteps: readonly PetStatus[] = ["available", "pending", "sold"];

const edges = [0n, 1n, -1n, int64Max, int64Min, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n];
const letters = [..."aZ09 _-'\"\\/<&é漢ßא٣\t\n", "\u{1f408}", "e\u0301", "\u200d", "\u2028"];
const lettersMax = 60;

export class Ledger {
  readonly pets: PetEntry[] = [];
  readonly edits: EditedPets;
  readonly events = new EventFold();
  /** Of which the id is known. */
  readonly petsById = new Map<string, PetEntry>();
  readonly ordersById = new Map<string, OrderEntry>();
  /** Written with an idempotency key and acknowledged: these may be asked again. */
  readonly repeatable: Entry[] = [];
  /** Written with an idempotency key, and perhaps not done: these are to be asked again. */
  readonly unsettled: Entry[] = [];
  readonly #there: PetEntry[] = [];
  readonly #stocked: PetEntry[] = [];
  readonly #orders: OrderEntry[] = [];
  #keys = 0;

  /** `editedAtOnceMax` is how many pets are there at once that are updated and deleted. */
  constructor(editedAtOnceMax?: number) {
    this.edits = new EditedPets(editedAtOnceMax);
  }

  newPet(random: SeededRandom): PetEntry {
    const number = this.pets.length;
    const content = Array.from({ length: random.between(0, lettersMax) }, () =>
      random.oneOf(letters),
    );
    const pet: PetEntry = {
      kind: "pet",
      number,
      name: `Pet ${number} ${content.join("")}`,
      categoryId: random.happens(0.5) ? random.oneOf(edges) : BigInt(random.between(0, 1_000)),
      status: random.oneOf([undefined, undefined, "available", "pending", "sold"] as const),
      orders: [],
      id: undefined,
      ...this.#write(random),
    };
    this.pets.push(pet);
    return pet;
  }

  /** For a pet that was available when it was added, ordered or not by now. */
  newOrder(random: SeededRandom): OrderEntry | undefined {
    const pet = recentOrAny(this.#stocked, random);
    if (pet === undefined) return undefined;
    const order: OrderEntry = {
      kind: "order",
      pet,
      quantity: random.between(1, 1_001),
      moves: [],
      id: undefined,
      certain: "placed",
      placedAt: undefined,
      ...this.#write(random),
    };
    pet.orders.push(order);
    return order;
  }

  newMove(random: SeededRandom): MoveEntry | undefined {
    const order = recentOrAny(this.#orders, random);
    if (order === undefined) return undefined;
    const event = random.oneOf(["approve", "deliver"] as const);
    const move: MoveEntry = { kind: "move", order, event, ...this.#write(random) };
    order.moves.push(move);
    return move;
  }

  #write(random: SeededRandom): Write {
    const idempotencyKey = random.happens(0.5) ? `attempt-${this.#keys++}` : undefined;
    return { idempotencyKey, outcome: "sent", text: undefined };
  }

  anyPet(random: SeededRandom): PetEntry | undefined {
    return recentOrAny(this.#there, random);
  }

  /** Records that a response has acknowledged the write. */
  acknowledge(entry: Entry, text: string, at?: number): void {
    entry.outcome = "acknowledged";
    entry.acknowledgedAt ??= at;
    entry.text ??= text;
    if (entry.idempotencyKey !== undefined) this.repeatable.push(entry);
  }

  /** Where idempotency keys may have expired, nothing is asked again any more. */
  forgetMarks(): void {
    this.repeatable.length = 0;
    this.unsettled.length = 0;
    this.edits.forgetMarks();
  }

  petIsThere(pet: PetEntry, id: string): void {
    if (pet.id !== undefined) return;
    pet.id = id;
    this.petsById.set(id, pet);
    this.#there.push(pet);
    if ((pet.status ?? "available") === "available") this.#stocked.push(pet);
  }

  orderIsThere(order: OrderEntry, id: string, placedAt: string): void {
    if (order.id !== undefined) return;
    order.id = id;
    order.placedAt = placedAt;
    this.ordersById.set(id, order);
    this.#orders.push(order);
  }

  /** The pet of a name, whichever the rest of the name is. */
  petNamed(name: unknown): PetEntry | undefined {
    const number = /^Pet (\d+) /.exec(String(name))?.[1];
    return number === undefined ? undefined : this.pets[Number(number)];
  }
}

/** Often one of the last, so that several clients want the same one. */
function recentOrAny<T>(all: readonly T[], random: SeededRandom): T | undefined {
  if (all.length === 0) return undefined;
  const from = random.happens(0.5) ? Math.max(0, all.length - 20) : 0;
  return all[random.between(from, all.length)];
}

/** Done, or perhaps done. */
const mayBeDone = ({ outcome }: Write) => outcome !== "refused";

/** How far an order may be, leaving one of its moves out of account. */
export function possibleStep(order: OrderEntry, without?: MoveEntry): number {
  const asked = (event: OrderEvent) =>
    order.moves.some((move) => move !== without && move.event === event && mayBeDone(move));
  let step = orderSteps.indexOf(order.certain);
  if (step < 1 && asked("approve")) step = 1;
  if (step === 1 && asked("deliver")) step = 2;
  return step;
}

export const certainStep = (order: OrderEntry) => orderSteps.indexOf(order.certain);

/** How far a pet is at least, and at most, as steps from available over pending to sold. */
export function petStepMin(pet: PetEntry): number {
  const sure = pet.orders.filter(({ outcome }) => outcome === "acknowledged");
  return Math.max(firstStep(pet), ...sure.map((order) => (certainStep(order) === 2 ? 2 : 1)));
}

/** That of every pet that was ordered; the others are where they were when they were added. */
export function petStepsMin(ledger: Ledger): Map<PetEntry, number> {
  const steps = new Map<PetEntry, number>();
  for (const { pet } of ledger.ordersById.values()) steps.set(pet, petStepMin(pet));
  return steps;
}

export function petStepMax(pet: PetEntry, without?: OrderEntry): number {
  const orders = pet.orders.filter((order) => order !== without && mayBeDone(order));
  return Math.max(firstStep(pet), ...orders.map((order) => (possibleStep(order) === 2 ? 2 : 1)));
}

export const firstStep = ({ status = "available" }: PetEntry) => petSteps.indexOf(status);
export const petStepOf = (status: unknown) => petSteps.indexOf(status as PetStatus);
export const orderStepOf = (status: unknown) => orderSteps.indexOf(status as OrderStatus);

/** Why this cannot be the pet of the entry; undefined where it is, digit for digit. */
export function petFault(pet: PetEntry, seen: Record<string, unknown>): string | undefined {
  const members = Object.keys(seen).sort().join();
  if (members !== "categoryId,id,name,status") return `its members are ${members}`;
  if (seen["name"] !== pet.name) return `its name is ${JSON.stringify(seen["name"])}`;
  if (String(seen["categoryId"]) !== String(pet.categoryId))
    return `its category ${seen["categoryId"]}`;
  if (pet.id !== undefined && String(seen["id"]) !== pet.id) return `its id is ${seen["id"]}`;
  return undefined;
}

export function orderFault(order: OrderEntry, seen: Record<string, unknown>): string | undefined {
  const members = Object.keys(seen).sort().join();
  if (members !== "id,petId,placedAt,quantity,status") return `its members are ${members}`;
  if (String(seen["petId"]) !== order.pet.id) return `its pet is ${seen["petId"]}`;
  if (seen["quantity"] !== order.quantity) return `its quantity is ${seen["quantity"]}`;
  if (order.id !== undefined && String(seen["id"]) !== order.id) return `its id is ${seen["id"]}`;
  if (order.placedAt !== undefined && seen["placedAt"] !== order.placedAt)
    return `it was placed at ${seen["placedAt"]}`;
  return undefined;
}

export function newPetText({ name, categoryId, status }: PetEntry): string {
  const given = status === undefined ? "" : `,"status":"${status}"`;
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${given}}`;
}

export const describePet = (pet: PetEntry) =>
  `pet ${pet.number} (id ${pet.id ?? "?"}, ${pet.outcome}, idempotency key ${pet.idempotencyKey ?? "none"})`;
export const describeOrder = (order: OrderEntry) =>
  `order ${order.id ?? "?"} of ${describePet(order.pet)} (${order.outcome}, ${order.certain})`;
