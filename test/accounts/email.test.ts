import { describe, expect, test } from "bun:test";
import { readEmail } from "../../src/accounts/email.ts";

describe("an e-mail address", () => {
  test.each([
    ["anna@example.com", "anna@example.com"],
    ["Anna.O'Hara+petstore@Mail.Example.COM", "Anna.O'Hara+petstore@mail.example.com"],
    ["ops@bücher.example", "ops@xn--bcher-kva.example"],
    ["ops@点看.example", "ops@xn--3pxu8k.example"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
  ])("%s is stored as %s", (text, stored) => {
    expect(readEmail(text)).toBe(stored);
  });

  test.each([
    "",
    "anna",
    "@example.com",
    "anna@",
    "anna@localhost",
    "anna@192.0.2.1",
    "anna@[192.0.2.1]",
    "anna@-example.com",
    "anna@example..com",
    ".anna@example.com",
    "an..na@example.com",
    "an na@example.com",
    "änna@example.com",
    '"anna"@example.com',
    "Anna <anna@example.com>",
    "anna@example.com, bob@example.com",
    "anna@example.com\r\nBcc: bob@example.com",
    "anna@example.com\n",
    "anna\u0000@example.com",
    "anna@exa\u202emple.com",
    `${"a".repeat(65)}@example.com`,
    `anna@${"a".repeat(64)}.com`,
    `anna@${"abc.".repeat(62)}com`,
  ])("%j is none", (text) => {
    expect(readEmail(text)).toBeUndefined();
  });
});
