import { describe, expect, test } from "bun:test";
import {
  expectation,
  jsonReader,
  parameterReader,
  type Schema,
  unknownNames,
} from "../../src/contract/schema.ts";

const wrong = Symbol("wrong");

/** The value as the program uses it, or `wrong` with exactly one complaint. */
function readJson(schema: Schema, value: unknown, strict = false): unknown {
  const complaints: string[] = [];
  const result = jsonReader(schema)(value, "It", { complaints, strict });
  if (complaints.length === 0) return result;
  expect([result, complaints]).toEqual([undefined, [`It must be ${expectation(schema)}.`]]);
  return wrong;
}

function readTexts(schema: Schema, ...texts: string[]): unknown {
  const complaints: string[] = [];
  const result = parameterReader(schema)(texts, "it", { complaints, strict: false });
  return complaints.length === 0 ? result : complaints;
}

describe("a value of JSON", () => {
  const name: Schema = { type: "string", minLength: 1, maxLength: 3 };
  const count: Schema = { type: "integer", minimum: 1, maximum: 9 };
  const either: Schema = { oneOf: [{ const: "all" }, count] };
  for (const [title, schema, right, not] of [
    ["string", { type: "string" }, ["", "x".repeat(999)], [1, null, "\ud800"]],
    ["string of 1 to 3", name, ["a", "abc", "🐕🐕🐕"], ["", "abcd", "🐕🐕🐕🐕"]],
    ["string of 2", { type: "string", minLength: 2 }, ["ab", "🐕a"], ["a", "🐕"]],
    ["pattern", { type: "string", pattern: "^.$" }, ["a", "🐕"], ["", "ab"]],
    ["enum", { type: "string", enum: ["a", "b"] }, ["a", "b"], ["c", 1]],
    ["const", { const: "a" }, ["a"], ["b", undefined]],
    ["boolean", { type: "boolean" }, [true, false], ["true", 0, null]],
    ["null", { type: "null" }, [null], [0, "", false]],
    ["nullable", { type: ["string", "null"] }, ["a", null], [1]],
    ["null first", { type: ["null", "boolean"] }, [true, null], ["a"]],
    ["integer", { type: "integer" }, [0, -(2 ** 53 - 1), 2 ** 53 - 1], [1.5, "1", 2 ** 53, 1n]],
    ["integer from 1 to 9", count, [1, 9], [0, 10]],
    ["one of", either, ["all", 5], ["any", 0]],
    ["array", { type: "array", items: { type: "string" } }, [[], ["a"]], ["a", [1], ["a", 1]]],
    ["array of booleans", { type: "array", items: { type: "boolean" } }, [[true]], [["true"]]],
  ] as readonly (readonly [string, Schema, readonly unknown[], readonly unknown[]])[]) {
    test(`is read as ${title}, and refused as anything else`, () => {
      for (const value of right) expect(readJson(schema, value)).toEqual(value);
      for (const value of not) expect(readJson(schema, value)).toBe(wrong);
    });
  }

  test("is an int64 as a bigint", () => {
    const schema = { type: "integer", format: "int64" };
    expect([readJson(schema, 7), readJson(schema, 2n ** 60n)]).toEqual([7n, 2n ** 60n]);
    expect(readJson(schema, "7")).toBe(wrong);
  });
});

describe("a parameter", () => {
  const count: Schema = { type: "integer", minimum: 1, maximum: 100 };
  const ids: Schema = { type: "array", maxItems: 2, items: { type: "integer", format: "int64" } };

  test("is read from its text", () => {
    expect([readTexts(count, "1"), readTexts(count, "0100")]).toEqual([1, 100]);
    expect(readTexts({ type: "boolean" }, "true")).toBe(true);
    expect(readTexts({ type: "boolean" }, "false")).toBe(false);
    expect(readTexts({ type: ["boolean", "null"] }, "true")).toBe(true);
    expect(readTexts({ oneOf: [{ type: "boolean" }, count] }, "7")).toBe(7);
    expect(readTexts({ type: "integer" }, "9".repeat(15))).toBe(999_999_999_999_999);
    expect(readTexts(ids, "-7", "9007199254740993")).toEqual([-7n, 9007199254740993n]);
    expect(readTexts({ type: "array", items: count }, ...Array(50).fill("1"))).toHaveLength(50);
  });

  test("is refused with what it must be", () => {
    const range = ["it must be an integer from 1 to 100."];
    for (const text of ["", "0", "101", "x1", "1x", "1.0", "-1"]) {
      expect(readTexts(count, text)).toEqual(range);
    }
    expect(readTexts({ type: "integer", minimum: 0, maximum: 1 }, "0".repeat(16))).toEqual([
      "it must be an integer from 0 to 1.",
    ]);
    expect(readTexts({ type: "boolean" }, "yes")).toEqual(["it must be true or false."]);
    expect(readTexts(ids, "1", "x")).toEqual([
      "it must be an integer from -9223372036854775808 to 9223372036854775807.",
    ]);
  });

  test("is refused more often than the contract allows", () => {
    expect(readTexts(count, "1", "1")).toEqual(["it may be given once at most."]);
    expect(readTexts(ids, "1", "1", "1")).toEqual(["it may be given 2 times at most."]);
  });
});

