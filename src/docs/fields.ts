/** Schemas in words, for the pages and for their Markdown. */
import { type JsonObject, list, object, text } from "./contract.ts";

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Markdown. */
  readonly description: string;
  /** Markdown: limits, choices, the default. */
  readonly rules: readonly string[];
}

export const parameterGroups = [
  ["path", "Path parameters"],
  ["query", "Query parameters"],
  ["header", "Request headers"],
] as const;

/** The members of an object, or of the objects in a list. */
export function fieldsOf(schema: JsonObject): Field[] {
  const members = schema["type"] === "array" ? object(schema["items"]) : schema;
  const required = list(members["required"]);
  return Object.entries(object(members["properties"])).map(([name, value]) =>
    fieldOf(name, object(value), required.includes(name)),
  );
}

export function fieldOf(
  name: string,
  schema: JsonObject,
  required: boolean,
  description = text(schema["description"]),
): Field {
  return { name, type: typeOf(schema), required, description, rules: rulesOf(schema) };
}

export function typeOf(schema: JsonObject): string {
  if (schema["type"] === "array") {
    const items = object(schema["items"]);
    return `list of ${items["type"] === "object" ? `${text(items["x-name"])} objects` : plural(typeOf(items))}`;
  }
  const format = text(schema["format"]);
  return format === "" ? text(schema["type"]) || "any" : `${text(schema["type"])} (${format})`;
}

const plural = (type: string) => type.replace(/^(\w+)/, "$1s");

function rulesOf(schema: JsonObject): string[] {
  const rules: string[] = [];
  const choices = list(schema["enum"]);
  if (choices.length > 0 && choices.length <= 12) {
    rules.push(`One of ${choices.map((choice) => `\`${choice}\``).join(", ")}.`);
  }
  if (schema["const"] !== undefined) rules.push(`Always \`${schema["const"]}\`.`);
  const range = between(schema["minimum"], schema["maximum"]);
  if (range !== undefined) rules.push(`${range}.`);
  const length = between(schema["minLength"], schema["maxLength"]);
  if (length !== undefined) rules.push(`${length} characters.`);
  const count = between(schema["minItems"], schema["maxItems"]);
  if (count !== undefined) rules.push(`${count} of them.`);
  if (schema["default"] !== undefined) rules.push(`Default \`${schema["default"]}\`.`);
  return rules;
}

function between(from: unknown, to: unknown): string | undefined {
  if (typeof from === "number" && typeof to === "number") return `${from} to ${to}`;
  if (typeof from === "number") return `At least ${from}`;
  if (typeof to === "number") return `At most ${to}`;
  return undefined;
}

const longDate = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** `2030-12-05` as `5 December 2030`. Anything else is returned unchanged. */
export function dateInWords(date: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(date) ? longDate.format(Date.parse(date)) : date;
}
