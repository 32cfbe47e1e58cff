/** The sections of an operation, for its page and its Markdown, with schemas in words. */

import { reasonPhrase } from "../core/reasonPhrases.ts";
import type { Operation, Schema, SuccessResponse } from "./contract.ts";

export interface Field {
  readonly name: string;
  readonly type: string;
  /** Whether the caller must send it. */
  readonly required: boolean;
  /** Markdown. */
  readonly description: string;
  /** Markdown: limits, choices, the default. */
  readonly rules: readonly string[];
}

export interface Section {
  readonly depth: number;
  readonly title: string;
  /** Markdown. */
  readonly text?: string;
  readonly fields?: readonly Field[];
  readonly headers?: SuccessResponse["headers"];
  readonly examples?: NonNullable<SuccessResponse["body"]>["examples"];
  readonly errors?: Operation["errors"];
}

const parameterGroups = {
  path: "Path parameters",
  query: "Query parameters",
  header: "Request headers",
};

export function sectionsOf({ parameters, body, responses, errors }: Operation): Section[] {
  const groups = Object.entries(parameterGroups)
    .map(([location, title]) => ({
      depth: 3,
      title,
      fields: parameters.filter((each) => each.in === location).map(fieldOf),
    }))
    .filter(({ fields }) => fields.length > 0);
  return [
    ...(groups.length > 0 ? [{ depth: 2, title: "Parameters" }, ...groups] : []),
    ...(body
      ? [{ depth: 2, title: "Body", text: body.description, fields: fieldsOf(body.schema) }]
      : []),
    { depth: 2, title: "Responses" },
    ...responses.map(responseSection),
    ...(errors.length > 0 ? [{ depth: 2, title: "Errors", errors }] : []),
  ];
}

function responseSection({ status, description, headers, body }: SuccessResponse): Section {
  const list = body?.schema.type === "array" ? ` A ${typeOf(body.schema)}.` : "";
  return {
    depth: 3,
    title: `${status} ${reasonPhrase(status)}`,
    text: description + list,
    fields: body ? fieldsOf(body.schema).map((field) => ({ ...field, required: false })) : [],
    headers,
    examples: body?.examples ?? [],
  };
}

/** The members of an object, or of the objects in a list. */
function fieldsOf(schema: Schema): Field[] {
  const { properties = {}, required = [] } = (schema.type === "array" && schema.items) || schema;
  return Object.entries(properties).map(([name, member]) =>
    fieldOf({
      name,
      schema: member,
      required: required.includes(name),
      description: member.description ?? "",
    }),
  );
}

interface Described extends Pick<Field, "name" | "required" | "description"> {
  readonly schema: Schema;
}

const fieldOf = ({ name, schema, required, description }: Described): Field => ({
  name,
  type: typeOf(schema),
  required,
  description: description.trim(),
  rules: rulesOf(schema),
});

function typeOf({ type, format, items = {}, oneOf }: Schema): string {
  if (oneOf) return oneOf.map(typeOf).join(" or ");
  if (type === "array") {
    const plural = typeOf(items).replace(/^(\w+)/, "$1s");
    return `list of ${items.type === "object" ? `${items["x-name"]} objects` : plural}`;
  }
  return `${type ?? "any"}${format ? ` (${format})` : ""}`;
}

function rulesOf(schema: Schema): string[] {
  const { enum: choices = [], oneOf = [] } = schema;
  const range = between(schema.minimum, schema.maximum);
  const length = between(schema.minLength, schema.maxLength);
  const count = between(schema.minItems, schema.maxItems);
  return [
    choices.length > 0 && `One of ${choices.map((choice) => `\`${choice}\``).join(", ")}.`,
    schema.const !== undefined && `Always \`${schema.const}\`.`,
    range && `${range}.`,
    length && `${length} characters.`,
    count && `${count} of them.`,
    schema.default !== undefined && `Default \`${schema.default}\`.`,
    ...oneOf.flatMap(rulesOf),
  ].filter((rule) => typeof rule === "string");
}

function between(from: number | undefined, to: number | undefined): string | undefined {
  if (from !== undefined && to !== undefined) return `${from} to ${to}`;
  if (from !== undefined) return `At least ${from}`;
  return to === undefined ? undefined : `At most ${to}`;
}
