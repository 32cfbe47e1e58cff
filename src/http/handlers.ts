import type { Clock } from "../clock.ts";
import type { Answer, Input, OperationId } from "../contract/operations.ts";
import type { MaybePromise } from "../maybePromise.ts";
import type { Once } from "../once.ts";
import type { Stores } from "../stores.ts";
import { createPet } from "./operations/createPet.ts";
import { getOrder } from "./operations/getOrder.ts";
import { getPet } from "./operations/getPet.ts";
import { listCategories } from "./operations/listCategories.ts";
import { listOrders } from "./operations/listOrders.ts";
import { listPets } from "./operations/listPets.ts";
import { moveOrder } from "./operations/moveOrder.ts";
import { placeOrder } from "./operations/placeOrder.ts";

/** What handlers work with. */
export interface Shop extends Pick<Stores, "catalogue" | "categories" | "orders"> {
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
  /** The client's mark on its attempt. Only a POST has one. */
  readonly once: Once | undefined;
}

/** Answers one operation: typed input in, an answer that the contract knows out. No sockets. */
export type Handler<Id extends OperationId> = (
  input: Input<Id>,
  call: Call,
) => MaybePromise<Answer<Id>>;

export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** Every operation of the contract has its handler here, or this does not compile. */
export function createHandlers(shop: Shop): Handlers {
  return {
    listPets: listPets(shop),
    createPet: createPet(shop),
    getPet: getPet(shop),
    listCategories: listCategories(shop),
    listOrders: listOrders(shop),
    placeOrder: placeOrder(shop),
    getOrder: getOrder(shop),
    approveOrder: moveOrder(shop, "approve"),
    deliverOrder: moveOrder(shop, "deliver"),
  };
}
