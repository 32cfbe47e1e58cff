/** The operations of an OpenAPI document: their paths, required credentials and input. */
import { jsonReader, parameterReader, type Reader, type Schema } from "./schema.ts";

/** JSON text of a T. Only what serialises a T may say that a string is one. */
export type JsonOf<T> = string & { readonly jsonOf?: T };

/** An operation as `openapi-typescript` describes it. */
export interface OperationTypes {
  readonly parameters: { readonly query?: unknown; readonly path?: unknown };
  readonly requestBody?: unknown;
  readonly responses: object;
}

/** The values of path parameters as text: one that is invalid identifies no resource. */
export type PathOf<Types extends OperationTypes> = {
  readonly [Name in keyof NonNullable<Types["parameters"]["path"]>]: string;
};

export type QueryOf<Types extends OperationTypes> = NonNullable<Types["parameters"]["query"]>;

export type BodyOf<Types> = Types extends { requestBody: { content: infer Content } }
  ? Content extends { "application/json": infer Body }
    ? Body
    : undefined
  : undefined;

type Succeeds = 200 | 201 | 202 | 204;

/** What a handler returns. Its type allows only statuses and bodies of the document. */
export type ResponseOf<Types extends OperationTypes> = {
  [Status in keyof Types["responses"] & Succeeds]: {
    readonly status: Status;
    readonly headers?: Readonly<Record<string, string>>;
  } & (Types["responses"][Status] extends { content: infer Content }
    ? {
        readonly body:
          | (Content extends { "application/json": infer Body } ? JsonOf<Body> : never)
          | (Exclude<keyof Content, "application/json"> extends never
              ? never
              : AsyncIterable<Uint8Array>);
      }
    : { readonly body?: undefined });
}[keyof Types["responses"] & Succeeds];

export interface Operation<Id extends string = string> {
  readonly id: Id;
  readonly method: string;
  /** As in the document, relative to the base address: `/pets/{petId}`. */
  readonly path: string;
  /** The required scopes or roles, by security scheme; one scheme suffices. Empty: public. */
  readonly security: ReadonlyMap<string, readonly string[]>;
  /** The scopes that an API key needs. */
  readonly scope: string;
  /** Scopes that make the operation respond with more. */
  readonly optionalScopes: readonly string[];
  readonly stability: string;
  readonly query: ReadonlyMap<string, { readonly read: Reader; readonly otherwise: unknown }>;
  /** Undefined where there is no body, or where it is left to the handler. */
  readonly body: Reader | undefined;
  /** Of the body. All of them mean the same. */
  readonly mediaTypes: readonly string[];
  readonly lifecycle: Lifecycle | undefined;
}

/** When an operation was deprecated, when it is removed, and what to call instead. */
export interface Lifecycle {
  readonly deprecatedAtMs: number;
  readonly sunsetAtMs: number;
  /** A template of the same path parameters: `/pets?id={petId}`. */
  readonly successor: string;
}

type Security = readonly Readonly<Record<string, readonly string[]>>[];

interface Described {
  readonly operationId: string;
  readonly security?: Security;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: {
    readonly content: { readonly "application/json"?: { readonly schema: unknown } };
  };
  readonly "x-body"?: "unread";
  readonly "x-stability": string;
  readonly "x-optional-scopes"?: readonly string[];
  readonly "x-deprecated-since"?: string;
  readonly "x-sunset"?: string;
  readonly "x-successor"?: string;
}

interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

export interface ApiDocument {
  readonly security: unknown;
  readonly paths: object;
  readonly components: object;
}

/** Follows local references; members beside `$ref` win over those it points to (OpenAPI 3.1). */
export function resolved(node: unknown, document: ApiDocument): unknown {
  if (Array.isArray(node)) return node.map((each) => resolved(each, document));
  if (typeof node !== "object" || node === null) return node;
  const { $ref, ...beside } = node as Record<string, unknown>;
  const own = Object.fromEntries(
    Object.entries(beside).map(([key, value]) => [key, resolved(value, document)]),
  );
  if (typeof $ref !== "string") return own;
  const steps = $ref.replace(/^#\//, "").split("/");
  const target = steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown>)[step],
    document,
  );
  return { ...(resolved(target, document) as object), ...own };
}

export function operationsOf<Id extends string>(document: ApiDocument): readonly Operation<Id>[] {
  return Object.entries(document.paths).flatMap(([path, { parameters: _path, ...methods }]) =>
    Object.entries(methods as Record<string, Described>).map(([method, described]) => ({
      id: described.operationId as Id,
      method: method.toUpperCase(),
      path,
      ...accessOf(described.security ?? (document.security as Security)),
      optionalScopes: described["x-optional-scopes"] ?? [],
      stability: described["x-stability"],
      ...inputOf(described, document),
      lifecycle: lifecycleOf(described),
    })),
  );
}

function accessOf(schemes: Security): Pick<Operation, "security" | "scope"> {
  const security = new Map(schemes.flatMap((scheme) => Object.entries(scheme)));
  return { security, scope: (security.get("apiKey") ?? []).join(" ") };
}

function inputOf(
  described: Described,
  document: ApiDocument,
): Pick<Operation, "query" | "body" | "mediaTypes"> {
  const parameters = resolved(described.parameters ?? [], document) as DescribedParameter[];
  const query = parameters.filter((parameter) => parameter.in === "query");
  const body =
    described["x-body"] === "unread"
      ? undefined
      : described.requestBody?.content["application/json"]?.schema;
  return {
    query: new Map(
      query.map(({ name, schema }) => [
        name,
        { read: parameterReader(schema), otherwise: schema.default },
      ]),
    ),
    body: body === undefined ? undefined : jsonReader(resolved(body, document) as Schema),
    mediaTypes: Object.keys(described.requestBody?.content ?? {}),
  };
}

function lifecycleOf(described: Described): Lifecycle | undefined {
  const { "x-deprecated-since": since, "x-sunset": sunset, "x-successor": successor } = described;
  if (since === undefined || sunset === undefined || successor === undefined) return undefined;
  return { deprecatedAtMs: Date.parse(since), sunsetAtMs: Date.parse(sunset), successor };
}
