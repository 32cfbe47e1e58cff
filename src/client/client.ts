/** The Pet Store from a program: the operations of the contract as methods, typed by it. */
import { addressFor, readBase } from "./address.ts";
import { type Redact, redactor } from "./errors.ts";
import { writeExactly } from "./json.ts";
import {
  type DeprecationNotice,
  deprecationIn,
  deprecationMessage,
  linkTo,
  type Page,
} from "./links.ts";
import {
  type BodyOf,
  type CallInput,
  type CallOptions,
  type ChangeOptions,
  type ItemOf,
  isList,
  type ListId,
  type OperationId,
  pageSizeMax,
  type QueryOf,
  type ReadId,
  type ReadOptions,
  type ResultOf,
  routes,
  type Schemas,
} from "./operations.ts";
import { type Platform, webPlatform } from "./platform.ts";
import { bodyOf, unexpected } from "./response.ts";
import { type Limits, type OutgoingRequest, send } from "./transport.ts";

export {
  type ErrorCode,
  isPetStoreError,
  PetStoreError,
  type PetStoreErrorCode,
  PetStoreUnreachable,
} from "./errors.ts";
export type { DeprecationNotice, Page } from "./links.ts";
export type {
  CallInput,
  CallOptions,
  ChangeOptions,
  OperationId,
  QueryOf,
  ReadOptions,
  ResultOf,
} from "./operations.ts";
export type { Platform } from "./platform.ts";

export type Pet = Schemas["Pet"];
export type PetStatus = Schemas["PetStatus"];
export type NewPet = BodyOf<"createPet">;
export type PetPatch = BodyOf<"updatePet">;
export type PetsQuery = QueryOf<"listPets">;
export type Category = Schemas["Category"];
export type NewCategory = BodyOf<"createCategory">;
export type CategoryPatch = BodyOf<"updateCategory">;
export type CategoriesQuery = QueryOf<"listCategories">;
export type Order = Schemas["Order"];
export type OrderStatus = Schemas["OrderStatus"];
export type NewOrder = BodyOf<"placeOrder">;
export type OrdersQuery = QueryOf<"listOrders">;
export type Event = Schemas["Event"];
export type EventsQuery = QueryOf<"listEvents">;

export interface PetStoreOptions {
  /** With the version at its end: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How often a call is tried again after a failure that passes. 3 unless given. */
  readonly retries?: number | undefined;
  /** For one attempt, to the last byte of its response. 10,000 unless given. */
  readonly timeoutMs?: number | undefined;
  /** For a whole call, with all its attempts and pauses. 60,000 unless given. */
  readonly totalMs?: number | undefined;
  /** Called once for each deprecated operation. Logs a warning unless given. */
  readonly onDeprecation?: ((notice: DeprecationNotice) => void) | undefined;
  /** In place of the global one. */
  readonly fetch?: Platform["fetch"] | undefined;
  /** For tests: time, timers and chance. */
  readonly platform?: Partial<Platform> | undefined;
}

/** A response, with status and headers. */
export interface ApiResponse<Id extends OperationId> {
  readonly body: ResultOf<Id>;
  readonly status: number;
  readonly headers: Headers;
}

/** The response to a read with `ifNoneMatch`, if nothing has changed. */
export interface NotModified {
  readonly body: undefined;
  readonly status: 304;
  readonly headers: Headers;
}

/** As the service gives it, or as a number that is small enough to be exact. */
export type Identifier = bigint | number;

type Methods = { [Id in OperationId]: (...input: never[]) => Promise<unknown> };

/** One for a base address and a key. It holds nothing that would have to be closed. */
export class PetStoreClient implements Methods {
  readonly baseUrl: string;
  // Private by the language, so that no log of a client shows the key.
  readonly #apiKey: string;
  readonly #redact: Redact;
  readonly #limits: Limits;
  readonly #platform: Platform;
  readonly #onDeprecation: (notice: DeprecationNotice) => void;
  readonly #reportedDeprecations = new Set<OperationId>();

  constructor(options: PetStoreOptions) {
    this.baseUrl = readBase(options.baseUrl);
    this.#apiKey = headerValue("apiKey", options.apiKey);
    this.#redact = redactor(this.#apiKey);
    this.#limits = {
      retries: limit("retries", options.retries ?? 3),
      timeoutMs: limit("timeoutMs", options.timeoutMs ?? 10_000),
      totalMs: limit("totalMs", options.totalMs ?? 60_000),
    };
    const { fetch = webPlatform.fetch, platform } = options;
    this.#platform = { ...webPlatform, fetch, ...platform };
    this.#onDeprecation =
      options.onDeprecation ?? ((notice) => this.#platform.warn(deprecationMessage(notice)));
  }

  /** One page of pets, in the order of their identifiers. */
  listPets(query: PetsQuery = {}, options: CallOptions = {}): Promise<Page<Pet>> {
    return this.#list("listPets", query, options);
  }

