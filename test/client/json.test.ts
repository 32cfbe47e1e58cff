import { describe, expect, test } from "bun:test";
import { int64Members, parseExactly, withInt64, writeExactly } from "../../src/client/json.ts";
import document from "../../src/contract/generated/document.json" with { type: "json" };
import { int64Max, int64Min } from "../../src/contract/int64.ts";
import { parseJson } from "../../src/contract/json.ts";
import fc from "../../testkit/fastCheck.ts";

const int64 = fc.bigInt({ min: int64Min, max: int64Max });
/** Strings that look like numbers, marks or names, and everything else. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  int64.map(String),
  int64.map((value) => `n${value}`),
  int64.map((value) => `\\"${value}":"\\`),
);
const { value: tree } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    int64,
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Number.isInteger(one)),
    fc.constantFrom(null, true, false, 0, 1, -1, Number.MAX_SAFE_INTEGER),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      text.filter((name) => name !== "__proto__"),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
}));
/** Written by another hand than the client's. */
const written = (value: unknown, space: string): string => {
  if (typeof value === "bigint") return `${value}`;
  if (Array.isArray(value))
    return `[${space}${value.map((one) => written(one, space)).join(`,${space}`)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}${space}:${written(member, space)}`,
  );
  return `{${members.join(`,${space}`)}}`;
};
const runs = { numRuns: 1_000 };

describe("the client's JSON", () => {
  test("reads every text as the service's own reader does, which sees the digits", () => {
    fc.assert(
      fc.property(tree, fc.constantFrom("", " ", "\n\t"), (value, space) => {
        const json = written(value, space);
        expect(parseExactly(json)).toEqual(parseJson(json));
      }),
      runs,
    );
  });

  test("refuses what JSON.parse refuses, long numbers in broken strings included", () => {
    const broken = fc.oneof(
      fc.string(),
      fc.tuple(tree, fc.nat(200), fc.string({ maxLength: 3 })).map(([value, at, inserted]) => {
        const json = written(value, "");
        return json.slice(0, at) + inserted + json.slice(at + 1);
      }),
      fc.constantFrom('"a\\12345678901234567890', "01234567890123456789", "-", "1234567890123456."),
    );
    fc.assert(
      fc.property(broken, (json) => {
        let valid = true;
        try {
          JSON.parse(json);
        } catch {
          valid = false;
        }
        if (valid) parseExactly(json);
        else expect(() => parseExactly(json)).toThrow(SyntaxError);
      }),
      runs,
    );
  });

  test("writes what the service's reader reads back as the same", () => {
    fc.assert(
      fc.property(tree, (value) => {
        const json = writeExactly(value);
        expect(parseJson(json)).toEqual(parseJson(written(value, "")));
      }),
      runs,
    );
  });

  test("leaves undefined members out, as JSON.stringify does", () => {
    expect(writeExactly({ a: undefined, b: [undefined, 1n], c: null })).toBe(
      '{"b":[null,1],"c":null}',
    );
  });

  test("has no limit on the length of a string", () => {
    const long = `${'\\"'.repeat(1_000_000)}1234567890123456789`;
    const parsed = parseExactly(`["${long}",1234567890123456789]`) as [string, bigint];
    expect(parsed[0].length).toBe(1_000_000 + 19);
    expect(parsed[1]).toBe(1234567890123456789n);
  });
});

describe("int64 in answers", () => {
  test("is a bigint at every depth, however small", () => {
    const parsed = parseExactly('[{"id":1,"pet":{"categoryId":-9223372036854775808},"limit":1}]');
    expect(withInt64(parsed)).toEqual([{ id: 1n, pet: { categoryId: int64Min }, limit: 1 }]);
  });

  test("is one in events of pets and orders, whose ids are texts in those of other resources", () => {
    const event = (type: string, data: string) =>
      withInt64(parseExactly(`[{"id":7,"type":"${type}","data":${data}}]`));
    const order = '{"id":1,"petId":2}';
    expect(event("order.placed", order)).toEqual([
      { id: 7n, type: "order.placed", data: { id: 1n, petId: 2n } },
    ]);
    expect(event("key.created", '{"id":"key_1"}')).toEqual([
      { id: 7n, type: "key.created", data: { id: "key_1" } },
    ]);
    expect(() => event("pet.created", '{"id":"key_1"}')).toThrow(TypeError);
  });

  for (const value of [
    '"1"',
    "1.5",
    "9223372036854775808",
    "9223372036854775807.5",
    "1e30",
    "null",
  ]) {
    test(`${value} is refused rather than passed on as another value`, () => {
      expect(() => withInt64(parseExactly(`{"id":${value}}`))).toThrow(TypeError);
    });
  }

  test("the names the client knows are those of the contract, and mean nothing else there", () => {
    const found = new Map<string, Set<unknown>>();
    const walk = (node: unknown, name: string | undefined) => {
      if (typeof node !== "object" || node === null) return;
      const schema = node as Record<string, unknown>;
      // What events of other resources contain is not read as int64.
      const { format, type, properties, "x-data": _data, ...others } = schema;
      if (format === "int64") expect([node, name]).toEqual([node, expect.any(String)]);
      if (name !== undefined) found.set(name, (found.get(name) ?? new Set()).add(format ?? type));
      for (const [key, child] of Object.entries(properties ?? {})) walk(child, key);
      for (const child of Object.values(others)) walk(child, undefined);
    };
    walk(document.components.schemas, undefined);
    const exact = [...found].filter(([, formats]) => formats.has("int64"));
    expect(exact.map(([name]) => name).sort()).toEqual(Object.keys(int64Members).sort());
    for (const [name, formats] of exact) expect([name, formats.size]).toEqual([name, 1]);
  });
});
