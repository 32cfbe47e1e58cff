/**
 * Reads values as the contract's schemas describe them. It covers the part of JSON Schema that
 * the contract uses and refuses to start on any other, so that no constraint is silently skipped.
 */
import { int64FromJson, int64FromText, int64Max, int64Min } from "./int64.ts";

export interface Schema {
  /** One, or one and "null". */
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  /** Of those in `properties`: unknown members are ignored. */
  readonly minProperties?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly default?: unknown;
  /** What a value must be, in words that complete "must be …", for a string "must be a string …". */
  readonly "x-expected"?: string;
}

/** Collects what was wrong with the values read so far, in whole sentences. */
export interface Reading {
  readonly complaints: string[];
  /** Whether what the contract does not name is refused (RFC 7240, `handling=strict`). */
  readonly strict: boolean;
}

/** Returns the value as the program uses it; undefined, with a complaint, if it is invalid. */
export type Reader = (value: unknown, name: string, reading: Reading) => unknown;

const supportedKeywords = new Set([
  ...[
    "type",
    "format",
    "enum",
    "const",
    "oneOf",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
  ],
  ...["minItems", "maxItems", "items", "required", "properties", "default", "x-expected"],
  "minProperties",
  ...["description", "example", "examples", "x-enum-varnames"],
]);

function refuseUnknownKeywords(schema: Schema): void {
  for (const keyword of Object.keys(schema)) {
    if (!supportedKeywords.has(keyword)) {
      throw new Error(`The contract uses the schema keyword "${keyword}", which nothing enforces.`);
    }
  }
}

/** For a value of parsed JSON. */
export function jsonReader(schema: Schema): Reader {
  refuseUnknownKeywords(schema);
  if (schema.type === "object") return objectReader(schema);
  const accept = acceptor(schema, false);
  const expected = expectation(schema);
  return (value, name, reading) => {
    const accepted = accept(value);
    if (accepted === undefined) reading.complaints.push(`${name} must be ${expected}.`);
    return accepted;
  };
}

/** For the values of one query parameter, in the order of the URL; at least one. */
export function parameterReader(schema: Schema): Reader {
  refuseUnknownKeywords(schema);
  const many = schema.type === "array";
  const of = schema.items && many ? schema.items : schema;
  const countMax = many ? (schema.maxItems ?? Number.POSITIVE_INFINITY) : 1;
  const accept = acceptor(of, true);
  const expected = expectation(of);
  return (values, name, reading) => {
    const texts = values as readonly string[];
    if (texts.length > countMax) {
      const most = countMax === 1 ? "once" : `${countMax} times`;
      reading.complaints.push(`${name} may be given ${most} at most.`);
      return undefined;
    }
    const accepted = texts.map(accept);
    if (accepted.includes(undefined)) {
      reading.complaints.push(`${name} must be ${expected}.`);
      return undefined;
    }
    return many ? accepted : accepted[0];
  };
}

function objectReader(schema: Schema): Reader {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    read: jsonReader(member),
    required: schema.required?.includes(name) ?? false,
    otherwise: member.default,
  }));
  const known = new Set(members.map((member) => member.name));
  return (value, name, reading) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      reading.complaints.push(`${name} must be a JSON object.`);
      return undefined;
    }
    const given = value as Record<string, unknown>;
    const result: Record<string, unknown> = {};
    for (const member of members) {
      if (Object.hasOwn(given, member.name)) {
        result[member.name] = member.read(given[member.name], member.name, reading);
      } else if (member.required) {
        reading.complaints.push(`${member.name} is required.`);
      } else if (member.otherwise !== undefined) {
        result[member.name] = member.otherwise;
      }
    }
    const count = members.filter((member) => Object.hasOwn(given, member.name)).length;
    if (count < (schema.minProperties ?? 0)) {
      reading.complaints.push(`${name} must have at least one of ${[...known].join(", ")}.`);
    }
    if (reading.strict) {
      const unknown = Object.keys(given).filter((key) => !known.has(key));
      reading.complaints.push(...unknownNames(unknown, "a member of this body"));
    }
    return result;
  };
}

const namesShownMax = 10;
const nameShownLengthMax = 64;

/** One sentence for each name that strict handling refuses, with a bound on what is echoed. */
export function unknownNames(names: readonly string[], what: string): string[] {
  const shown = names.slice(0, namesShownMax).map((name) => {
    const short = name.length > nameShownLengthMax ? `${name.slice(0, nameShownLengthMax)}…` : name;
    return `${/^[\w.-]+…?$/.test(short) ? short : JSON.stringify(short.toWellFormed())} is not ${what}.`;
  });
  const rest = names.length - shown.length;
  return rest > 0 ? [...shown, `${rest} more are not either.`] : shown;
}