  /** All pets, page after page: `for await (const pet of client.pets({ status: "sold" }))`. */
  pets(query: PetsQuery = {}, options: CallOptions = {}): AsyncGenerator<Pet, void> {
    return this.#all("listPets", query, options);
  }

  /** Adds a pet. It is on disk when this resolves. */
  async createPet(pet: NewPet, options: CallOptions = {}): Promise<Pet> {
    return (await this.call("createPet", { ...options, body: pet })).body;
  }

  /**
   * One pet by its identifier.
   * @deprecated Goes away on 2030-12-05. Use `listPets({ id: [petId] })`, whose page is empty when
   * there is no such pet.
   */
  async getPet(petId: Identifier, options: CallOptions = {}): Promise<Pet> {
    return (await this.call("getPet", { ...options, path: { petId } })).body;
  }

  /** Changes the members that are given. With `ifMatch`, only if the pet still has that ETag. */
  async updatePet(petId: Identifier, patch: PetPatch, options: ChangeOptions = {}): Promise<Pet> {
    return (await this.call("updatePet", { ...options, path: { petId }, body: patch })).body;
  }

  /** Deletes a pet. With `ifMatch`, only if it still has that ETag. */
  async deletePet(petId: Identifier, options: ChangeOptions = {}): Promise<void> {
    await this.call("deletePet", { ...options, path: { petId } });
  }

  /** One page of the categories. */
  listCategories(query: CategoriesQuery = {}, options: CallOptions = {}): Promise<Page<Category>> {
    return this.#list("listCategories", query, options);
  }

  /** All categories, page after page. */
  categories(
    query: CategoriesQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<Category, void> {
    return this.#all("listCategories", query, options);
  }

  /** Adds a category, with the next free identifier unless one is given. */
  async createCategory(category: NewCategory, options: CallOptions = {}): Promise<Category> {
    return (await this.call("createCategory", { ...options, body: category })).body;
  }

  /** Gives a category another name. */
  async updateCategory(
    categoryId: Identifier,
    patch: CategoryPatch,
    options: CallOptions = {},
  ): Promise<Category> {
    const input = { ...options, path: { categoryId }, body: patch };
    return (await this.call("updateCategory", input)).body;
  }

  /** Deletes a category that no pet has. */
  async deleteCategory(categoryId: Identifier, options: CallOptions = {}): Promise<void> {
    await this.call("deleteCategory", { ...options, path: { categoryId } });
  }

  /** One page of orders, in the order of their identifiers. */
  listOrders(query: OrdersQuery = {}, options: CallOptions = {}): Promise<Page<Order>> {
    return this.#list("listOrders", query, options);
  }

  /** All orders, page after page. */
  orders(query: OrdersQuery = {}, options: CallOptions = {}): AsyncGenerator<Order, void> {
    return this.#all("listOrders", query, options);
  }

  /** One page of events. Its `next` is for later too, unless the page is empty. */
  listEvents(query: EventsQuery = {}, options: CallOptions = {}): Promise<Page<Event>> {
    return this.#list("listEvents", query, options);
  }

  /** All events until now, page after page. */
  events(query: EventsQuery = {}, options: CallOptions = {}): AsyncGenerator<Event, void> {
    return this.#all("listEvents", query, options);
  }

  /** Orders a pet, which must be available and is pending from then on. */
  async placeOrder(order: NewOrder, options: CallOptions = {}): Promise<Order> {
    return (await this.call("placeOrder", { ...options, body: order })).body;
  }

  /** One order by its identifier. */
  async getOrder(orderId: Identifier, options: CallOptions = {}): Promise<Order> {
    return (await this.call("getOrder", { ...options, path: { orderId } })).body;
  }

  /** Approves an order that was placed. */
  async approveOrder(orderId: Identifier, options: CallOptions = {}): Promise<Order> {
    return (await this.call("approveOrder", { ...options, path: { orderId } })).body;
  }

  /** Delivers an order that was approved. Its pet is sold from then on. */
  async deliverOrder(orderId: Identifier, options: CallOptions = {}): Promise<Order> {
    return (await this.call("deliverOrder", { ...options, path: { orderId } })).body;
  }

  /** Cancels an order that was placed or approved. Its pet is available from then on. */
  async cancelOrder(orderId: Identifier, options: CallOptions = {}): Promise<Order> {
    return (await this.call("cancelOrder", { ...options, path: { orderId } })).body;
  }

  /** Any operation, for who needs its headers too. Rejects as every method does. */
  call<Id extends OperationId>(
    id: Id,
    input: CallInput<Id> & { readonly ifNoneMatch?: undefined },
  ): Promise<ApiResponse<Id>>;
  call<Id extends ReadId>(id: Id, input: CallInput<Id>): Promise<ApiResponse<Id> | NotModified>;
  async call<Id extends OperationId>(
    id: Id,
    input: CallInput<Id>,
  ): Promise<ApiResponse<Id> | NotModified> {
    const { path, query, body } = input as { path?: object; query?: object; body?: unknown };
    const address = addressFor(this.baseUrl, routes[id].path, { ...path }, { ...query });
    const { response, refuse } = await this.#exchange(id, address, input, body);
    const { body: value } = response as { body: unknown };
    const { status } = response;
    const isEmpty = status === (routes[id].method === "DELETE" ? 204 : 304);
    const fits = typeof value === "object" && value !== null && Array.isArray(value) === isList(id);
    if (!fits && !isEmpty)
      throw refuse(`with something else than ${isList(id) ? "a list" : "an object"}.`);
    return response;
  }

  async #list<Id extends ListId>(
    id: Id,
    query: QueryOf<Id>,
    options: CallOptions,
  ): Promise<Page<ItemOf<Id>>> {
    const address = addressFor(this.baseUrl, routes[id].path, {}, { ...query });
    return this.#page(id, address, options, []);
  }

