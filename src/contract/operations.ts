/** The operations of the public API. */
import {
  type BodyOf,
  type Operation as DescribedOperation,
  operationsOf,
  type PathOf,
  type QueryOf,
  type ResponseOf,
  resolved,
} from "./document.ts";
import document from "./generated/document.json" with { type: "json" };
import type { components, operations } from "./generated/types.ts";
import { jsonReader, type Reader, type Schema } from "./schema.ts";

export type Schemas = components["schemas"];
export type OperationId = keyof operations;
export type Operation = DescribedOperation<OperationId>;

type Parameters = (typeof document)["components"]["parameters"];
type Defaulted = {
  [Name in keyof Parameters]: Parameters[Name] extends { schema: { default: unknown } }
    ? Name
    : never;
}[keyof Parameters];

type Query<Id extends OperationId> = QueryOf<operations[Id]>;

/** What a handler gets: parameters and body that are valid by the contract, with defaults applied. */
export interface Input<Id extends OperationId> {
  readonly path: PathOf<operations[Id]>;
  readonly query: Omit<Query<Id>, Defaulted> &
    Required<Pick<Query<Id>, keyof Query<Id> & Defaulted>>;
  readonly body: BodyOf<operations[Id]>;
}

export type OperationResponse<Id extends OperationId> = ResponseOf<operations[Id]>;

export const allOperations: readonly Operation[] = operationsOf<OperationId>(document);

/** Reads one of the contract's schemas from parsed JSON that is not the body of a request. */
export function readerFor(name: keyof Schemas): Reader {
  return jsonReader(resolved(document.components.schemas[name], document) as Schema);
}

export const scopes: readonly string[] = [
  ...new Set(
    allOperations.flatMap(({ scope, optionalScopes }) => [...scope.split(" "), ...optionalScopes]),
  ),
];

export const eventTypes = document.components.schemas.EventType.enum as Schemas["EventType"][];

/** The contract as clients get it, with the base URLs of this installation. */
export function contractFor(servers: { production: string; staging: string }): string {
  const url = `${servers.production.slice(0, -"/v1".length)}/docs/`;
  return JSON.stringify({
    ...document,
    info: { ...document.info, contact: { ...document.info.contact, url } },
    servers: [
      { url: servers.production, description: "Production" },
      { url: servers.staging, description: "Staging" },
    ],
  });
}
