import type { Equivalent } from "./judge.ts";

const equivalentsOf = (
  file: string,
  ...those: readonly [code: string, becomes: string, why: string][]
) => those.map(([code, becomes, why]): Equivalent => ({ file, code, becomes, why }));

/** Reviewed one by one: no test can notice these. An entry whose mutant is noticed fails the run. */
export const equivalents: readonly Equivalent[] = [
  ...equivalentsOf("src/petstore/keys/lifecycle.ts", [
    "key.expiresAtMs !== undefined",
    "true",
    "Without an expiry, the comparison that follows is false as well.",
  ]),
  ...equivalentsOf("src/petstore/keys/rateLimiter.ts", [
    "bucket.tokens >= 1 - roundingError",
    "bucket.tokens > 1 - roundingError",
    "They differ only for a rounding error that is exactly as large as what is allowed for it.",
  ]),
  ...equivalentsOf(
    "src/petstore/keys/useRecorder.ts",
    ["24 * 3_600_000", "24 / 3_600_000", "The date is formatted more often."],
    ["nowMs / dayMs", "nowMs * dayMs", "The date is formatted more often."],
    ["number !== this.#today.number", "true", "The date is formatted more often."],
    ['{ number: Number.NaN, text: "" }', "{}", "It is replaced before its text is read."],
    ['""', '"Stryker was here!"', "Any text that is not a date will do."],
    [
      "last?.keyId === keyId && last.operation === operation && last.day === day",
      "false",
      "A shortcut: the count is found in the map as well.",
    ],
    [
      "{\n      last.count++;\n      last.lastAtMs = lastAtMs;\n      return;\n    }",
      "{}",
      "A shortcut: the count is found in the map as well.",
    ],
    ["held.count > 1", "false", "A shortcut: the count is put where it already is."],
  ),
  ...equivalentsOf("src/contract/int64.ts", [
    "text.length < digitsMax",
    "false",
    "A shortcut: with so few digits, the comparisons are true.",
  ]),
  ...equivalentsOf(
    "src/contract/schema.ts",
    ["value.length > maxLength || minLength > 1", "true", "Code points are counted more often."],
    [
      "value.length > maxLength",
      "value.length >= maxLength",
      "Code points are counted more often.",
    ],
    ["minLength > 1", "minLength >= 1", "Code points are counted more often."],
  ),
  ...equivalentsOf("src/petstore/catalogue/cursor.ts", [
    "a < b",
    "a <= b",
    "No two of a set are equal.",
  ]),
  ...equivalentsOf("src/petstore/catalogue/petCommands.ts", [
    "id > transaction.lastPetId",
    "id >= transaction.lastPetId",
    "It is set to what it is.",
  ]),
  ...equivalentsOf(
    "src/petstore/catalogue/petSearch.ts",
    ["text.length <= wordLengthMax", "false", "A shortcut: all of its code points are taken."],
    [
      "text.length <= wordLengthMax",
      "text.length < wordLengthMax",
      "A shortcut: all of its code points are taken.",
    ],
    ["/^[\\0-\\x7f]*$/", "/^[\\0-\\x7f]$/", "A shortcut: others find the same words of ASCII."],
  ),
  ...equivalentsOf(
    "src/hosting/domains/hostName.ts",
    ["[]", '["Stryker was here"]', "No host name has spaces, so this one is near to none."],
    ['""', '"Stryker was here!"', "Neither is a host name."],
  ),
];