type Accept = (value: unknown) => unknown;

function acceptor(schema: Schema, fromText: boolean): Accept {
  refuseUnknownKeywords(schema);
  if (Array.isArray(schema.type)) return nullableAcceptor(schema, schema.type, fromText);
  if (schema.oneOf) return oneOfAcceptor(schema.oneOf, fromText);
  if (schema.const !== undefined) return (value) => (value === schema.const ? value : undefined);
  if (schema.enum) {
    const allowed = new Set<unknown>(schema.enum);
    return (value) => (allowed.has(value) ? value : undefined);
  }
  if (schema.type === "integer") return integerAcceptor(schema, fromText);
  if (schema.type === "string") return stringAcceptor(schema);
  if (schema.type === "null") return (value) => (value === null ? null : undefined);
  if (schema.type === "boolean") return fromText ? booleanFromText : booleanFromJson;
  if (schema.type === "array") return arrayAcceptor(schema);
  throw new Error(`The contract uses a schema that nothing reads: ${JSON.stringify(schema)}`);
}

const booleanFromJson: Accept = (value) => (typeof value === "boolean" ? value : undefined);
const booleanFromText: Accept = (value) =>
  value === "true" || value === "false" ? value === "true" : undefined;

function nullableAcceptor(schema: Schema, types: readonly string[], fromText: boolean): Accept {
  const [type, ...others] = types.filter((each) => each !== "null");
  if (type === undefined || others.length > 0 || types.length !== 2) {
    throw new Error(`The contract uses types that nothing reads: ${types.join(", ")}`);
  }
  const accept = acceptor({ ...schema, type }, fromText);
  return (value) => (value === null ? null : accept(value));
}

function oneOfAcceptor(schemas: readonly Schema[], fromText: boolean): Accept {
  const accepts = schemas.map((schema) => acceptor(schema, fromText));
  return (value) => {
    for (const accept of accepts) {
      const accepted = accept(value);
      if (accepted !== undefined) return accepted;
    }
    return undefined;
  };
}

function arrayAcceptor({ items, minItems, maxItems }: Schema): Accept {
  if (items === undefined || minItems !== undefined || maxItems !== undefined) {
    throw new Error("The contract bounds an array of a body, which nothing enforces.");
  }
  const accept = acceptor(items, false);
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const accepted = value.map(accept);
    return accepted.includes(undefined) ? undefined : accepted;
  };
}

const decimalDigits = /^[0-9]{1,15}$/;

function integerAcceptor(schema: Schema, fromText: boolean): Accept {
  if (schema.format === "int64") {
    if (schema.minimum !== undefined || schema.maximum !== undefined) {
      throw new Error("The contract bounds an int64, which nothing enforces.");
    }
    return fromText ? (value) => int64FromText(value as string) : int64FromJson;
  }
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  return (value) => {
    if (fromText && !decimalDigits.test(value as string)) return undefined;
    const number = (fromText ? Number(value) : value) as number;
    if (!Number.isSafeInteger(number)) return undefined;
    return number >= minimum && number <= maximum ? number : undefined;
  };
}

function stringAcceptor(schema: Schema): Accept {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const pattern = new RegExp(schema.pattern ?? "", "u");
  return (value) => {
    if (typeof value !== "string" || !value.isWellFormed()) return undefined;
    // There are never more code points than code units, so most strings need no counting.
    const count = value.length > maxLength || minLength > 1;
    const length = count ? [...value].length : value.length;
    if (length < minLength || length > maxLength) return undefined;
    return pattern.test(value) ? value : undefined;
  };
}

/** What a schema asks for, in words that follow "must be". */
export function expectation(schema: Schema): string {
  if (Array.isArray(schema.type)) {
    const [type] = schema.type.filter((each) => each !== "null");
    return `${expectation({ ...schema, type })}, or null`;
  }
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  if (schema.type === "null") return "null";
  if (schema.type === "boolean") return "true or false";
  if (schema.format === "int64") return `an integer from ${int64Min} to ${int64Max}`;
  if (schema.type === "integer") return `an integer from ${schema.minimum} to ${schema.maximum}`;
  const expected = schema["x-expected"];
  if (expected === undefined && schema.oneOf) return schema.oneOf.map(expectation).join(", or ");
  if (schema.type !== "string") return expected ?? "another value";
  return expected === undefined ? "a string" : `a string ${expected}`;
}
