/** One handler for each operation of the contract. */
import { int64FromText } from "../contract/int64.ts";
import {
  allOperations,
  type Input,
  type OperationId,
  type OperationResponse,
} from "../contract/operations.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { type MaybePromise, then } from "../core/maybePromise.ts";
import type { MetricsRegistry } from "../core/metrics.ts";
import { Problem } from "../core/problems.ts";
import {
  idGivenMax,
  type PetFilter,
  type PetPage,
  type PetRefusal,
} from "../petstore/catalogue/catalogue.ts";
import { type Category, categoryText } from "../petstore/catalogue/categories.ts";
import { normalIds, openCursor, petQuestion, sealCursor } from "../petstore/catalogue/cursor.ts";
import type { IfMatch } from "../petstore/catalogue/pet.ts";
import { type PetExtent, petRange, petsWithIds } from "../petstore/catalogue/petChanges.ts";
import { searchWordsMax, searchWordsOf } from "../petstore/catalogue/petSearch.ts";
import type { Done, IdempotentRequest, Mismatch } from "../petstore/idempotency/idempotency.ts";
import type { ApiKey } from "../petstore/keys/keys.ts";
import { type OrderEvent, refusalText } from "../petstore/orders/orders.ts";
import type { Stores } from "../storage/stores.ts";
import { isRemoved } from "./deprecation.ts";
import { eventHandlers, type StreamCall } from "./eventHandlers.ts";
import { tagged } from "./headers.ts";
import { pageResponse, readHeaders, writeResponse } from "./responses.ts";

/** The dependencies of the handlers. */
export interface HandlerDependencies
  extends Pick<Stores, "catalogue" | "categories" | "orders" | "events"> {
  readonly clock: Clock;
  readonly log: Log;
  readonly registry?: MetricsRegistry;
  /** True once the service is shutting down, which no stream may delay. */
  readonly leaving: () => boolean;
  /** Seals cursors. */
  readonly secret: string;
  /** Whether a pet's category must be among the categories. */
  readonly knownCategoriesOnly: boolean;
}

/** What a handler knows of the request in addition to its input. */
export interface Call {
  /** The base URL of links: `https://api.example.com/v1`. */
  readonly base: string;
  /** The idempotency key of the request. A GET has none. */
  readonly idempotency?: IdempotentRequest | undefined;
  /** The condition of a PATCH or DELETE. */
  readonly ifMatch?: IfMatch | undefined;
  /** Whose request it is. */
  readonly key: ApiKey;
  /** Whether the number of all items of a list is asked for. */
  readonly countsAll?: boolean;
  /** Of a client that asks for server-sent events. */
  readonly stream?: StreamCall | undefined;
}

/** Handles one operation: typed input in, a response of the contract out. No sockets. */
export type Handler<Id extends OperationId> = (
  input: Input<Id>,
  call: Call,
) => MaybePromise<OperationResponse<Id>>;

export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** Every operation of the contract has its handler here, or this does not compile. */
export function createHandlers(dependencies: HandlerDependencies): Handlers {
  return {
    ...petHandlers(dependencies),
    ...orderHandlers(dependencies),
    ...categoryHandlers(dependencies),
    ...eventHandlers(dependencies),
  };
}

type PetHandlers = Pick<Handlers, "listPets" | "createPet" | "getPet" | "updatePet" | "deletePet">;

function petHandlers(dependencies: HandlerDependencies): PetHandlers {
  const { catalogue, clock, secret, knownCategoriesOnly } = dependencies;
  return {
    listPets({ query: { limit, status, id, categoryId, name, cursor } }, { base, countsAll }) {
      const words = name === undefined ? undefined : readWords(name);
      const filter = { status, ids: id, categoryIds: categoryId, words };
      const search = searchOf({ status, id, categoryId, name });
      const address = `${base}/pets?limit=${limit}${search}`;
      const { after, next } = paging(secret, petQuestion(filter), cursor, address);
      return then(countsAll ? catalogue.count(filter) : undefined, (total) =>
        then(catalogue.list({ ...filter, after, limit }), (page) => ({
          ...pageResponse(page.pets, next(page.next), total),
          dependsOn: dependencyOf(page, filter, after),
        })),
      );
    },

    async createPet({ body }, { base, idempotency }) {
      const terms = { idempotency, knownCategoryOnly: knownCategoriesOnly };
      const outcome = await catalogue.add(body, terms);
      if (outcome.kind === "no_such_category") throw unknownCategory(body.categoryId);
      return writeResponse(201, outcome, (id) => ({ location: base + addressOf(id, clock.now()) }));
    },

    async updatePet({ path, body: { id: given, ...patch } }, { idempotency, ifMatch }) {
      const id = petIdOf(path);
      requireSameId(id, given);
      const terms = { idempotency, ifMatch, knownCategoryOnly: knownCategoriesOnly };
      const outcome = await catalogue.update(id, patch, terms);
      if (outcome.kind === "no_such_category") throw unknownCategory(patch.categoryId);
      return tagged(writeResponse(200, writtenTo(id, outcome)));
    },

    async deletePet({ path }, { idempotency, ifMatch }) {
      const id = petIdOf(path);
      const outcome = writtenTo(id, await catalogue.delete(id, { idempotency, ifMatch }));
      const { headers } = writeResponse(204, outcome);
      return { status: 204, headers };
    },

    getPet({ path }) {
      const id = petIdOf(path);
      return then(catalogue.get(id), (body) => {
        if (body === undefined) throw new Problem("pet_not_found");
        return { status: 200, body, headers: readHeaders, dependsOn: petRange(id, id) };
      });
    },
  };
}

