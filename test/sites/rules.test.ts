import { describe, expect, test } from "bun:test";
import { parseSitePath } from "../../src/hosting/edge/siteResponse.ts";
import {
  type Deployment,
  fingerprintOf,
  shownAt,
  staleAfterMs,
} from "../../src/hosting/sites/deployment.ts";
import { slugError } from "../../src/hosting/sites/site.ts";
import {
  isCompressible,
  mediaTypeOf,
  normalizePath,
  pathError,
  pathLengthMax,
  siteBytesMax,
  siteFilesMax,
  sizeError,
} from "../../src/hosting/sites/siteFile.ts";
import fc from "../../testkit/fastCheck.ts";

describe("a slug", () => {
  test.each(["a", "7", "acme", "acme-docs", "a--b", "x".repeat(63)])("%s is one", (slug) => {
    expect(slugError(slug)).toBeUndefined();
  });

  test.each([
    "",
    "-a",
    "a-",
    "Acme",
    "a.b",
    "a_b",
    "ä",
    "a b",
    "xn--a",
    "ab--c",
    "x".repeat(64),
    "a\n",
  ])("%j is none", (slug) => {
    expect(slugError(slug)).toBeString();
  });

  test("is always a whole label of a host name", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (slugError(text) !== undefined) return;
        expect(new URL(`http://${text}.localhost/`).host).toBe(`${text}.localhost`);
      }),
    );
  });
});

describe("a path", () => {
  test.each([
    "a",
    "index.html",
    "a/b/c.txt",
    "ä/ö.html",
    "a b",
    "...",
    "..a",
    "x".repeat(pathLengthMax),
  ])("%s can be published", (path) => {
    expect(pathError(path)).toBeUndefined();
  });

  test.each([
    "",
    "/a",
    "a/",
    "a//b",
    ".",
    "..",
    "a/../b",
    "a/./b",
    "a\\b",
    "a\0b",
    "a\u0085b",
    "\ud800",
    `a${"\u0301".repeat(31)}`,
    "x".repeat(pathLengthMax + 1),
  ])("%j cannot", (path) => {
    expect(pathError(path)).toBeString();
  });

  const segment = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
    fc.constantFrom("..", ".", "%2e%2e", "%", "a b", "é", "e\u0301", "#", "?", "%2F", "\\"),
  );

  test("that was published is found again under its encoded address, and no other is", () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const path = normalizePath(segments.join("/"));
        fc.pre(pathError(path) === undefined);
        const address = `/${segments.join("/").split("/").map(encodeURIComponent).join("/")}`;
        expect(parseSitePath(address)).toMatchObject({ kind: "path", path, folder: false });
        expect(parseSitePath(`${address}/`)).toMatchObject({ kind: "path", path, folder: true });
      }),
      { numRuns: 2_000 },
    );
  });

  test("with more marks on a letter than any language has is nowhere, without being put in order", () => {
    const marked = (count: number) => `/a${"%CC%81".repeat(count)}.html`;
    expect(parseSitePath(marked(30)).kind).toBe("path");
    expect(parseSitePath(marked(31))).toEqual({ kind: "nowhere" });
    expect(parseSitePath(marked(1_300))).toEqual({ kind: "nowhere" });
  });

  test("of whatever address is one that can be published, or none", () => {
    const address = fc.array(fc.oneof(segment, fc.constantFrom("/", "//", "%00", "%c0%ae")));
    fc.assert(
      fc.property(address, (parts) => {
        const place = parseSitePath(`/${parts.join("")}`);
        if (place.kind !== "path" || place.path === "") return;
        expect(pathError(place.path)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a site", () => {
  test("has at least one file, and no more than it may", () => {
    expect(sizeError(0, 0)).toBe("has no file to publish");
    expect(sizeError(siteFilesMax, siteBytesMax)).toBeUndefined();
    expect(sizeError(siteFilesMax + 1, 1)).toContain("files");
    expect(sizeError(1, siteBytesMax + 1)).toContain("250 MiB");
  });

  test("has a fingerprint of its paths and contents, whatever their order", () => {
    const file = (path: string, hash: string) => ({ path, hash });
    const one = fingerprintOf([file("a", "1"), file("b", "2")]);
    expect(fingerprintOf([file("b", "2"), file("a", "1")])).toBe(one);
    expect(fingerprintOf([file("a", "2"), file("b", "1")])).not.toBe(one);
    expect(fingerprintOf([file("a", "1")])).not.toBe(one);
  });
});

test("a deployment counts as failed from silence, and only while it is under way", () => {
  const begun: Deployment = {
    id: "dep_a",
    project: "acme",
    state: "building",
    createdAtMs: 0,
    changedAtMs: 1_000,
    files: 0,
    bytes: 0,
    fingerprint: undefined,
    failure: undefined,
  };
  expect(shownAt(1_000 + staleAfterMs)(begun).state).toBe("building");
  expect(shownAt(1_001 + staleAfterMs)(begun).state).toBe("failed");
  expect(shownAt(1_001 + staleAfterMs)({ ...begun, state: "queued" }).state).toBe("failed");
  expect(shownAt(1_001 + staleAfterMs)({ ...begun, state: "ready" }).state).toBe("ready");
});

test.each([
  ["a.HTML", "text/html; charset=utf-8", true],
  ["a/b.min.js", "text/javascript; charset=utf-8", true],
  ["logo.svg", "image/svg+xml", true],
  ["photo.jpeg", "image/jpeg", false],
  ["app.wasm", "application/wasm", true],
  ["font.woff2", "font/woff2", false],
  ["site.webmanifest", "application/manifest+json", true],
  ["html", "application/octet-stream", false],
  ["a.b/c", "application/octet-stream", false],
  ["x.constructor", "application/octet-stream", false],
])("%s is %s", (path, type, compressible) => {
  expect(mediaTypeOf(path)).toBe(type);
  expect(isCompressible(type)).toBe(compressible);
});
