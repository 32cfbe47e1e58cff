import { beforeAll, describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { publishDashboard } from "../../src/dashboard/published.ts";
import type { PublishedDocs } from "../../src/docs/published.ts";
import { typeCheck } from "../../testkit/typeCheck.ts";

const compressedBytesMax = 200_000;
let site: PublishedDocs;

beforeAll(async () => {
  site = await publishDashboard("/dashboard/");
});

const textOf = (path: string) => new TextDecoder().decode(site.files.get(path)?.bytes);

describe("what a browser loads of the dashboard", () => {
  test("is less than 200 kB in all, fonts included", () => {
    const sizes = [...site.files.values()].map(({ gzip, bytes }) => (gzip ?? bytes).byteLength);
    const sum = sizes.reduce((total, bytes) => total + bytes, 0);
    // Less than a font alone would mean that something is missing.
    expect(sum).toBeGreaterThan(50_000);
    expect(sum).toBeLessThan(compressedBytesMax);
  });

  test("has names that change with the content, and may be kept for good", () => {
    const loaded = [...site.files].filter(([path]) => path !== "index.html");
    expect(loaded.length).toBeGreaterThan(4);
    for (const [path, { cacheControl }] of loaded) {
      expect(path).toMatch(/^assets\/[a-z]+-[0-9a-f]{12}\.[a-z0-9]+$/);
      expect(cacheControl).toContain("immutable");
    }
    expect(site.files.get("index.html")?.cacheControl).toBe("no-cache");
  });

  test("is the same from the same sources", async () => {
    const again = await publishDashboard("/dashboard/");
    expect([...again.files.keys()].sort()).toEqual([...site.files.keys()].sort());
  });

  test("names no other host", () => {
    // The name of a language of the web, an example in words, a hint for developers: none is asked for.
    const names = ["http://www.w3.org/", "https://api.example.com/", "https://simplewebauthn.dev/"];
    for (const path of site.files.keys()) {
      if (path.endsWith(".woff2")) continue;
      const addresses = textOf(path).match(/(?:https?:)?\/\/[a-z0-9-]+\.[a-z0-9.-]+\/?/gi) ?? [];
      expect(addresses.filter((each) => !names.some((name) => each.startsWith(name)))).toEqual([]);
    }
  });

  test("has no script, style or handler within the page itself", () => {
    const page = textOf("index.html");
    expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
    for (const [, attributes] of page.matchAll(/<script([^>]*)>/g)) {
      expect(attributes).toContain("src=");
    }
    expect(site.contentSecurityPolicy).not.toContain("unsafe");
  });
});

test("the browser's code compiles with the types of the web alone", () => {
  const folder = fileURLToPath(new URL("../../src/dashboard/browser/", import.meta.url));
  const { files, errors } = typeCheck(folder);
  expect(errors).toEqual([]);
  expect(files.filter((file) => file.startsWith(folder)).length).toBeGreaterThan(30);
});
