import { describe, expect, test } from "bun:test";
import { petText } from "../../src/petstore/catalogue/pet.ts";
import { petMatches, searchWordsOf, wordsOf } from "../../src/petstore/catalogue/petSearch.ts";

describe("the words of a name", () => {
  for (const [name, words] of [
    ["Sir Purr-a-lot 22", ["sir", "purr", "a", "lot", "22"]],
    ["Rex rex REX", ["rex"]],
    ["?!", []],
    ["🐕", []],
    ["", []],
    ["ÉLODIE e\u0301lodie", ["elodie"]],
    ["Straße STRASSE STRAẞE", ["strasse"]],
    ["ΟΔΟΣ, οδοσ, οδος", ["οδοσ"]],
    ["ﬁdo №7", ["fido", "no7"]],
    ["日本 太郎 ٣", ["日本", "太郎", "٣"]],
    // A vowel sign belongs to the letter before it, and begins no word.
    ["हिन्दी \u093f", ["हिन्दी"]],
    ["x".repeat(64), ["x".repeat(64)]],
    ["x".repeat(65), ["x".repeat(64)]],
    ["𐍈".repeat(65), ["𐍈".repeat(64)]],
  ] as const) {
    const shown = name.length > 40 ? `${[...name].slice(0, 3).join("")}…` : name;
    test(`of ${JSON.stringify(shown)}, ${name.length} long`, () =>
      expect(wordsOf(name)).toEqual([...words]));
  }

  test("that others begin with are not searched for", () => {
    expect(searchWordsOf("bell Bella bel ell")).toEqual(["bella", "ell"]);
    expect(searchWordsOf("?!")).toEqual([]);
  });
});

describe("a pet", () => {
  const name = 'Bella "the\nNinth" Smith';
  const text = petText({ id: 12n, name, categoryId: -3n, status: "pending" });

  for (const [filter, expected] of [
    [{}, true],
    [{ status: "pending" }, true],
    [{ status: "sold" }, false],
    [{ categoryIds: [7n, -3n] }, true],
    [{ categoryIds: [3n] }, false],
    [{ categoryIds: [] }, false],
    [{ words: ["bel", "smi"] }, true],
    [{ words: ["ninth"] }, true],
    [{ words: ["bel", "rex"] }, false],
    [{ words: ["ella"] }, false],
    [{ status: "pending", categoryIds: [-3n], words: ["rex"] }, false],
    [{ status: "pending", categoryIds: [4n], words: ["bella"] }, false],
    [{ status: "sold", categoryIds: [-3n], words: ["bella"] }, false],
  ] as const) {
    const shown = JSON.stringify(filter, (_, value) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    test(`${expected ? "matches" : "does not match"} ${shown}`, () =>
      expect(petMatches(text, filter)).toBe(expected));
  }

  test("whose name resembles JSON of a pet matches by its own members", () => {
    const tricky = petText({
      id: 1n,
      name: '","categoryId":9,"status":"sold"}',
      categoryId: 40n,
      status: "available",
    });
    expect(petMatches(tricky, { status: "available", categoryIds: [40n] })).toBe(true);
    expect(petMatches(tricky, { status: "sold" })).toBe(false);
    expect(petMatches(tricky, { categoryIds: [9n] })).toBe(false);
  });
});
