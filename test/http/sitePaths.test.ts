import { afterAll, beforeAll, expect, test } from "bun:test";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { type SitesService, startSitesService } from "../sites/service.ts";

describeOnEngines("an address of a site", (engine) => {
  let running: SitesService;
  beforeAll(async () => {
    running = await startSitesService({ engine });
    await running.show("acme", {
      "index.html": "<h1>Acme</h1>",
      "about.html": "<h1>About</h1>",
      "guide/index.html": "<h1>Guide</h1>",
      "guide/Größe.html": "<h1>Size</h1>",
      "guide/Straße.html": "<h1>Street</h1>",
      "a&b c/index.html": "<h1>Both</h1>",
      "both.html": "<h1>The page</h1>",
      "both/index.html": "<h1>The folder</h1>",
      "plain.html.html": "<h1>Odd</h1>",
      "404.html": "<h1>Not here</h1>",
      "de/404.html": "<h1>Nicht hier</h1>",
      "de/a/b/index.html": "<h1>Tief</h1>",
      "digits.bin": "0123456789",
    });
    await running.show("plain", { "index.html": "<h1>Plain</h1>" });
  });
  afterAll(() => running.stop());

  const visit = (target: string) => running.visit("acme.localhost", target);

  test.each([
    ["/guide/", 200, "<h1>Guide</h1>"],
    ["/guide/index.html", 200, "<h1>Guide</h1>"],
    ["/guide/?page=2", 200, "<h1>Guide</h1>"],
    ["/guide/Gr%C3%B6%C3%9Fe.html", 200, "<h1>Size</h1>"],
    ["/guide/Gro%CC%88%C3%9Fe.html", 200, "<h1>Size</h1>"],
    ["/%67uide/", 200, "<h1>Guide</h1>"],
    ["/digits.bin?x", 200, "0123456789"],
    ["/about", 200, "<h1>About</h1>"],
    ["/about.html", 200, "<h1>About</h1>"],
    ["/about?x=1", 200, "<h1>About</h1>"],
    ["/guide/Stra%C3%9Fe", 200, "<h1>Street</h1>"],
    ["/both", 200, "<h1>The page</h1>"],
    ["/both.html", 200, "<h1>The page</h1>"],
    ["/both/", 200, "<h1>The folder</h1>"],
    ["/both/index.html", 200, "<h1>The folder</h1>"],
    ["/index.html", 200, "<h1>Acme</h1>"],
    ["/plain.html", 200, "<h1>Odd</h1>"],
  ])("%s is a file", async (target, status, text) => {
    const got = await visit(target);
    expect([got.status, got.text]).toEqual([status, text]);
  });

  test.each([
    ["/guide", "/guide/"],
    ["/guide?page=2&x=//evil.example", "/guide/?page=2&x=//evil.example"],
    ["/a%26b%20c", "/a%26b%20c/"],
    ["/about/", "/about"],
    ["/about/?page=2&x=//evil.example", "/about?page=2&x=//evil.example"],
    ["/guide/Stra%C3%9Fe/", "/guide/Stra%C3%9Fe"],
    ["/%61bout/", "/about"],
  ])("%s goes on to %s", async (target, location) => {
    const { status, headers } = await visit(target);
    expect([status, headers["location"]]).toEqual([308, location]);
    expect(headers["cache-control"]).toBe("no-cache");
  });

  test.each(["/de/", "/de/x", "/de/x/y/z.html", "/de/a/", "/de/a/b/c/", "/de/404.html/"])(
    "%s is nowhere, and the nearest folder's own page says so",
    async (target) => {
      const { status, text } = await visit(target);
      expect([status, text]).toEqual([404, "<h1>Nicht hier</h1>"]);
    },
  );

  test("deeper than eight folders, the pages of the folders above are still found", async () => {
    const { status, text } = await visit(`/de${"/x".repeat(200)}`);
    expect([status, text]).toEqual([404, "<h1>Nicht hier</h1>"]);
  });

  test.each([
    "/nothing",
    "/guide/nothing.html",
    "/index.html/",
    "/about.html/",
    "/about//",
    "/deeper",
    "/digits.bin/",
    "/Guide/",
    "//",
    "//evil.example",
    "//guide",
    "/guide//",
    "/%2fguide",
    "/%2Fguide/",
    "/guide%2findex.html",
    "/%5c%5cevil.example",
    "/..%2f..%2fetc/passwd",
    "/guide/%2e%2e/%2e%2e/etc/passwd",
    "/%252e%252e/",
    `/${"x".repeat(3_000)}`,
    "/__proto__",
    "/constructor/",
  ])("%s is nowhere: 404 with the site's own page, and leads to no other host", async (target) => {
    const { status, headers, text } = await visit(target);
    expect([status, text.slice(0, 17)]).toEqual([404, "<h1>Not here</h1>"]);
    expect(headers["location"]).toBeUndefined();
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  });

  test.each([
    "/%00",
    "/a%00.html",
    "/%",
    "/%zz",
    "/%e0%a4",
    "/%c0%ae%c0%ae/",
    "/%0d%0aset-cookie:x",
    "/%ff",
  ])("%s is malformed: 400 in words", async (target) => {
    const { status, headers, text } = await visit(target);
    expect([status, text]).toEqual([400, "This address is malformed.\n"]);
    expect(headers["set-cookie"]).toBeUndefined();
  });

  test("without a page of the site's own, what is nowhere is told in words", async () => {
    const { status, headers, text } = await running.visit("plain.localhost", "/nothing");
    expect([status, text]).toEqual([404, "Nothing is at this address.\n"]);
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  });
});
