import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Answer, Input, OperationId } from "../contract/operations.ts";
import type { Soon } from "../soon.ts";
import { createPet } from "./operations/createPet.ts";
import { getPet } from "./operations/getPet.ts";
import { listPets } from "./operations/listPets.ts";

/** What handlers work with. */
export interface Shop {
  readonly catalogue: Catalogue;
  /** Seals cursors. */
  readonly secret: string;
}

/** Answers one operation: typed input in, an answer that the contract knows out. No sockets. */
export type Handler<Id extends OperationId> = (
  input: Input<Id>,
  /** The base address to make addresses from: `https://api.example.com/v1`. */
  base: string,
) => Soon<Answer<Id>>;

export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** Every operation of the contract has its handler here, or this does not compile. */
export function createHandlers(shop: Shop): Handlers {
  return { listPets: listPets(shop), createPet: createPet(shop), getPet: getPet(shop) };
}
