import { describe, expect, test } from "bun:test";
import { isUnconditional, requireAtMost } from "../../src/petstore/catalogue/catalogue.ts";
import {
  entityTag,
  matches,
  patched,
  petStatuses,
  petText,
} from "../../src/petstore/catalogue/pet.ts";

const bella = { id: 2n ** 63n - 1n, name: 'B"', categoryId: -3n, status: "pending" } as const;

describe("a patch", () => {
  for (const [patch, changes] of [
    [{}, {}],
    [{ name: "Rex" }, { name: "Rex" }],
    [{ categoryId: 0n }, { categoryId: 0n }],
    [{ status: "sold" }, { status: "sold" }],
    [{ status: null }, { status: "available" }],
  ] as const) {
    const named = Object.keys(patch).join() || "nothing";
    test(`of ${named} changes ${JSON.stringify(Object.keys(changes))} alone`, () =>
      expect(patched(bella, patch)).toEqual({ ...bella, ...changes }));
  }
});

describe("an entity tag", () => {
  const text = petText(bella);

  test("is a strong one of 22 characters, which the body and the link to the next page decide", () => {
    expect(text).toBe(
      '{"id":9223372036854775807,"name":"B\\"","categoryId":-3,"status":"pending"}' as never,
    );
    expect(entityTag(text)).toMatch(/^"[\w-]{22}"$/);
    expect(entityTag(text)).toBe(entityTag(text, ""));
    const tags = [entityTag(text), entityTag(text, "next"), entityTag("[]"), entityTag("", "[]")];
    expect(new Set(tags).size).toBe(4);
  });

  test("is required of the pet, alone or as a list of one", () => {
    const [own, listed, other] = [entityTag(text), entityTag(`[${text}]`), entityTag("[]")];
    for (const ifMatch of [undefined, "*", [own], [listed], [other, own]] as const) {
      expect(matches(text, ifMatch)).toBe(true);
    }
    for (const ifMatch of [[], [other], ["*"]]) expect(matches(text, ifMatch)).toBe(false);
  });
});

test("the statuses are those of the contract, in its order", () => {
  expect(petStatuses).toEqual(["available", "pending", "sold"]);
});

test("an addition is unconditional without an idempotency key and an enforced category", () => {
  const idempotency = {} as never;
  expect([{}, { knownCategoryOnly: false }].map(isUnconditional)).toEqual([true, true]);
  const terms = [{ idempotency }, { knownCategoryOnly: true }];
  expect(terms.map(isUnconditional)).toEqual([false, false]);
});

test("a list may be as long as its maximum", () => {
  expect(() => requireAtMost(2, [1, 2], "pets")).not.toThrow();
  expect(() => requireAtMost(2, [1, 2, 3], "pets")).toThrow(
    new RangeError("At most 2 pets at once."),
  );
});
