import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { int64FromJson, int64FromText, int64Max, int64Min } from "../../src/contract/int64.ts";
import { fromJson, parseJson, toJson } from "../../src/contract/json.ts";
import fc from "../../testkit/fastCheck.ts";
import { hangMs } from "../../testkit/timeouts.ts";

const int64 = fc.bigInt({ min: int64Min, max: int64Max });

describe("exact JSON", () => {
  test("every int64 survives, wherever it stands", () => {
    fc.assert(
      fc.property(int64, fc.string(), (value, text) => {
        const parsed = parseJson(`{"a":[${value}],"b":${JSON.stringify(text)}}`) as {
          a: unknown[];
          b: string;
        };
        expect(int64FromJson(parsed.a[0])).toBe(value);
        expect(parsed.b).toBe(text);
      }),
    );
  });

  test("an int64 survives being written with a point or an exponent", () => {
    fc.assert(
      fc.property(int64, fc.nat(18), (value, shift) => {
        const digits = value
          .toString()
          .replace("-", "")
          .padStart(shift + 1, "0");
        const sign = value < 0n ? "-" : "";
        const cut = digits.length - shift;
        const moved = `${sign}${digits.slice(0, cut)}${shift > 0 ? `.${digits.slice(cut)}` : ""}e${shift}`;
        expect(int64FromJson(parseJson(moved))).toBe(value);
        // JSON has no leading zeros, so zero stays as it is.
        const zeros = value === 0n ? "" : "0".repeat(shift);
        expect(int64FromJson(parseJson(`${value}${zeros}e-${shift}`))).toBe(value);
      }),
    );
  });

  test("a number that is no integer is never taken for one, however close it is", () => {
    fc.assert(
      fc.property(int64, fc.bigInt({ min: 1n, max: 10n ** 25n }), (whole, fraction) => {
        const text = `${whole}.${fraction.toString().padStart(26, "0")}`;
        expect(int64FromJson(parseJson(text))).toBeUndefined();
      }),
    );
  });

  test("an integer outside the range is never taken for an int64", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 80n }), fc.boolean(), (beyond, below) => {
        const value = below ? int64Min - beyond : int64Max + beyond;
        expect(int64FromJson(parseJson(`${value}`))).toBeUndefined();
        expect(int64FromText(`${value}`)).toBeUndefined();
      }),
    );
  });

  test("a number of ten million digits is read in one pass", () => {
    // Some milliseconds; a step for every pair of zeros would take days. In a process of its own,
    // for nothing else ends it then.
    const module = fileURLToPath(new URL("../../src/contract/json.ts", import.meta.url));
    const script = `const { parseJson } = await import(${JSON.stringify(module)});
      parseJson("[1" + "0".repeat(10_000_000) + "1]");`;
    const { status } = spawnSync(process.execPath, ["-e", script], { timeout: hangMs });
    expect(status).toBe(0);
  });

  test("a huge exponent costs neither time nor memory", () => {
    for (const text of ["1e999999999", "-1e999999999999999999999", "1e-999999999", "0e999999999"]) {
      const value = int64FromJson(parseJson(text));
      expect(value).toBe(text.startsWith("0") ? 0n : undefined);
    }
  });

  test("everything else is as JSON.parse has it", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        const numbersAside = (json: unknown): unknown =>
          JSON.parse(
            JSON.stringify(json, (_, inner) => (typeof inner === "bigint" ? Number(inner) : inner)),
          );
        const parsed = parseJson(text);
        // Integers beyond 2^53 come out as bigints; as doubles they are what JSON.parse gives.
        expect(numbersAside(parsed)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("what is no JSON is refused as JSON.parse refuses it", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (valid) parseJson(text);
        else expect(() => parseJson(text)).toThrow(SyntaxError);
      }),
    );
  });
});

test("an int64 has its bounds, and is no text, truth or nothing", () => {
  for (const [text, value] of [
    ["9223372036854775807", 2n ** 63n - 1n],
    ["-9223372036854775808", -(2n ** 63n)],
    ["9223372036854775808", undefined],
    ["-9223372036854775809", undefined],
  ] as const) {
    expect([int64FromText(text), int64FromJson(parseJson(text))]).toEqual([value, value]);
  }
  for (const other of ["7", true, null, [7], {}]) expect(int64FromJson(other)).toBeUndefined();
});

describe("an int64 in an address", () => {
  test("has one spelling", () => {
    fc.assert(fc.property(int64, (value) => expect(int64FromText(`${value}`)).toBe(value)));
  });

  for (const text of [
    "",
    "-",
    "-0",
    "00",
    "01",
    "-01",
    "+1",
    "1 ",
    " 1",
    "1.0",
    "1e1",
    "0x1",
    "1_0",
    "१",
  ]) {
    test(`${JSON.stringify(text)} is none`, () => {
      expect(int64FromText(text)).toBeUndefined();
    });
  }
});

test("instants and what is not there come back from JSON as they were", () => {
  const value = {
    id: "dom_1",
    addedAtMs: 1_794_744_000_000,
    retryAtMs: undefined,
    certificate: { notAfterMs: 0, window: { startMs: 1, endMs: 2 } },
    entries: [{ atMs: 3, answers: ["2026-11-15T12:00:00Z"], failure: undefined }],
    clicksAtMs: [1, 2],
    count: 3,
    shown: true,
  };
  const read = fromJson<typeof value>(JSON.parse(JSON.stringify(toJson(value))));
  // What was undefined has lost its unit, and is still undefined.
  expect(read).toEqual(value);
});
