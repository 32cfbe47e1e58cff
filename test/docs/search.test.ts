import { describe, expect, test } from "bun:test";
import { placesOf, rank, type SearchEntry } from "../../src/docs/browser/rank.ts";
import { build, fileAt, textOf } from "./built.ts";

const files = await build();
const path = [...files.keys()].find((name) => name.startsWith("assets/search-")) ?? "";
const index: SearchEntry[] = JSON.parse(textOf(files, path));
const found = (question: string) => rank(index, question).map(({ address }) => address);

describe("search", () => {
  test("finds the error and the guide for cursor", () => {
    expect(found("cursor")[0]).toBe("/docs/errors/cursor_invalid/");
    expect(found("cursor").some((address) => address.startsWith("/docs/guide/paging/"))).toBe(true);
  });

  test("finds an operation by its id, by its words and by its path", () => {
    expect(found("placeOrder")[0]).toBe("/docs/reference/placeOrder/");
    expect(found("place an order")[0]).toBe("/docs/reference/placeOrder/");
    expect(found("POST store orders")).toContain("/docs/reference/placeOrder/");
  });

  test("puts the guide first for what the guide is about", () => {
    expect(found("paging")[0]).toBe("/docs/guide/paging/");
    expect(found("keys")[0]).toBe("/docs/guide/keys/");
    expect(found("rotate")[0]).toBe("/docs/guide/keys/#rotate");
  });

  test("wants every word, at the beginning of one", () => {
    expect(found("cursor zzz")).toEqual([]);
    expect(found("ursor")).toEqual([]);
    expect(found("  ")).toEqual([]);
  });

  test("leads only to pages and places that are there", () => {
    for (const { address } of index) {
      const [page = "", anchor] = address.split("#");
      expect(files.has(fileAt(page))).toBe(true);
      if (anchor !== undefined) expect(textOf(files, fileAt(page))).toContain(`id="${anchor}"`);
    }
  });

  test("knows where a word begins: after a mark, and at a capital", () => {
    expect(placesOf("key_missing listKeys monkeys keys", "key")).toEqual([0, 16, 29]);
  });
});