/** 404, not 400: a text that is not a canonical int64 identifies no pet. */
function petIdOf({ petId }: { readonly petId: string }): bigint {
  const id = int64FromText(petId);
  if (id === undefined) throw new Problem("pet_not_found");
  return id;
}

/** A patch may name the id, so that a client can send back what it has read. */
function requireSameId(id: bigint, given: bigint | undefined): void {
  if (given === undefined || given === id) return;
  throw new Problem("body_invalid", { detail: `id cannot be changed from ${id} to ${given}.` });
}

function unknownCategory(id: bigint | undefined): Problem {
  return new Problem("body_invalid", {
    detail: `categoryId must be the id of a category; no category has ${id}.`,
  });
}

/** Throws if a pet was left as it is. */
function writtenTo<T>(id: bigint, outcome: Done<T> | Mismatch | PetRefusal): Done<T> | Mismatch {
  switch (outcome.kind) {
    case "no_such_pet":
      throw new Problem("pet_not_found");
    case "precondition_failed":
      throw new Problem("precondition_failed");
    case "reserved":
      throw new Problem("pet_reserved", {
        detail: `Order ${outcome.orderId} holds pet ${id}. Deliver or cancel the order first.`,
      });
    default:
      return outcome;
  }
}

/**
 * Pets are added after all that have an id up to `idGivenMax`, so a page with a next page is
 * complete, and so is one with every pet that was requested. Others are not cached.
 */
function dependencyOf(
  { pets, readUpTo }: PetPage,
  { ids }: PetFilter,
  after = 0n,
): PetExtent | undefined {
  const isFollowed = readUpTo !== undefined && readUpTo <= idGivenMax;
  if (ids === undefined) return isFollowed ? petRange(after, readUpTo) : undefined;
  const wanted = normalIds(ids);
  return isFollowed || pets.length === wanted.length ? petsWithIds(wanted) : undefined;
}

function readWords(name: string): string[] {
  const words = searchWordsOf(name);
  if (words.length >= 1 && words.length <= searchWordsMax) return words;
  throw new Problem("parameter_invalid", {
    detail: `name must have at least one letter or digit, and at most ${searchWordsMax} words.`,
  });
}

/** The filters as they were given. Of these, only a name has to be encoded. */
export function searchOf(filters: Readonly<Record<string, unknown>>): string {
  return Object.entries(filters)
    .flatMap(([name, given]) => [given].flat().map((value) => [name, value]))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `&${name}=${encodeURIComponent(String(value))}`)
    .join("");
}

const onePet = allOperations.find(({ id }) => id === "getPet");

/** The path of a pet: its own and, once getPet is removed, that of its successor. */
function addressOf(id: bigint, nowMs: number): string {
  const successor = onePet && isRemoved(onePet, nowMs) ? onePet.lifecycle?.successor : undefined;
  return (successor ?? "/pets/{petId}").replace("{petId}", String(id));
}

type CategoryHandlers = Pick<
  Handlers,
  "listCategories" | "createCategory" | "updateCategory" | "deleteCategory"
>;

