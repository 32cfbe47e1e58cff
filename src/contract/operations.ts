/** The operations of the contract: what they are called, where they are, what they take. */
import document from "./generated/document.json" with { type: "json" };
import type { components, operations } from "./generated/types.ts";
import { jsonReader, parameterReader, type Reader, type Schema } from "./schema.ts";

export type Schemas = components["schemas"];
export type OperationId = keyof operations;

/** JSON text of a T. Only what serialises a T may say that a string is one. */
export type JsonOf<T> = string & { readonly jsonOf?: T };

type Parameters = (typeof document)["components"]["parameters"];
type Defaulted = {
  [Name in keyof Parameters]: Parameters[Name] extends { schema: { default: unknown } }
    ? Name
    : never;
}[keyof Parameters];

type Query<Id extends OperationId> = NonNullable<operations[Id]["parameters"]["query"]>;
type Path<Id extends OperationId> = NonNullable<operations[Id]["parameters"]["path"]>;

/** What a handler is given: parameters and body that hold to the contract, defaults filled in. */
export interface Input<Id extends OperationId> {
  /** Unread: a path that is no value of its type names nothing, which is the handler's answer. */
  readonly path: { readonly [Name in keyof Path<Id>]: string };
  readonly query: Omit<Query<Id>, Defaulted> &
    Required<Pick<Query<Id>, keyof Query<Id> & Defaulted>>;
  readonly body: operations[Id] extends { requestBody: { content: infer Content } }
    ? Content extends { "application/json": infer Body }
      ? Body
      : never
    : undefined;
}

type Responses<Id extends OperationId> = operations[Id]["responses"];
type Succeeds = 200 | 201 | 202 | 204;

/** What a handler returns. It cannot name a status or a body that the contract does not. */
export type Answer<Id extends OperationId> = {
  [Status in keyof Responses<Id> & Succeeds]: {
    readonly status: Status;
    readonly body: Responses<Id>[Status] extends { content: { "application/json": infer Body } }
      ? JsonOf<Body>
      : never;
    readonly headers?: Readonly<Record<string, string>>;
    /** Of a read of pets: whether it is the same however many are added. */
    readonly lasting?: boolean;
  };
}[keyof Responses<Id> & Succeeds];

export interface Operation {
  readonly id: OperationId;
  readonly method: string;
  /** As in the contract, relative to the base address: `/pets/{petId}`. */
  readonly path: string;
  readonly scope: string;
  readonly stability: string;
  readonly query: ReadonlyMap<string, { readonly read: Reader; readonly otherwise: unknown }>;
  readonly body: Reader | undefined;
  readonly lifecycle: Lifecycle | undefined;
}

/** When a deprecated operation was announced to go, when it goes, and what to call instead. */
export interface Lifecycle {
  readonly deprecatedAtMs: number;
  readonly sunsetAtMs: number;
  /** A template of the same path parameters: `/pets?id={petId}`. */
  readonly successor: string;
}

interface Described {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: unknown } };
  };
  readonly "x-stability": string;
  readonly "x-deprecated-since"?: string;
  readonly "x-sunset"?: string;
  readonly "x-successor"?: string;
}

interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

/** Follows a local reference; members beside `$ref` win over those it points to (OpenAPI 3.1). */
function resolved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node !== "object" || node === null) return node;
  const { $ref, ...beside } = node as Record<string, unknown>;
  const own = Object.fromEntries(
    Object.entries(beside).map(([key, value]) => [key, resolved(value)]),
  );
  if (typeof $ref !== "string") return own;
  const steps = $ref.replace(/^#\//, "").split("/");
  const target = steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown>)[step],
    document,
  );
  return { ...(resolved(target) as object), ...own };
}

function describe(path: string, method: string, described: Described): Operation {
  const parameters = (described.parameters ?? []).map(resolved) as DescribedParameter[];
  const query = parameters.filter((parameter) => parameter.in === "query");
  const body = described.requestBody?.content["application/json"].schema;
  return {
    id: described.operationId as OperationId,
    method: method.toUpperCase(),
    path,
    scope: described.security.flatMap((scheme) => scheme.apiKey ?? []).join(" "),
    stability: described["x-stability"],
    query: new Map(
      query.map(({ name, schema }) => [
        name,
        { read: parameterReader(schema), otherwise: schema.default },
      ]),
    ),
    body: body === undefined ? undefined : jsonReader(resolved(body) as Schema),
    lifecycle: lifecycleOf(described),
  };
}

function lifecycleOf(described: Described): Lifecycle | undefined {
  const { "x-deprecated-since": since, "x-sunset": sunset, "x-successor": successor } = described;
  if (since === undefined || sunset === undefined || successor === undefined) return undefined;
  return { deprecatedAtMs: Date.parse(since), sunsetAtMs: Date.parse(sunset), successor };
}

export const allOperations: readonly Operation[] = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, described]) =>
      describe(path, method, described as unknown as Described),
    ),
);

/** Reads one of the contract's schemas from parsed JSON that came by another way than a request. */
export function readerFor(name: keyof Schemas): Reader {
  return jsonReader(resolved(document.components.schemas[name]) as Schema);
}

export const scopes: readonly string[] = [
  ...new Set(allOperations.flatMap((operation) => operation.scope.split(" "))),
];

/** The contract as clients get it, with the base addresses of this installation. */
export function contractFor(servers: { production: string; staging: string }): string {
  return JSON.stringify({
    ...document,
    servers: [
      { url: servers.production, description: "Production" },
      { url: servers.staging, description: "Staging" },
    ],
  });
}
