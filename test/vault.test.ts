import { describe, expect, test } from "bun:test";
import { Vault } from "../src/core/vault.ts";
import { certificateSeal } from "../src/hosting/domains/domains.ts";
import { fakeClock } from "../testkit/fakeClock.ts";

const clock = fakeClock(0);
const vault = new Vault("one", clock);
const text = "-----BEGIN PRIVATE KEY-----\nü\n";
const purpose = certificateSeal("docs.example.com", "crt_1");

describe("a sealed text", () => {
  const sealed = vault.seal(text, purpose);

  test("opens for what it was sealed for, also by another vault with the same secret", () => {
    expect(vault.open(sealed, purpose)).toBe(text);
    expect(new Vault("one", fakeClock(9, 9)).open(sealed, purpose)).toBe(text);
  });

  test("shows nothing of the text, and is another each time", () => {
    const bytes = Buffer.from(sealed.slice(3), "base64url").toString("latin1");
    expect(bytes).not.toContain("PRIVATE");
    expect(vault.seal(text, purpose)).not.toBe(sealed);
  });

  test("opens with no other secret", () => {
    expect(() => new Vault("two", clock).open(sealed, purpose)).toThrow();
  });

  for (const other of [
    certificateSeal("docs.example.org", "crt_1"),
    certificateSeal("docs.example.com", "crt_2"),
    "",
  ]) {
    test(`opens for nothing else, such as ${other || "nothing"}`, () => {
      expect(() => vault.open(sealed, other)).toThrow();
    });
  }

  test("does not open when any byte of it was changed", () => {
    const bytes = Buffer.from(sealed.slice(3), "base64url");
    for (let index = 0; index < bytes.length; index++) {
      const tampered = Buffer.from(bytes);
      tampered[index] = (tampered[index] ?? 0) ^ 1;
      expect(() => vault.open(`v1.${tampered.toString("base64url")}`, purpose)).toThrow();
    }
  });

  test("does not open when it was cut anywhere", () => {
    const bytes = Buffer.from(sealed.slice(3), "base64url");
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length).toString("base64url");
      expect(() => vault.open(`v1.${cut}`, purpose)).toThrow();
    }
  });

  test("of nothing does not open with a shortened tag", () => {
    const bytes = Buffer.from(vault.seal("", purpose).slice(3), "base64url");
    for (const tagBytes of [4, 8, 12, 13, 14, 15]) {
      const cut = bytes.subarray(0, 12 + tagBytes).toString("base64url");
      expect(() => vault.open(`v1.${cut}`, purpose)).toThrow();
    }
    expect(vault.open(`v1.${bytes.toString("base64url")}`, purpose)).toBe("");
  });

  for (const strange of ["", "v1.", "v2.AAAA", sealed.slice(3), text]) {
    test(`is never ${JSON.stringify(strange.slice(0, 12))}`, () => {
      expect(() => vault.open(strange, purpose)).toThrow();
    });
  }
});