function categoryHandlers({ categories, secret }: HandlerDependencies): CategoryHandlers {
  return {
    listCategories({ query: { limit, cursor } }, { base, countsAll }) {
      const address = `${base}/categories?limit=${limit}`;
      const { after, next } = paging(secret, "categories", cursor, address);
      return then(countsAll ? categories.count() : undefined, (total) =>
        then(categories.list({ after, limit }), (page) =>
          pageResponse(page.categories.map(categoryText), next(page.next), total),
        ),
      );
    },

    async createCategory({ body }, { base, idempotency }) {
      const outcome = await categories.add(body.name, body.id, idempotency);
      if (outcome.kind === "no_id_left") {
        throw new Problem("category_taken", {
          detail: "The largest id is taken by a category. Choose a free id.",
        });
      }
      if (outcome.kind === "taken") throw categoryTaken(outcome.by, body.id);
      return writeResponse(201, outcome, (id) => ({ location: `${base}/categories/${id}` }));
    },

    async updateCategory({ path, body: { id: given, name } }, { idempotency }) {
      const id = categoryIdOf(path);
      requireSameId(id, given);
      const outcome = await categories.rename(id, name, idempotency);
      if (outcome.kind === "no_such_category") throw new Problem("category_not_found");
      if (outcome.kind === "taken") throw categoryTaken(outcome.by, undefined);
      return writeResponse(200, outcome);
    },

    async deleteCategory({ path }, { idempotency }) {
      const id = categoryIdOf(path);
      const outcome = await categories.remove(id, { idempotency, unusedOnly: true });
      if (outcome.kind === "no_such_category") throw new Problem("category_not_found");
      if (outcome.kind === "in_use") {
        throw new Problem("category_in_use", {
          detail: `Pet ${outcome.petId} has category ${id}. Only a category that no pet has can be deleted.`,
        });
      }
      const { headers } = writeResponse(204, outcome);
      return { status: 204, headers };
    },
  };
}

function categoryIdOf({ categoryId }: { readonly categoryId: string }): bigint {
  const id = int64FromText(categoryId);
  if (id === undefined) throw new Problem("category_not_found");
  return id;
}

function categoryTaken(by: Category, id: bigint | undefined): Problem {
  const name = JSON.stringify(by.name);
  return new Problem("category_taken", {
    detail:
      by.id === id
        ? `The id ${id} is taken by the category ${name}.`
        : `The name ${name} is taken by category ${by.id}.`,
  });
}

type OrderHandlers = Omit<Handlers, keyof PetHandlers | keyof CategoryHandlers | "listEvents">;

function orderHandlers({ orders, clock, secret }: HandlerDependencies): OrderHandlers {
  const move =
    (
      event: OrderEvent,
    ): Handler<"approveOrder"> & Handler<"deliverOrder"> & Handler<"cancelOrder"> =>
    async ({ path }, { idempotency }) => {
      const id = orderIdOf(path);
      const outcome = await orders.move(id, event, idempotency);
      if (outcome.kind === "no_such_order") throw new Problem("order_not_found");
      if (outcome.kind === "refused") {
        throw new Problem("order_event_refused", {
          detail: refusalText(id, event, outcome.status),
        });
      }
      return writeResponse(200, outcome);
    };

  return {
    listOrders({ query: { limit, status, petId, cursor } }, { base, countsAll }) {
      const filter = { status, petId };
      const address = `${base}/store/orders?limit=${limit}${searchOf(filter)}`;
      const ofPet = petId === undefined ? "" : ` pet ${petId}`;
      const { after, next } = paging(secret, `orders ${status ?? "*"}${ofPet}`, cursor, address);
      return then(countsAll ? orders.count(filter) : undefined, (total) =>
        then(orders.list({ ...filter, after, limit }), (page) =>
          pageResponse(page.orders, next(page.next), total),
        ),
      );
    },

    async placeOrder({ body }, { base, idempotency }) {
      const outcome = await orders.place(body, clock.now(), idempotency);
      switch (outcome.kind) {
        case "no_such_pet":
          // 400, not 404: the path exists, and it is the body that names what does not.
          throw new Problem("body_invalid", {
            detail: `petId must be the id of a pet; no pet has ${body.petId}.`,
          });
        case "pet_not_available":
          throw new Problem("pet_not_available", {
            detail: `Pet ${body.petId} is ${outcome.status}, and only an available pet can be ordered.`,
          });
        default:
          return writeResponse(201, outcome, (id) => ({ location: `${base}/store/orders/${id}` }));
      }
    },

    getOrder: ({ path }) =>
      then(orders.get(orderIdOf(path)), (body) => {
        if (body === undefined) throw new Problem("order_not_found");
        return { status: 200, body, headers: readHeaders };
      }),

    approveOrder: move("approve"),
    deliverOrder: move("deliver"),
    cancelOrder: move("cancel"),
  };
}

function orderIdOf({ orderId }: { readonly orderId: string }): bigint {
  const id = int64FromText(orderId);
  if (id === undefined) throw new Problem("order_not_found");
  return id;
}

/** Where a page starts, and the URL of the next one. `address` has the limit and the filters. */
export function paging(
  secret: string,
  question: string,
  cursor: string | undefined,
  address: string,
) {
  return {
    after: cursor === undefined ? undefined : openCursor(secret, question, cursor),
    next: (last: bigint | undefined) =>
      last === undefined ? undefined : `${address}&cursor=${sealCursor(secret, question, last)}`,
  };
}
