/**
 * What a pet and its orders may have come to after a history. Nobody knows in which order the
 * requests of a round were done, so every order is tried that explains all of their outcomes.
 */
import { isDeepStrictEqual } from "node:util";
import type { PetStatus } from "../../src/petstore/catalogue/pet.ts";
import type { OrderStatus } from "../../src/petstore/orders/orders.ts";
import type { Event, Outcome, Request } from "./history.ts";

/** A pet, whether its id was ever used, and its orders by their ids. */
export interface PetState {
  readonly pet: { readonly name: string; readonly status: PetStatus } | undefined;
  readonly used: boolean;
  readonly orders: Readonly<Record<string, OrderStatus>>;
}

export const unused: PetState = { pet: undefined, used: false, orders: {} };

/** Written by hand, apart from the tables that the stores use. */
const moved: Readonly<Record<string, OrderStatus>> = {
  "placed approve": "approved",
  "placed cancel": "cancelled",
  "approved cancel": "cancelled",
  "approved deliver": "delivered",
};

export const isOpen = (status: OrderStatus) => status === "placed" || status === "approved";

export const textOf = (id: bigint, { name, status }: NonNullable<PetState["pet"]>) =>
  `{"id":${id},"name":"${name}","categoryId":1,"status":"${status}"}`;

/** The states that the events of a round may lead to, from one of these. */
export function statesAfter(
  states: readonly PetState[],
  petId: bigint,
  events: readonly Event[],
): PetState[] {
  const ends = new Map<string, PetState>();
  const visited = new Set<string>();
  const visit = (state: PetState, left: readonly Event[]): void => {
    // What fits here and changes nothing need not wait.
    const rest = left.filter((event) => after(state, petId, event) !== state);
    if (rest.length === 0) ends.set(JSON.stringify(state), state);
    const here = JSON.stringify([state, rest.map((event) => events.indexOf(event))]);
    if (visited.has(here)) return;
    visited.add(here);
    for (const event of rest) {
      const next = after(state, petId, event);
      if (next !== undefined) visit(next, rest.toSpliced(rest.indexOf(event), 1));
    }
  };
  for (const state of states) visit(state, events);
  return [...ends.values()];
}

/** The same state if nothing changes; undefined if the outcome does not fit the state. */
function after(state: PetState, petId: bigint, { request, outcome }: Event): PetState | undefined {
  const [expected, next] = apply(state, petId, request, outcome.id ?? 0n);
  return isDeepStrictEqual(shown(outcome), shown(expected)) ? next : undefined;
}

/** Without when an order was placed. */
function shown({ text, ...outcome }: Outcome): unknown {
  if (text === undefined || text === "") return outcome;
  const { placedAt: _, ...members } = JSON.parse(text);
  return { ...outcome, members };
}

/** `id` is that of what is added, which the store chooses. */
function apply(
  state: PetState,
  petId: bigint,
  request: Request,
  id: bigint,
): [Outcome, PetState | undefined] {
  const { pet, orders } = state;
  const done = (now: NonNullable<PetState["pet"]>): [Outcome, PetState] => [
    { kind: "done", id: petId, text: textOf(petId, now) },
    isDeepStrictEqual(now, pet) ? state : { ...state, pet: now, used: true },
  ];
  const refused = (kind: string, more = {}): [Outcome, PetState] => [{ kind, ...more }, state];
  const [openId] = Object.entries(orders).find(([, status]) => isOpen(status)) ?? [];
  const ordered = (orderId: bigint, status: OrderStatus, quantity: number, to: PetStatus) => {
    const text = `{"id":${orderId},"petId":${petId},"quantity":${quantity},"status":"${status}"}`;
    const next = { ...state, orders: { ...orders, [`${orderId}`]: status } };
    return [
      { kind: "done", id: orderId, text },
      { ...next, pet: pet && { ...pet, status: to } },
    ] as [Outcome, PetState];
  };

  if (request.kind === "add") {
    // An id is given once, even if its pet is gone.
    return state.used ? refused("used") : done({ name: "x", status: request.status });
  }
  if (request.kind === "import") {
    const imported = { name: "x", status: request.status };
    if (pet === undefined) {
      const next = { ...state, pet: imported, used: true };
      return [{ kind: "stored", added: 1, unchanged: 0 } as Outcome, next];
    }
    return isDeepStrictEqual(pet, imported)
      ? refused("stored", { added: 0, unchanged: 1 })
      : refused("conflict", { id: petId, index: 0 });
  }
  if (request.kind === "place") {
    if (pet === undefined) return refused("no_such_pet");
    if (pet.status !== "available") return refused("pet_not_available", { status: pet.status });
    return ordered(id, "placed", request.quantity, "pending");
  }
  if (request.kind === "update" || request.kind === "delete") {
    if (pet === undefined) return refused("no_such_pet");
    if (request.held !== undefined && request.held !== textOf(petId, pet)) {
      return refused("precondition_failed");
    }
    const { name = pet.name, status = pet.status } = request.kind === "update" ? request : {};
    const isHeld = openId !== undefined && (request.kind === "delete" || status !== pet.status);
    if (isHeld) return refused("reserved", { orderId: BigInt(openId) });
    if (request.kind === "update") return done({ name, status: status ?? "available" });
    return [
      { kind: "done", id: petId, text: "" },
      { ...state, pet: undefined },
    ];
  }
  const { orderId, quantity } = request;
  const from = orders[`${orderId}`];
  if (from === undefined) return refused("no_such_order");
  const to = moved[`${from} ${request.kind}`];
  if (to === undefined) return refused("refused", { status: from });
  const petStatus = { delivered: "sold", cancelled: "available" } as const;
  return ordered(
    orderId,
    to,
    quantity,
    to === "approved" ? "pending" : petStatus[to as "delivered"],
  );
}