describe("an object", () => {
  const schema: Schema = {
    type: "object",
    required: ["name"],
    minProperties: 1,
    properties: { name: { type: "string" }, size: { type: "string", default: "small" } },
  };
  const read = (of: Schema, value: unknown, strict = false) => {
    const complaints: string[] = [];
    return { result: jsonReader(of)(value, "The body", { complaints, strict }), complaints };
  };

  test("has what is required, and defaults for the rest", () => {
    expect(read(schema, { name: "a", other: 1 })).toEqual({
      result: { name: "a", size: "small" },
      complaints: [],
    });
    expect(read(schema, { name: 1, size: "large" }).complaints).toEqual(["name must be a string."]);
    expect(read(schema, {}).complaints).toEqual([
      "name is required.",
      "The body must have at least one of name, size.",
    ]);
    // What an object inherits is not given.
    expect(read(schema, Object.create({ name: "a" })).complaints).toHaveLength(2);
    const optional: Schema = { type: "object", properties: { name: { type: "string" } } };
    expect(read(optional, {})).toEqual({ result: {}, complaints: [] });
    expect(Object.keys(read(optional, {}).result as object)).toEqual([]);
    expect(read({ type: "object" }, { a: 1 })).toEqual({ result: {}, complaints: [] });
  });

  test("is nothing else", () => {
    for (const value of [null, [], "a", undefined]) {
      expect(read(schema, value)).toEqual({
        result: undefined,
        complaints: ["The body must be a JSON object."],
      });
    }
  });

  test("has no unknown members under strict handling", () => {
    expect(read(schema, { name: "a", other: 1 }, true).complaints).toEqual([
      "other is not a member of this body.",
    ]);
    expect(read(schema, { name: "a" }, true).complaints).toEqual([]);
  });
});

test("unknown names are echoed up to ten, 64 characters of each, and quoted if need be", () => {
  expect(unknownNames(["a.b-c_1"], "known")).toEqual(["a.b-c_1 is not known."]);
  expect(unknownNames(["a b", "!a", "a!", "", "\ud800"], "known")).toEqual([
    '"a b" is not known.',
    '"!a" is not known.',
    '"a!" is not known.',
    '"" is not known.',
    '"\ufffd" is not known.',
  ]);
  const [whole, short] = unknownNames(["x".repeat(64), "x".repeat(65)], "known");
  expect([whole, short]).toEqual([
    `${"x".repeat(64)} is not known.`,
    `${"x".repeat(64)}… is not known.`,
  ]);
  expect(unknownNames(Array(10).fill("a"), "known")).toHaveLength(10);
  expect(unknownNames(Array(12).fill("a"), "known").at(-1)).toBe("2 more are not either.");
});

test("what a schema asks for is said in words", () => {
  for (const [schema, words] of [
    [{ type: "string" }, "a string"],
    [{ type: "string", "x-expected": "of letters" }, "a string of letters"],
    [{ type: "string", enum: ["a", "b"] }, "one of a, b"],
    [{ type: ["null", "string"] }, "a string, or null"],
    [{ type: "null" }, "null"],
    [{ type: "boolean" }, "true or false"],
    [{ oneOf: [{ type: "boolean" }, { type: "null" }] }, "true or false, or null"],
    [{ oneOf: [{ type: "null" }], "x-expected": "nothing" }, "nothing"],
    [{ const: "a" }, "another value"],
    [{ const: "a", "x-expected": "an a" }, "an a"],
  ] as const) {
    expect(expectation(schema)).toBe(words);
  }
});

test("a schema that nothing enforces or reads is refused", () => {
  const array: Schema = { type: "array", items: { type: "string" } };
  const unknown = { multipleOf: 3 };
  for (const [schema, message] of [
    [{ type: "string", ...unknown }, 'uses the schema keyword "multipleOf"'],
    [{ type: "object", ...unknown }, 'uses the schema keyword "multipleOf"'],
    [{ oneOf: [{ type: "string", ...unknown }] }, 'uses the schema keyword "multipleOf"'],
    [{ type: "number" }, 'schema that nothing reads: {"type":"number"}'],
    [{ type: ["string", "integer"] }, "types that nothing reads: string, integer"],
    [{ type: ["null"] }, "types that nothing reads: null"],
    [{ type: ["null", "null"] }, "types that nothing reads: null, null"],
    [{ type: ["string"] }, "types that nothing reads: string"],
    [{ type: ["string", "integer", "null"] }, "types that nothing reads: string, integer, null"],
    [{ type: "array" }, "bounds an array of a body"],
    [{ ...array, minItems: 1 }, "bounds an array of a body"],
    [{ ...array, maxItems: 1 }, "bounds an array of a body"],
    [{ type: "integer", format: "int64", minimum: 1 }, "bounds an int64"],
    [{ type: "integer", format: "int64", maximum: 1 }, "bounds an int64"],
  ] as readonly (readonly [Schema, string])[]) {
    expect(() => jsonReader(schema)).toThrow(message);
  }
  for (const [schema, message] of [
    [{ type: "string", ...unknown }, "multipleOf"],
    [{ ...array, uniqueItems: true }, "uniqueItems"],
    [{ type: "array" }, "bounds an array"],
  ] as readonly (readonly [Schema, string])[]) {
    expect(() => parameterReader(schema)).toThrow(message);
  }
  const known = ["description", "example", "examples", "default", "format"];
  const extensions = ["x-enum-varnames", "x-expected"];
  const schema = Object.fromEntries([...known, ...extensions].map((each) => [each, "x"]));
  expect(readJson({ ...schema, type: "string" }, "a")).toBe("a");
});
