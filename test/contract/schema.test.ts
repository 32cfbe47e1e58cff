import { describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import document from "../../src/contract/generated/document.json" with { type: "json" };
import { readerFor } from "../../src/contract/operations.ts";
import { jsonReader, parameterReader, type Reading } from "../../src/contract/schema.ts";
import fc from "../../testkit/fastCheck.ts";

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, "contract");
const byAjv = ajv.compile({ $ref: "contract#/components/schemas/NewPet" });
const readNewPet = readerFor("NewPet");

function read(value: unknown, strict = false) {
  const reading: Reading = { complaints: [], strict };
  return { result: readNewPet(value, "The body", reading), complaints: reading.complaints };
}

/** Values near the edges of what is allowed, so that both verdicts are common. */
const member = fc.oneof(
  fc.constantFrom(
    "available",
    "pending",
    "sold",
    "",
    " ",
    "x".repeat(255),
    "x".repeat(256),
    "\0",
    "a\0",
  ),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.integer(),
  fc.double(),
  fc.constantFrom(null, true, [], {}, 1.5, 0, -0),
);
const nearlyRight = fc.record(
  {
    name: fc.oneof(fc.string({ unit: "grapheme" }), member),
    categoryId: fc.oneof(fc.integer(), member),
    status: fc.oneof(fc.constantFrom("available", "pending", "sold"), member),
    other: member,
  },
  { requiredKeys: [] },
);
const newPets = fc.oneof({ weight: 4, arbitrary: nearlyRight }, fc.jsonValue());

describe("reading by the contract's schema", () => {
  test("takes what an independent validator takes and refuses what it refuses", () => {
    let taken = 0;
    fc.assert(
      fc.property(newPets, (value) => {
        // Lone surrogates and doubles past 2^53 are refused here and are beyond JSON Schema.
        const wellFormed =
          typeof (value as { name?: unknown })?.name !== "string" ||
          (value as { name: string }).name.isWellFormed();
        const id = (value as { categoryId?: unknown })?.categoryId;
        if (!wellFormed || (typeof id === "number" && Math.abs(id) > 2 ** 53 - 1)) return;
        const accepted = read(value).complaints.length === 0;
        expect([value, accepted]).toEqual([value, byAjv(value)]);
        if (accepted) taken++;
      }),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  test("names every member that the independent validator finds wrong", () => {
    fc.assert(
      fc.property(nearlyRight, (value) => {
        byAjv(value);
        const wrong = new Set(
          (byAjv.errors ?? []).map(
            ({ instancePath, params }) => instancePath.slice(1) || params["missingProperty"],
          ),
        );
        const { complaints } = read(value);
        for (const name of wrong) {
          expect(complaints.filter((complaint) => complaint.startsWith(`${name} `)).length).toBe(1);
        }
      }),
    );
  });

  test("keeps what it names and drops the rest", () => {
    const { result } = read({ categoryId: 1, name: "A", extra: true });
    expect(result).toEqual({ name: "A", categoryId: 1n, status: "available" });
  });

  test("strict handling echoes at most ten unknown names, shortened", () => {
    const strangers = Object.fromEntries(
      Array.from({ length: 13 }, (_, n) => [`${n}${"x".repeat(100)}`, n]),
    );
    const { complaints } = read({ name: "A", categoryId: 1, ...strangers }, true);
    expect(complaints.length).toBe(11);
    expect(complaints[0]?.length).toBeLessThan(120);
    expect(complaints[10]).toBe("3 more are not either.");
  });

  test("a keyword that nothing enforces stops the program instead of being skipped", () => {
    const unknown = { type: "string", format: "email", multipleOf: 3 } as object;
    expect(() => jsonReader(unknown)).toThrow("multipleOf");
    expect(() => parameterReader(unknown)).toThrow("multipleOf");
    expect(() => jsonReader({ type: "number" })).toThrow("nothing reads");
    expect(() => jsonReader({ type: ["string", "integer"] })).toThrow("nothing reads");
    const bounded = { type: "array", items: { type: "string" }, minItems: 1 };
    expect(() => jsonReader(bounded)).toThrow("nothing enforces");
    expect(() => jsonReader({ type: "integer", format: "int64", minimum: 1 })).toThrow("int64");
  });
});
