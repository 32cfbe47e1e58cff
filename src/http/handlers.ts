import type { Input, OperationId, OperationResponse } from "../contract/operations.ts";
import type { Clock } from "../core/clock.ts";
import type { MaybePromise } from "../core/maybePromise.ts";
import type { IdempotentRequest } from "../petstore/idempotency/idempotency.ts";
import type { Stores } from "../storage/stores.ts";
import { createPet } from "./operations/createPet.ts";
import { getOrder } from "./operations/getOrder.ts";
import { getPet } from "./operations/getPet.ts";
import { listCategories } from "./operations/listCategories.ts";
import { listOrders } from "./operations/listOrders.ts";
import { listPets } from "./operations/listPets.ts";
import { moveOrder } from "./operations/moveOrder.ts";
import { placeOrder } from "./operations/placeOrder.ts";

/** What handlers work with. */
export interface HandlerDependencies extends Pick<Stores, "catalogue" | "categories" | "orders"> {
  readonly clock: Clock;
  /** Seals cursors. */
  readonly secret: string;
  /** Whether a pet's category must be among the categories. */
  readonly knownCategoriesOnly: boolean;
}

/** What a handler knows of the request beside its input. */
export interface Call {
  /** The base address to make addresses from: `https://api.example.com/v1`. */
  readonly base: string;
  /** What makes a repetition of the request safe. Only a POST has it. */
  readonly idempotency: IdempotentRequest | undefined;
}

/** Answers one operation: typed input in, an answer that the contract knows out. No sockets. */
export type Handler<Id extends OperationId> = (
  input: Input<Id>,
  call: Call,
) => MaybePromise<OperationResponse<Id>>;

export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** Every operation of the contract has its handler here, or this does not compile. */
export function createHandlers(dependencies: HandlerDependencies): Handlers {
  return {
    listPets: listPets(dependencies),
    createPet: createPet(dependencies),
    getPet: getPet(dependencies),
    listCategories: listCategories(dependencies),
    listOrders: listOrders(dependencies),
    placeOrder: placeOrder(dependencies),
    getOrder: getOrder(dependencies),
    approveOrder: moveOrder(dependencies, "approve"),
    deliverOrder: moveOrder(dependencies, "deliver"),
  };
}