  async *#all<Id extends ListId>(
    id: Id,
    query: QueryOf<Id>,
    options: CallOptions,
  ): AsyncGenerator<ItemOf<Id>, void> {
    const first = await this.#list(id, { limit: pageSizeMax, ...query }, options);
    for (let page: typeof first | undefined = first; page; page = await page.next()) {
      yield* page.items;
    }
  }

  async #page<Id extends ListId>(
    id: Id,
    address: string,
    options: CallOptions,
    before: readonly string[],
  ): Promise<Page<ItemOf<Id>>> {
    const { response, refuse } = await this.#exchange(id, address, options);
    if (!Array.isArray(response.body)) throw refuse("with something else than a list.");
    const target = linkTo("next", response.headers.get("link"), address);
    const next = async (other = options) => {
      if (target === undefined) return undefined;
      if (new URL(target).origin !== new URL(this.baseUrl).origin) {
        throw refuse(
          `with a next page at ${target}, where the key is not sent because it is another origin ` +
            "than that of baseUrl. The service's own base address may be set wrongly.",
        );
      }
      // Pages that lead in a circle would be read endlessly. A longer circle than those remembered is
      // a list that grows while it is read.
      const visited = [...before, address].slice(-pagesRememberedMax);
      if (visited.includes(target)) throw refuse("with a next page that is the same page again.");
      return this.#page(id, target, other, visited);
    };
    const cursor = target && new URL(target).searchParams.get("cursor");
    return { items: response.body as ItemOf<Id>[], nextCursor: cursor || undefined, next };
  }

  async #exchange<Id extends OperationId>(
    operation: Id,
    address: string,
    options: ChangeOptions & ReadOptions,
    body?: unknown,
  ) {
    const { method } = routes[operation];
    const { signal, strict, ifMatch, ifNoneMatch } = options;
    const idempotencyKey =
      method === "GET"
        ? undefined
        : headerValue("idempotencyKey", options.idempotencyKey ?? this.#platform.unique());
    const request: OutgoingRequest = {
      operation,
      method,
      address,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${this.#apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(ifMatch === undefined ? {} : { "if-match": tagsValue("ifMatch", ifMatch) }),
        ...(ifNoneMatch === undefined
          ? {}
          : { "if-none-match": tagsValue("ifNoneMatch", ifNoneMatch) }),
        ...(strict === true ? { prefer: "handling=strict" } : {}),
      },
      body: body === undefined ? undefined : writeExactly(body),
      idempotencyKey,
      signal,
      redact: this.#redact,
    };
    const received = await send(request, this.#limits, this.#platform);
    const { status, headers } = received;
    this.#reportDeprecation(operation, headers, address);
    const value = bodyOf(request, received) as ResultOf<Id>;
    const response: ApiResponse<Id> = { body: value, status, headers };
    const refuse = (what: string) => unexpected(request, received, what);
    return { response, refuse };
  }

  #reportDeprecation(operation: OperationId, headers: Headers, address: string): void {
    if (this.#reportedDeprecations.has(operation)) return;
    const notice = deprecationIn(operation, headers, address);
    if (notice === undefined) return;
    this.#reportedDeprecations.add(operation);
    this.#onDeprecation(notice);
  }
}

const pagesRememberedMax = 100;

// Checked here because a runtime that refuses a header's value repeats the value in its error.
function headerValue(name: string, value: string): string {
  if (typeof value === "string" && /^[!-~]{1,255}$/.test(value)) return value;
  throw new TypeError(`${name} must be 1 to 255 visible ASCII characters.`);
}

function tagsValue(name: string, value: string): string {
  if (typeof value === "string" && /^[ -~]{1,4096}$/.test(value)) return value;
  throw new TypeError(`${name} must be an ETag as the service gave it, such as "q1Yw7v".`);
}

// A timer that is set for longer than this goes off at once.
const limitMax = 2 ** 31 - 1;

function limit(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0 && value <= limitMax) return value;
  throw new TypeError(`${name} must be a whole number from 0 to ${limitMax}, and is ${value}.`);
}
