import { afterEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { sha256 } from "../../src/dashboard/browser/projects/sha256.ts";

const { subtle } = crypto;
const setSubtle = (value: SubtleCrypto | undefined) =>
  Object.defineProperty(crypto, "subtle", { value, configurable: true });
afterEach(() => setSubtle(subtle));

test.each([
  ["over TLS", subtle],
  ["over plain HTTP, where browsers have none of their own", undefined],
])("a page %s has the SHA-256 of a content", async (_where, available) => {
  setSubtle(available);
  expect(crypto.subtle).toBe(available as SubtleCrypto);
  for (const length of [0, 1, 55, 56, 64, 1000, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length) % 256);
    expect(await sha256(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
  }
});
