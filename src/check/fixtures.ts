/** Pets and orders for checks to work with, and ways of finding them again on a busy service. */

import { allOperations } from "../contract/operations.ts";
import {
  Caller,
  type HttpExchange,
  type RequestOptions,
  type RunContext,
  shown,
} from "./caller.ts";
import { assert, NotApplicable } from "./check.ts";
import { header, type Order, orderIn, type Pet, petIn, petsIn } from "./shapes.ts";

export interface PetFields {
  readonly name?: string;
  readonly categoryId?: number;
  readonly status?: string;
}

/** Posts a pet with a name of its own, without a status. */
export function postPet(
  caller: Caller,
  sent: Omit<RequestOptions, "body"> = {},
  fields: object = {},
): Promise<HttpExchange> {
  return caller.post("/pets", { name: caller.newName(), categoryId: 1, ...fields }, sent);
}

export async function addPet(caller: Caller, wanted: PetFields = {}): Promise<Pet> {
  return petIn(await postPet(caller, {}, { status: "available", ...wanted }), 201);
}

export function addPets(caller: Caller, count: number, wanted: PetFields = {}): Promise<Pet[]> {
  return Promise.all(Array.from({ length: count }, () => addPet(caller, wanted)));
}

export async function placeOrder(caller: Caller, pet?: Pet): Promise<Order> {
  const { id } = pet ?? (await addPet(caller));
  return orderIn(await caller.post("/store/orders", `{"petId":${id},"quantity":1}`), 201);
}

/** More than the largest page holds. */
export const manyPetsCount = 101;
const manyPets = new WeakMap<RunContext, Promise<unknown>>();

/** Makes sure that more pets are there than a page can hold; once for all checks that need it. */
export async function ensureManyPets({ context }: Caller): Promise<void> {
  const pets = manyPets.get(context) ?? addPets(new Caller(context), manyPetsCount);
  manyPets.set(context, pets);
  await pets;
}

const getPetEndsAtMs =
  allOperations.find(({ id }) => id === "getPet")?.lifecycle?.sunsetAtMs ??
  Number.POSITIVE_INFINITY;

export const getPetIsGone = ({ context }: Caller): boolean => context.clock.now() >= getPetEndsAtMs;

export function needGetPet(caller: Caller): void {
  if (getPetIsGone(caller)) throw new NotApplicable("getPet has reached its announced end.");
}

/** The pet as it is now, by whichever way there is. */
export async function petNow(caller: Caller, id: bigint): Promise<Pet> {
  if (!getPetIsGone(caller)) return petIn(await caller.get(`/pets/${id}`));
  const seen = await caller.get(`/pets?id=${id}`);
  const [pet] = petsIn(seen);
  assert(pet !== undefined, `pet ${id}`, shown(seen));
  return pet;
}

export async function expectPetStatus(caller: Caller, id: bigint, status: string): Promise<void> {
  const found = await petNow(caller, id);
  assert(found.status === status, `pet ${id} ${status}`, `${found.status}`);
}

const lookedThroughMax = 2_000n;
const idsAtOnce = 100n;

/** All pets with ids between two, for finding one that should not be there. */
export async function petsBetween(caller: Caller, from: Pet, to: Pet): Promise<Pet[]> {
  const count = to.id - from.id - 1n;
  if (count < 0n || count > lookedThroughMax) {
    throw new NotApplicable("Ids are too far apart here to look through all between two pets.");
  }
  const found: Pet[] = [];
  for (let id = from.id + 1n; id < to.id; id += idsAtOnce) {
    const end = id + idsAtOnce < to.id ? id + idsAtOnce : to.id;
    const ids = Array.from({ length: Number(end - id) }, (_, place) => `id=${id + BigInt(place)}`);
    found.push(...petsIn(await caller.get(`/pets?limit=100&${ids.join("&")}`)));
  }
  return found;
}

/** The target of a link (RFC 8288) with this relation. */
export function linkIn({ headers }: HttpExchange, relation: string): string | undefined {
  const links = (headers.get("link") ?? "").matchAll(/<([^>]*)>([^<]*)/g);
  for (const [, target, parameters = ""] of links) {
    const [, quoted, plain] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
    const relations = (quoted ?? plain ?? "").toLowerCase().split(/\s+/);
    if (relations.includes(relation)) return target;
  }
  return undefined;
}

/**
 * Where an address of the service leads, on the base that is under test. Behind a proxy the service
 * may know itself by another name, and the key must not be sent there.
 */
export function rebased(caller: Caller, address: string, place: string): string {
  const base = `${caller.context.base}${place}`;
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  assert(url?.pathname.endsWith(place) === true, `an address of ${place}`, address);
  return `${place}${url.search}`;
}

/** The pages of a list from a query on. Ends at the last page or after `pagesMax`. */
export async function* walk(
  caller: Caller,
  place: string,
  query: string,
  pagesMax: number,
): AsyncGenerator<HttpExchange> {
  let path = `${place}?${query}`;
  for (let page = 0; page < pagesMax; page++) {
    const seen = await caller.get(path);
    yield seen;
    const next = linkIn(seen, "next");
    if (next === undefined) return;
    path = rebased(caller, next, place);
  }
}

export function nextOf(caller: Caller, seen: HttpExchange, place: string): string {
  const next = linkIn(seen, "next");
  assert(next !== undefined, 'a Link with rel="next"', header(seen, "link"));
  return rebased(caller, next, place);
}

export function cursorOf(caller: Caller, seen: HttpExchange, place: string): string {
  const path = nextOf(caller, seen, place);
  const cursor = new URLSearchParams(path.slice(path.indexOf("?"))).get("cursor");
  assert(cursor !== null && cursor !== "", "a cursor in the next address", path);
  return cursor;
}

export function expectAscending(things: readonly Identified[], what: string): void {
  for (const [place, { id }] of things.entries()) {
    const before = things[place - 1]?.id;
    const fits = before === undefined || before < id;
    assert(fits, `${what} by growing id, none twice`, `${id} after ${before}`);
  }
}

type Identified = { readonly id: bigint };

export function expectIds(found: readonly Identified[], wanted: readonly Identified[]): void {
  assert(idsOf(found) === idsOf(wanted), idsOf(wanted), idsOf(found));
}

export const idsOf = (things: readonly Identified[]): string =>
  things.map(({ id }) => id).join(", ") || "none";
