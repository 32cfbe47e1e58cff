/**
 * JSON with exact integers, in every engine. `JSON.parse` makes a double of every number, and Node.js
 * 20 and older browsers do not show a reviver the digits either.
 */

// 15 digits always fit a double. What only looks like a number, inside a string, costs a second
// look, never a wrong answer.
const mayRound = /[0-9]{16}/;

// A string with the colon that makes it a name, or a number. Sound only for text that is JSON.
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

// An int64 has 19 digits. What is longer stays a double, which is no int64 either.
const longInteger = /^-?[0-9]{16,19}$/;

/** Integers of up to 19 digits that a number cannot hold come out as bigints. Throws SyntaxError. */
export function parseExactly(text: string): unknown {
  const rounded: unknown = JSON.parse(text);
  if (!mayRound.test(text)) return rounded;
  // Long integers travel through JSON.parse as strings. Every string that is a value gets a mark
  // in front, "s" or "n", so that no text can pass itself off as a number.
  const marked = text.replace(stringOrNumber, (token, name?: string) => {
    if (token.startsWith('"')) return name === undefined ? `"s${token.slice(1)}` : token;
    return longInteger.test(token) ? `"n${token}"` : token;
  });
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === "string" ? unmarked(value) : value,
  );
}

function unmarked(value: string): string | number | bigint {
  const text = value.slice(1);
  if (value.startsWith("s")) return text;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** Writes bigints digit for digit, and throws TypeError for a number that may already be rounded. */
export function writeExactly(value: unknown, name = "The body"): string {
  if (typeof value === "bigint" || typeof value === "number") return exactText(value, name);
  if (Array.isArray(value)) {
    return `[${value.map((item) => writeExactly(item ?? null, name)).join(",")}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${writeExactly(member, key)}`);
  return `{${members.join(",")}}`;
}

/** A number as its digits, in a body or in an address. */
export function exactText(value: number | bigint, name: string): string {
  if (typeof value === "bigint") return value.toString();
  if (!Number.isFinite(value)) throw new TypeError(`${name} must be a number, and is ${value}.`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new TypeError(
      `${name} is a number beyond ±${Number.MAX_SAFE_INTEGER}, where numbers are rounded, so it may ` +
        "not be the one you meant. Pass a bigint made from the original digits: 9007199254740993n.",
    );
  }
  return JSON.stringify(value);
}

import type { Schemas } from "./operations.ts";

type MembersOf<Schema> = Schema extends readonly unknown[] | string
  ? never
  : {
      [Name in keyof Schema]-?: bigint extends NonNullable<Schema[Name]> ? Name : never;
    }[keyof Schema];

type Int64Member = { [Name in keyof Schemas]: MembersOf<Schemas[Name]> }[keyof Schemas];

/**
 * The members that are int64 wherever they occur. The type holds this to the contract: neither a
 * missing name nor one too many compiles.
 */
export const int64Members: Readonly<Record<Int64Member, true>> = {
  id: true,
  categoryId: true,
  petId: true,
};

/** Makes a bigint of every int64, in place. Throws TypeError where there is another value. */
export function withInt64(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const [name, member] of Object.entries(members)) {
    if (Object.hasOwn(int64Members, name)) members[name] = int64(name, member);
    else if (name !== "data" || hasInt64Ids(members["type"])) withInt64(member);
  }
  return value;
}

/** Of an event: keys, sites and domains have texts for ids. */
const hasInt64Ids = (type: unknown) => /^(?:pet|order)\./.test(String(type));

function int64(name: string, value: unknown): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === "bigint" && BigInt.asIntN(64, value) === value) return value;
  throw new TypeError(`${name} is not an int64`);
}
