/** What visitors get from a site that has rules. What a rule means is in test/sites/siteRules.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync } from "node:zlib";
import { headersBytesMax, redirectsBytesMax } from "../../src/hosting/sites/siteRules.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { type SitesService, startSitesService } from "../sites/service.ts";
import { rejectionOf } from "../store/rejection.ts";

const redirects = `# Where things were
/old            /about              301
/away/*         https://www.example.com/:splat
/guide.html     /guide/             302
/about          /elsewhere          302
/closed/*       /404.html           404!
/secret         /guide/             200!
/latest.js      /assets/app-3f9a1c2b.js 200
/home           /about              200
/lost           /nowhere            200
/rules          /_redirects         200
/de/*           /de/404.html        404
/app/*          /app/index.html     200
`;

const headers = `/*
  X-Site: acme
  ! Referrer-Policy
/assets/*
  Cache-Control: public, max-age=60
  Access-Control-Allow-Origin: *
/about
  Content-Security-Policy: default-src 'self'
  Content-Type: text/plain; charset=utf-8
`;

const app = "console.log('anvils');".repeat(50);

describeOnEngines("a site with rules", (engine) => {
  let running: SitesService;
  beforeAll(async () => {
    running = await startSitesService({ engine });
    await running.show("acme", {
      _redirects: `\ufeff${redirects.replaceAll("\n", "\r\n")}`,
      _headers: headers,
      "index.html": "<h1>Home</h1>",
      "about.html": "<h1>About</h1>",
      "guide/index.html": "<h1>Guide</h1>",
      "guide/_headers": "An ordinary file",
      "closed/index.html": "<h1>Closed</h1>",
      "secret.html": "<h1>Secret</h1>",
      "404.html": "<h1>Not here</h1>",
      "de/404.html": "<h1>Nicht hier</h1>",
      "app/index.html": "<h1>App</h1>",
      "app/style.css": "a {}",
      "assets/app-3f9a1c2b.js": app,
    });
  });
  afterAll(() => running.stop());

  const visit = (target: string, asked: Record<string, string> = {}, method = "GET") =>
    running.visit("acme.localhost", target, asked, method);

  test.each([
    ["/old", 301, "/about"],
    ["/old/?x=1", 301, "/about?x=1"],
    ["/away/a/b?x=1", 302, "https://www.example.com/a/b?x=1"],
    ["/away", 302, "https://www.example.com/"],
    ["/guide.html", 302, "/guide/"],
    ["/guide", 308, "/guide/"],
  ])("%s is %d to %s", async (target, status, location) => {
    for (const method of ["GET", "HEAD"]) {
      const got = await visit(target, {}, method);
      expect([got.status, got.headers["location"]]).toEqual([status, location]);
      // A redirect that was rolled back is not remembered, and has no headers of the site.
      expect(got.headers["cache-control"]).toBe("no-cache");
      expect(got.headers["x-site"]).toBeUndefined();
    }
  });

  test.each([
    ["/about", 200, "<h1>About</h1>"],
    ["/secret", 200, "<h1>Guide</h1>"],
    ["/secret.html", 200, "<h1>Secret</h1>"],
    ["/closed/", 404, "<h1>Not here</h1>"],
    ["/closed/index.html", 404, "<h1>Not here</h1>"],
    ["/home", 200, "<h1>About</h1>"],
    ["/home/?x=1", 200, "<h1>About</h1>"],
    ["/lost", 404, "<h1>Not here</h1>"],
    ["/de/x", 404, "<h1>Nicht hier</h1>"],
    ["/app/any/where", 200, "<h1>App</h1>"],
    ["/app/style.css", 200, "a {}"],
    ["/guide/_headers", 200, "An ordinary file"],
  ])("%s is %d with %s: a page goes before a rule that is not forced", async (target, ...told) => {
    const { status, text } = await visit(target);
    expect([status, text] as unknown[]).toEqual(told);
  });

  test.each(["/_redirects", "/_headers", "/_redirects/", "/%5Fheaders", "/rules"])(
    "%s is not served",
    async (target) => {
      const { status, text } = await visit(target);
      expect([status, text]).toEqual([404, "<h1>Not here</h1>"]);
    },
  );

  test.each([
    "//away/x",
    "/away//evil.example",
    "/away/%2fevil.example",
    "/away/../x",
    "/away/%00",
  ])("%s, which no page can have, follows no rule", async (target) => {
    const { status, headers } = await visit(target);
    expect([target, headers["location"]]).toEqual([target, undefined]);
    expect(status).toBeGreaterThanOrEqual(400);
  });

  describe("headers", () => {
    test("of every page are added, replaced and removed", async () => {
      const { headers } = await visit("/");
      expect(headers).toMatchObject({
        "x-site": "acme",
        "x-content-type-options": "nosniff",
        "content-security-policy": "frame-ancestors 'self'",
        "cache-control": "no-cache",
      });
      expect(headers["referrer-policy"]).toBeUndefined();
      expect((await visit("/about")).headers).toMatchObject({
        "content-security-policy": "default-src 'self'",
        "content-type": "text/plain; charset=utf-8",
      });
    });

    test("replace how long a file is kept, also in part and when it has not changed", async () => {
      const target = "/assets/app-3f9a1c2b.js";
      const whole = await visit(target);
      const etag = String(whole.headers["etag"]);
      const part = await visit(target, { range: "bytes=0-6" });
      const same = await visit(target, { "if-none-match": etag });
      expect([whole.status, part.status, same.status]).toEqual([200, 206, 304]);
      expect(part.text).toBe("console");
      for (const { headers } of [whole, part, same]) {
        expect(headers).toMatchObject({
          etag,
          vary: "Accept-Encoding",
          "cache-control": "public, max-age=60",
          "access-control-allow-origin": "*",
        });
      }
    });

    test("of what is not there never make it last", async () => {
      const { status, headers } = await visit("/assets/gone.js");
      expect([status, headers["x-site"]]).toEqual([404, "acme"]);
      expect(headers["cache-control"]).toBe("no-cache");
      expect(headers["access-control-allow-origin"]).toBe("*");
    });

    test("are those of the address, not of the file that a rule shows there", async () => {
      const { headers } = await visit("/home");
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(headers["x-site"]).toBe("acme");
    });
  });

  test("a file under another address is compressed, compared and sent in parts like itself", async () => {
    const own = await visit("/assets/app-3f9a1c2b.js", { "accept-encoding": "br" });
    const other = await visit("/latest.js", { "accept-encoding": "br" });
    expect(brotliDecompressSync(other.body).toString()).toBe(app);
    const { etag = "", "content-type": type } = own.headers;
    expect(other.headers).toMatchObject({ etag, "content-type": type, "content-encoding": "br" });
    // The address will show another file in time.
    expect(other.headers["cache-control"]).toBe("no-cache");
    const held = { "accept-encoding": "br", "if-none-match": String(etag) };
    expect((await visit("/latest.js", held)).status).toBe(304);
    expect((await visit("/latest.js", { range: "bytes=0-6" })).text).toBe("console");
  });

  test("follows the rules of the deployment that is shown, from the first request on", async () => {
    const one = await running.show("moving", { _redirects: "/a /one", "index.html": "1" });
    const leads = async () => (await running.visit("moving.localhost", "/a")).headers["location"];
    expect(await leads()).toBe("/one");
    await running.show("moving", { _redirects: "/a /two", "index.html": "1" });
    expect(await leads()).toBe("/two");
    await running.stores.sites.rollBack("moving", one);
    expect(await leads()).toBe("/one");
    await running.show("moving", { "index.html": "1" });
    expect(await leads()).toBeUndefined();
  });

  test.each([
    ["_redirects", "/a /b\n/c", "_redirects, line 2: The destination is missing."],
    ["_headers", "/*\n  Set-Cookie: a=b", "_headers, line 2: A site cannot change Set-Cookie."],
    ["_headers", Buffer.from([47, 255, 10]), "_headers, line 1: The line has control characters"],
    ["_redirects", "#".repeat(redirectsBytesMax + 1), "_redirects is larger than 128 KiB."],
    ["_headers", "#".repeat(headersBytesMax + 1), "_headers is larger than 32 KiB."],
  ])("with an invalid %s is not shown, and what was shown stays", async (file, text, said) => {
    const shown = await running.show("strict", { "index.html": String(text) });
    const refusal = await rejectionOf(
      running.show("strict", { [file]: text, "index.html": "new" }),
    );
    expect(refusal.message).toContain(said);
    const { sites } = running.stores;
    expect((await sites.project("strict"))?.current).toBe(shown);
    expect((await running.visit("strict.localhost", "/")).text).toBe(String(text));
    const [failed] = await sites.listDeployments("strict", 1);
    expect(failed).toMatchObject({ state: "failed", failure: refusal.message });
  });
});
