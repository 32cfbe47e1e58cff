/** The contract for the pages: its operations, with all references resolved. */
import { type ApiDocument, resolved } from "../contract/document.ts";
import type { Schema as ReadSchema } from "../contract/schema.ts";

export type Json = null | boolean | number | string | readonly Json[] | { [name: string]: Json };

export interface Schema extends ReadSchema {
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  /** Its name among the components, if it has one. */
  readonly "x-name"?: string;
}

interface WithExamples {
  readonly example?: Json;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: Json }>>;
}

interface DescribedHeader extends WithExamples {
  readonly required?: boolean;
  readonly description: string;
}

interface DescribedParameter extends DescribedHeader {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: Schema;
}

interface DescribedMessage {
  readonly description: string;
  readonly headers?: Readonly<Record<string, DescribedHeader>>;
  readonly content?: { readonly "application/json"?: WithExamples & { readonly schema: Schema } };
}

type Security = readonly Readonly<Record<string, readonly string[]>>[];

interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security?: Security;
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: DescribedMessage;
  readonly responses: Readonly<Record<string, DescribedMessage>>;
  readonly "x-stability": string;
  readonly "x-deprecated-since"?: string;
  readonly "x-sunset"?: string;
  readonly "x-successor"?: string;
}

interface DescribedTag {
  readonly name: string;
  readonly description: string;
  /** What holds of all operations, and groups none. */
  readonly "x-traitTag"?: boolean;
}

interface DescribedContract {
  readonly info: Readonly<Record<"title" | "version" | "summary" | "description", string>>;
  readonly servers: readonly { readonly url: string }[];
  readonly security: Security;
  readonly tags: readonly DescribedTag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

export type Contract = ReturnType<typeof readContract>;
export type Operation = Contract["operations"][number];
export type Parameter = Operation["parameters"][number];
export type SuccessResponse = Operation["responses"][number];

export function readContract(document: ApiDocument) {
  const { info, servers, security, tags, paths } = resolvedWithNames(document);
  return {
    ...info,
    description: info.description.trim(),
    servers,
    tags: tags.filter((tag) => !tag["x-traitTag"]),
    conventions: tags
      .filter((tag) => tag["x-traitTag"])
      .map((tag) => tag.description.trim())
      .join("\n\n"),
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        method: method.toUpperCase(),
        path,
        ...operationOf(described, security),
      })),
    ),
  };
}

/** Named schemas have their name as `x-name`, since the pages show it. */
function resolvedWithNames(document: ApiDocument): DescribedContract {
  const { schemas } = document.components as { schemas: Readonly<Record<string, object>> };
  const named = Object.entries(schemas).map(([name, schema]) => [
    name,
    { "x-name": name, ...schema },
  ]);
  const components = { ...document.components, schemas: Object.fromEntries(named) };
  return resolved(document, { ...document, components }) as DescribedContract;
}

function operationOf(described: DescribedOperation, security: Security) {
  const { operationId, summary, description, tags, parameters = [], requestBody } = described;
  const responses = Object.entries(described.responses).map(([status, response]) => ({
    status: Number(status),
    description: response.description,
    headers: Object.entries(response.headers ?? {}).map(([name, header]) => ({
      name,
      ...withExample(header),
    })),
    body: bodyOf(response),
  }));
  return {
    id: operationId,
    summary,
    description: description.trim(),
    tag: tags[0],
    stability: described["x-stability"],
    scopes: (described.security ?? security).flatMap(Object.values).flat() as string[],
    deprecation: deprecationOf(described),
    parameters: parameters.map(withExample),
    body: requestBody && bodyOf(requestBody),
    responses: responses.filter(({ status }) => status < 400),
    errors: responses
      .filter(({ status }) => status >= 400)
      .flatMap(({ status, body }) =>
        (body?.examples ?? []).map(({ value }) => ({
          status,
          ...(value as { readonly code: string; readonly message: string }),
        })),
      ),
  };
}

function deprecationOf(described: DescribedOperation) {
  const { "x-deprecated-since": since, "x-sunset": sunset, "x-successor": successor } = described;
  if (since === undefined || sunset === undefined || successor === undefined) return undefined;
  return { since, sunset, successor };
}

function bodyOf({ description, content }: DescribedMessage) {
  const media = content?.["application/json"];
  return media && { description, schema: media.schema, examples: examplesOf(media) };
}

const examplesOf = ({ examples = {} }: WithExamples) =>
  Object.entries(examples).map(([name, example]) => ({ name, ...example }));

const withExample = <T extends DescribedHeader>(described: T) => ({
  ...described,
  required: described.required === true,
  description: described.description.trim(),
  example: described.example ?? examplesOf(described)[0]?.value,
});
