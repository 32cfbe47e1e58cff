import { expect, test } from "bun:test";
import { STATUS_CODES } from "node:http";
import { reasonPhrase } from "../../src/core/reasonPhrases.ts";

/** The runtime still has the names that these had before RFC 9110. */
const renamed: Record<number, string> = { 413: "Content Too Large", 422: "Unprocessable Content" };

test("every status that a document declares has the reason phrase of RFC 9110", async () => {
  const declared = new Set<number>();
  for (const name of ["petstore", "platform"]) {
    const text = await Bun.file(new URL(`../../openapi/${name}.yaml`, import.meta.url)).text();
    for (const [, status] of text.matchAll(/^ +"([1-5]\d\d)":/gm)) declared.add(Number(status));
  }
  expect(declared.size).toBeGreaterThan(15);
  for (const status of declared) {
    expect(reasonPhrase(status)).toBe(renamed[status] ?? STATUS_CODES[status] ?? "unknown");
  }
});

test("a status without a phrase has an empty one", () => {
  expect(reasonPhrase(299)).toBe("");
});
