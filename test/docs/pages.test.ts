/** What holds for every page, whatever it is about. */
import { describe, expect, test } from "bun:test";
import { build, elementsOf, fileAt, pagesOf, textOf } from "./built.ts";

const files = await build();
const elements = new Map(pagesOf(files).map((path) => [path, elementsOf(textOf(files, path))]));
const idsOf = (path: string) =>
  (elements.get(path) ?? []).flatMap(({ attributes }) => attributes.get("id") ?? []);

for (const [path, all] of elements) {
  const count = (tag: string) => all.filter((element) => element.tag === tag).length;

  describe(path, () => {
    test("has one h1, a title, a language and its landmarks", () => {
      const page = textOf(files, path);
      expect(count("h1")).toBe(1);
      expect(/<title>[^<]{3,}<\/title>/.test(page)).toBe(true);
      expect(page).toStartWith('<!doctype html>\n<html lang="en">');
      expect([count("header"), count("main"), count("footer")]).toEqual([1, 1, 1]);
      expect(count("nav")).toBeGreaterThanOrEqual(1);
      expect(page).toContain('<a class="skip" href="#main">');
    });

    test("has no script, style or handler within, so that a strict policy holds", () => {
      const page = textOf(files, path);
      expect(page).not.toMatch(/<script(?![^>]* src=)[^>]*>/);
      expect(count("style")).toBe(0);
      for (const { attributes } of all) {
        for (const name of attributes.keys()) expect(name).not.toMatch(/^(?:style$|on)/);
      }
    });

    test("draws its marks, since characters for them are missing in some fonts", () => {
      expect(textOf(files, path)).not.toMatch(/[\u25a0-\u25ff]/);
    });

    test("loads nothing from elsewhere", () => {
      for (const { tag, attributes } of all) {
        const loaded = tag === "link" ? attributes.get("href") : attributes.get("src");
        if (loaded === undefined) continue;
        expect(loaded).toMatch(/^\/docs\//);
        expect(files.has(fileAt(loaded))).toBe(true);
      }
    });

    test("leads only to pages, files and places that are there", () => {
      const dead = all
        .flatMap(({ tag, attributes }) => (tag === "a" ? (attributes.get("href") ?? []) : []))
        .filter((href) => !/^https?:/.test(href))
        .filter((href) => {
          const [address = "", anchor] = href.split("#");
          const file = address === "" ? path : fileAt(address);
          if (!files.has(file)) return true;
          return anchor !== undefined && !idsOf(file).includes(anchor);
        });
      expect(dead).toEqual([]);
    });

    test("uses every id once, and labels and controls find each other", () => {
      const ids = idsOf(path);
      expect(ids).toEqual([...new Set(ids)]);
      for (const { attributes } of all) {
        for (const name of ["for", "aria-controls", "aria-describedby"]) {
          const id = attributes.get(name);
          if (id !== undefined) expect(ids).toContain(id);
        }
      }
    });
  });
}

describe("the Markdown pages", () => {
  for (const path of [...files.keys()].filter((name) => name.endsWith(".md"))) {
    test(`${path} links only to files of the site`, () => {
      const folder = new URL(path, "https://docs.example/");
      const text = textOf(files, path).replace(/```[\s\S]*?```/g, "");
      const dead = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, href = ""]) => new URL(href, folder))
        .filter(({ host, pathname }) => host === folder.host && !files.has(pathname.slice(1)))
        .map(({ pathname }) => pathname);
      expect(dead).toEqual([]);
    });
  }
});

describe("the styles", () => {
  const path = [...files.keys()].find((name) => name.endsWith(".css")) ?? "";
  const css = textOf(files, path);

  test("load only fonts of the site", () => {
    const loaded = [...css.matchAll(/url\("?([^")]+)"?\)/g)].map(([, address]) => address);
    expect(loaded).toHaveLength(2);
    for (const address of loaded) expect(files.has(`assets/${address}`)).toBe(true);
    expect(css).not.toContain("@import");
  });

  test("name every colour among the tokens, and use no token that is missing", () => {
    const [tokens = "", ...others] = css.split("*::before");
    const named = new Set([...tokens.matchAll(/^(--[\w-]+):/gm)].map(([, name]) => name));
    const used = [...css.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name);
    expect(used.filter((name) => !named.has(name))).toEqual([]);
    expect(others.join("").match(/#[0-9a-f]{3,8}\b|oklch\(|rgba?\(|hsla?\(/gi)).toBeNull();
  });
});
