/** Faults in reading bodies. */
import type { Caught } from "./faults.ts";
import { body } from "./tamper.ts";

export const faultsOfBodies: readonly Caught[] = [
  {
    name: "names are trimmed",
    asked: body((text) => text.replace(/"name":"(?: {1,9})([^"]*?) *"/, '"name":"$1"')),
    caughtBy: ["create-name-spaces-kept"],
  },
  {
    name: "characters of four bytes are lost",
    asked: body((text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, "?")),
    caughtBy: ["create-name-kept", "create-name-255-emoji-kept"],
  },
  {
    name: "names are normalised",
    asked: body((text) => text.normalize("NFC")),
    caughtBy: ["create-name-decomposed-kept"],
  },
  {
    name: "long names are cut",
    asked: body((text) => text.replace(/("name":"n{255})n+"/, '$1"')),
    caughtBy: ["create-name-256-refused"],
  },
  {
    name: "U+0000 is dropped from names",
    asked: body((text) => text.replaceAll("\\u0000", "")),
    caughtBy: ["create-name-nul-refused"],
  },
  {
    name: "half surrogate pairs are replaced",
    asked: body((text) => text.replace(/\\ud83d(?!\\u)|\\udc08/g, "\\ufffd")),
    caughtBy: ["create-name-lone-high-surrogate-refused", "create-name-lone-low-surrogate-refused"],
  },
  {
    name: "categoryId goes through a double",
    asked: body((text) =>
      text.replace(
        /("categoryId":)(-?\d{16,})(?=[,}])/,
        (_, name, digits) => `${name}${BigInt(Number(digits))}`,
      ),
    ),
    caughtBy: [
      "create-category-beyond-double",
      "create-category-int64-max",
      "create-category-below-int64-refused",
      "category-in-use-409",
    ],
  },
  {
    name: "categoryId wraps around",
    asked: body((text) =>
      text.replace(
        /("categoryId":)(-?\d{19})(?=[,}])/,
        (_, name, digits) => `${name}${BigInt.asIntN(64, BigInt(digits))}`,
      ),
    ),
    caughtBy: ["create-category-above-int64-refused", "create-category-below-int64-refused"],
  },
  {
    name: "categoryId is cut to its whole part",
    asked: body((text) => text.replace(/("categoryId":-?\d+)\.\d+(?=[,}])/, "$1")),
    caughtBy: ["create-category-fraction-refused", "create-category-almost-integer-refused"],
  },
  {
    name: "1.0 is no integer",
    asked: body((text) => text.replace(/"categoryId":-?\d+[.e][^,}]*/, '"categoryId":"no"')),
    caughtBy: [
      "create-category-point-accepted",
      "create-category-exponent-accepted",
      "create-category-point-exponent-accepted",
      "create-category-int64-max-point-accepted",
    ],
  },
  {
    name: "a number in a string is taken for one",
    asked: body((text) => text.replace('"categoryId":"1"', '"categoryId":1')),
    caughtBy: [
      "create-category-string-refused",
      "refusal-names-categoryId",
      "refusal-stores-nothing",
    ],
  },
  {
    name: "a name that is a number is taken",
    asked: body((text) => text.replace('"name":5', '"name":"5"')),
    caughtBy: ["create-name-number-refused", "refusal-names-name"],
  },
  {
    name: "a status of null counts as left out",
    asked: body((text) => text.replace(',"status":null', "")),
    caughtBy: ["create-status-null-refused"],
  },
  {
    name: "an unknown status becomes available",
    asked: body((text) => text.replace(/"status":"(?:lost|)"/, '"status":"available"')),
    caughtBy: [
      "create-status-unknown-refused",
      "create-status-empty-refused",
      "refusal-names-status",
      "refusal-stores-nothing",
    ],
  },
  {
    name: "larger bodies are taken",
    asked: (asked) => {
      if (asked.body.length > 65_536) asked.body = asked.body.subarray(0, 65_536);
    },
    caughtBy: ["body-65537-refused"],
  },
  {
    name: "bodies are limited to 65,535 bytes",
    asked: (asked) => {
      if (asked.body.length === 65_536) asked.body = new Uint8Array(65_537);
    },
    caughtBy: ["body-65536-accepted"],
  },
  {
    name: "a quantity above 1000 is taken for 1000",
    asked: body((text) => text.replace('"quantity":1001', '"quantity":1000'), "/store/orders"),
    caughtBy: ["order-quantity-1001-refused"],
  },
  {
    name: "a quantity of null counts as left out",
    asked: body((text) => text.replace(/,"quantity":null/, ""), "/store/orders"),
    caughtBy: ["order-quantity-null-refused"],
  },
];
