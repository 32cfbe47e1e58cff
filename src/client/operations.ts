/** The operations of the contract as a caller sees them. Only types come from the contract itself. */
import type { components, operations } from "../contract/generated/types.ts";

export type Schemas = components["schemas"];
export type OperationId = keyof operations;

interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to the base address. */
  readonly path: string;
  /** Members of the body that the service fills in: the generated types have them always there. */
  readonly optional?: readonly string[];
}

/** A new operation of the contract does not compile until it has its line here. */
export const routes = {
  listPets: { method: "GET", path: "/pets" },
  createPet: { method: "POST", path: "/pets", optional: ["status"] },
  getPet: { method: "GET", path: "/pets/{petId}" },
  updatePet: { method: "PATCH", path: "/pets/{petId}" },
  deletePet: { method: "DELETE", path: "/pets/{petId}" },
  listCategories: { method: "GET", path: "/categories" },
  createCategory: { method: "POST", path: "/categories" },
  updateCategory: { method: "PATCH", path: "/categories/{categoryId}" },
  deleteCategory: { method: "DELETE", path: "/categories/{categoryId}" },
  listOrders: { method: "GET", path: "/store/orders" },
  placeOrder: { method: "POST", path: "/store/orders", optional: ["quantity"] },
  getOrder: { method: "GET", path: "/store/orders/{orderId}" },
  approveOrder: { method: "POST", path: "/store/orders/{orderId}/approve" },
  deliverOrder: { method: "POST", path: "/store/orders/{orderId}/deliver" },
  cancelOrder: { method: "POST", path: "/store/orders/{orderId}/cancel" },
  listEvents: { method: "GET", path: "/events" },
} as const satisfies Readonly<Record<OperationId, Route>>;

/** The largest `limit` that the contract allows: what a walk over all pages asks for. */
export const pageSizeMax = 100;

type Optional<T, Name extends keyof T> =
  Record<never, never> extends Pick<T, Name> ? undefined : never;

/** A value as a caller may give it: an int64 also as a number, an optional member as undefined. */
export type Given<T> = T extends bigint
  ? bigint | number
  : T extends readonly (infer Item)[]
    ? readonly Given<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Given<T[Name]> | Optional<T, Name> }
      : T;

type Body<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { "application/json": infer Json } };
}
  ? Json
  : undefined;

type LeftOut<Id extends OperationId> = (typeof routes)[Id] extends {
  optional: readonly (infer Name)[];
}
  ? Name
  : never;

type Loosened<T, Names> = Omit<T, Names & keyof T> & Partial<Pick<T, Names & keyof T>>;

export type QueryOf<Id extends OperationId> = Given<
  NonNullable<operations[Id]["parameters"]["query"]>
>;

export type BodyOf<Id extends OperationId> = Given<Loosened<Body<Id>, LeftOut<Id>>>;

/** What every call takes beside what its operation takes. */
export interface CallOptions {
  /** Ends the call at once, attempts to come included. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Refuses members and parameters that the service does not know: `Prefer: handling=strict`. */
  readonly strict?: boolean | undefined;
  /**
   * Names this creation: calls with the same one have one effect. Made up for each call when left
   * out. Give one of your own to repeat a creation safely after your program was restarted.
   */
  readonly idempotencyKey?: string | undefined;
}

/** What a change of something that is there takes too. */
export interface ChangeOptions extends CallOptions {
  /** An `ETag`, or several with commas between: without a match, nothing is changed (412). */
  readonly ifMatch?: string | undefined;
}

/** What a read takes too, with `call`. */
export interface ReadOptions extends CallOptions {
  /** The `ETag` of an earlier response. If it is still the same, the status is 304, without a body. */
  readonly ifNoneMatch?: string | undefined;
}

type OptionsOf<Id extends OperationId> = {
  readonly GET: ReadOptions;
  readonly POST: CallOptions;
  readonly PATCH: ChangeOptions;
  readonly DELETE: ChangeOptions;
}[(typeof routes)[Id]["method"]];

export type CallInput<Id extends OperationId> = OptionsOf<Id> &
  Given<Pick<operations[Id]["parameters"], "path" | "query">> &
  (Body<Id> extends undefined ? { readonly body?: undefined } : { readonly body: BodyOf<Id> });

type Responses<Id extends OperationId> = operations[Id]["responses"];
type Succeeds = 200 | 201 | 202 | 204;

export type ResultOf<Id extends OperationId> = {
  [Status in keyof Responses<Id> & Succeeds]: Responses<Id>[Status] extends {
    content: { "application/json": infer Json };
  }
    ? Json
    : undefined;
}[keyof Responses<Id> & Succeeds];

/** The operations that change nothing. */
export type ReadId = {
  [Id in OperationId]: (typeof routes)[Id]["method"] extends "GET" ? Id : never;
}[OperationId];

/** The operations that respond with a page of a list. */
export type ListId = {
  [Id in OperationId]: ResultOf<Id> extends readonly unknown[] ? Id : never;
}[OperationId];

/** Every operation that responds with a list, or this does not compile. */
const listIds: Readonly<Record<ListId, true>> = {
  listPets: true,
  listCategories: true,
  listOrders: true,
  listEvents: true,
};

export function isList(id: OperationId): boolean {
  return Object.hasOwn(listIds, id);
}

export type ItemOf<Id extends ListId> = ResultOf<Id> extends readonly (infer Item)[] ? Item : never;
