import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { digestOf } from "../../src/dashboard/browser/projects/sha256.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

test("the page's own SHA-256 agrees with the platform's, at every edge of a block", () => {
  for (const length of [0, 1, 3, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length) % 256);
    expect(hex(digestOf(bytes))).toBe(createHash("sha256").update(bytes).digest("hex"));
  }
});
