/** The operations of the platform's API, which the dashboard and deploy scripts call. */
import {
  type BodyOf,
  type Operation,
  operationsOf,
  type PathOf,
  type QueryOf,
  type ResponseOf,
} from "./document.ts";
import document from "./generated/platform.json" with { type: "json" };
import type { operations } from "./generated/platform.ts";

export type PlatformOperationId = keyof operations;
export type PlatformOperation = Operation<PlatformOperationId>;

/** Those that read their body themselves: it is large, or has rules of its own. */
export const unreadBodies = ["beginDeployment", "uploadContent", "replaceRouting"] as const;

/** What a handler gets: parameters and body that are valid by the document, with defaults applied. */
export interface PlatformInput<Id extends PlatformOperationId> {
  readonly path: PathOf<operations[Id]>;
  readonly query: Required<QueryOf<operations[Id]>>;
  readonly body: Id extends (typeof unreadBodies)[number] ? undefined : BodyOf<operations[Id]>;
}

export type PlatformResponse<Id extends PlatformOperationId> = ResponseOf<operations[Id]>;

export const platformOperations: readonly PlatformOperation[] =
  operationsOf<PlatformOperationId>(document);
