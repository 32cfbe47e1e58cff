import { Refused } from "./refused.ts";
import type { Answer } from "./transport.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the answer holds; whatever is no JSON object is the authority's failure. */
export function readObject(answer: Answer): JsonObject {
  const value = objectIn(answer.body);
  if (value === undefined) throw unreadable("an answer that is no JSON object");
  return value;
}

export function unreadable(what: string): Refused {
  return new Refused("unavailable", `The authority sent ${what}.`);
}
