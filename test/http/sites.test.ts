import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { type SitesService, startSitesService } from "../sites/service.ts";

describeOnEngines("sites", (engine) => {
  const page = `<!doctype html><title>Acme</title>${"<p>All about anvils.</p>".repeat(100)}`;
  const hexOf = (text: string) => createHash("sha256").update(text).digest("hex");
  const script = "console.log('anvils');".repeat(50);
  const digits = "0123456789";

  let running: SitesService;
  let first: string;
  beforeAll(async () => {
    running = await startSitesService({ engine });
    first = await running.show("acme", {
      "index.html": page,
      "guide/index.html": "<h1>Guide</h1>",
      "about.html": "<h1>About</h1>",
      "404.html": `<h1>Not here</h1>${"<p>Look elsewhere.</p>".repeat(50)}`,
      "digits.bin": digits,
      empty: "",
      "assets/app-0123456789ab.js": script,
      "v1/pets": "not the API",
    });
    await running.show("plain", { "index.html": "<h1>Plain</h1>" });
  });
  afterAll(() => running.stop());

  const visit = (target: string, headers: Record<string, string> = {}, method = "GET") =>
    running.visit("acme.localhost", target, headers, method);

  describe("which site is shown", () => {
    test.each([
      ["acme.localhost", page],
      ["ACME.Localhost", page],
      ["acme.localhost:8080", page],
      ["acme.localhost.", page],
      ["acme.localhost.:80", page],
      ["plain.localhost", "<h1>Plain</h1>"],
    ])("%s is a site", async (host, text) => {
      const { status, text: shown } = await running.visit(host, "/");
      expect([status, shown]).toEqual([200, text]);
    });

    test("every deployment has an address of its own", async () => {
      const { status, text } = await running.visit(`${first.replace("_", "-")}.localhost`, "/");
      expect([status, text]).toEqual([200, page]);
    });

    test.each(["nobody.localhost", "www.acme.localhost", "a_b.localhost"])(
      "%s is no site, and says so in words",
      async (host) => {
        for (const target of ["/", "/v1/pets", "/docs/", "/healthz", "/readyz"]) {
          const { status, headers, text } = await running.visit(host, target);
          expect([target, status, headers["content-type"]]).toEqual([
            target,
            404,
            "text/plain; charset=utf-8",
          ]);
          expect(text).toStartWith("No site is published as ");
        }
      },
    );

    test.each([
      "localhost",
      "127.0.0.1",
      "localhost.example",
      "acme.localhost.example",
      "xlocalhost",
    ])("%s is the service itself", async (host) => {
      expect((await running.visit(host, "/healthz")).text).toBe('{"status":"ok"}');
      expect((await running.visit(host, "/v1/pets")).status).toBe(401);
    });

    test("a site's origin has nothing of the API, of the docs or of health", async () => {
      for (const target of ["/v1/openapi.json", "/v1", "/docs/", "/healthz", "/readyz"]) {
        const { status, text } = await visit(target);
        expect([target, status, text.slice(0, 17)]).toEqual([target, 404, "<h1>Not here</h1>"]);
      }
      expect((await visit("/v1/pets")).text).toBe("not the API");
      const headers = {
        authorization: `Bearer ${running.token}`,
        "content-type": "application/json",
      };
      expect((await visit("/v1/pets", headers, "POST")).status).toBe(405);
    });

    test("only the Host decides", async () => {
      const { text } = await running.visit("plain.localhost", "/", {
        "x-forwarded-host": "acme.localhost",
        forwarded: "host=acme.localhost",
      });
      expect(text).toBe("<h1>Plain</h1>");
    });

    test("a change is seen at once: rolled back, taken off, shown again", async () => {
      const one = await running.show("moving", { "index.html": "one" });
      const shown = async () => (await running.visit("moving.localhost", "/")).text;
      await running.show("moving", { "index.html": "two" });
      expect(await shown()).toBe("two");
      await running.stores.sites.rollBack("moving", one);
      expect(await shown()).toBe("one");
      await running.stores.sites.unpublish("moving");
      expect(await shown()).toBe("No site is published as moving.\n");
    });
  });

  describe("methods", () => {
    test.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])("%s is refused", async (method) => {
      const { status, headers } = await visit("/", {}, method);
      expect([status, headers["allow"]]).toEqual([405, "GET, HEAD"]);
    });

    test.each(["/", "/guide", "/about", "/about/", "/nothing", "/digits.bin", "/empty", "/%00"])(
      "HEAD %s says the same as GET, without a body",
      async (target) => {
        for (const accepted of ["identity", "br"]) {
          const asked = { "accept-encoding": accepted };
          const get = await visit(target, asked);
          const head = await visit(target, asked, "HEAD");
          const { date: _, ...headers } = head.headers;
          const { date: __, ...expected } = get.headers;
          expect([head.status, headers, head.text]).toEqual([get.status, expected, ""]);
          expect(head.headers["content-length"]).toBe(String(get.body.byteLength));
        }
      },
    );
  });

  describe("headers", () => {
    test.each([
      ["/", "text/html; charset=utf-8"],
      ["/assets/app-0123456789ab.js", "text/javascript; charset=utf-8"],
      ["/digits.bin", "application/octet-stream"],
      ["/empty", "application/octet-stream"],
    ])("%s is %s, and is not sniffed or framed by others", async (target, type) => {
      const { headers } = await visit(target);
      expect(headers).toMatchObject({
        "content-type": type,
        "x-content-type-options": "nosniff",
        "referrer-policy": "strict-origin-when-cross-origin",
        "content-security-policy": "frame-ancestors 'self'",
      });
    });

    test.each([
      `assets/app-${hexOf(script).slice(0, 12)}.js`,
      `pages/${hexOf(script).slice(0, 8)}-${hexOf(script).slice(0, 8)}.html`,
      "assets/app-3f9a1c2b.js",
      "assets/app.3f9a1c2b.min.css",
      "assets/chunk.3f9a1c2b.chunk.mjs",
      "assets/logo-3f9a1c2b4d5e6f70.svg",
      `css/main.${"3f9a1c2b".repeat(16)}.css`,
      "fonts/inter.3f9a1c2b.woff2",
    ])("%s is kept for good: its name changes with its content", async (path) => {
      await running.show("hashed", { [path]: script });
      const { headers } = await running.visit("hashed.localhost", `/${path}`);
      expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    });

    test.each([
      "index.html",
      "app.js",
      "report-20261116.css",
      "app-deadbeef.js",
      "app-3f9a1c2.js",
      "app-3F9A1C2B.js",
      "app_3f9a1c2b.js",
      "app3f9a1c2b.js",
      "3f9a1c2b.js",
      "app-3f9a1c2b",
      "app-3f9a1c2bx.js",
      "v-3f9a1c2b/app.js",
      "commit-3f9a1c2b.html",
      "build-3f9a1c2b.zip",
      "data-3f9a1c2b.json",
      "photo-1920x1080.jpg",
    ])("%s is revalidated: its content may change", async (path) => {
      await running.show("hashed", { [path]: script, "404.html": "Not here" });
      const { headers } = await running.visit("hashed.localhost", `/${path}`);
      expect(headers["cache-control"]).toBe("no-cache");
      const gone = await running.visit("hashed.localhost", "/app-3f9a1c2b4d.js");
      expect([gone.status, gone.headers["cache-control"]]).toEqual([404, "no-cache"]);
    });

    test("what the reader has is not sent again", async () => {
      for (const accepted of ["identity", "gzip", "br"]) {
        const asked = { "accept-encoding": accepted };
        const { headers } = await visit("/", asked);
        const etag = String(headers["etag"]);
        expect(etag).toMatch(/^"[0-9a-f]{64}(-br|-gzip)?"$/);
        for (const held of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const again = await visit("/", { ...asked, "if-none-match": held });
          expect([held, again.status, again.body.byteLength]).toEqual([held, 304, 0]);
          expect(again.headers).toMatchObject({ etag, vary: "Accept-Encoding" });
        }
        for (const held of ['"other"', etag.slice(1, -1), `${etag.slice(0, -1)}x"`]) {
          expect((await visit("/", { ...asked, "if-none-match": held })).status).toBe(200);
        }
      }
      const tags = await Promise.all(
        ["identity", "gzip", "br"].map(async (accepted) =>
          String((await visit("/", { "accept-encoding": accepted })).headers["etag"]),
        ),
      );
      expect(new Set(tags).size).toBe(3);
    });
  });

  describe("smaller forms", () => {
    test.each([
      ["br", "br"],
      ["gzip", "gzip"],
      ["gzip, deflate, br, zstd", "br"],
      ["GZIP", "gzip"],
      ["x-gzip", "gzip"],
      ["br;q=0.5, gzip;q=0.8", "gzip"],
      ["br;q=0.5, gzip;q=0.5", "br"],
      ["br;q=0, gzip", "gzip"],
      ["gzip;q=0, br;q=0", undefined],
      ["identity, gzip;q=0.5", undefined],
      ["gzip;q=0.001", "gzip"],
      ["*", "br"],
      ["*;q=0, gzip", "gzip"],
      ["*;q=0", undefined],
      ["br;q=0, *", "gzip"],
      ["deflate", undefined],
      ["", undefined],
      ["br;q=2", undefined],
      ["br;level=11, gzip ; q=1.0 ", "gzip"],
    ] as const)("Accept-Encoding: %s gets %s", async (accepted, expected) => {
      const { headers, body } = await visit("/", { "accept-encoding": accepted });
      expect(headers["content-encoding"]).toBe(expected);
      expect(headers["vary"]).toBe("Accept-Encoding");
      const plain =
        expected === "br" ? brotliDecompressSync(body) : expected ? gunzipSync(body) : body;
      expect(plain.toString()).toBe(page);
      expect(headers["content-length"]).toBe(String(body.byteLength));
    });

    test("are sent only where they were worth making", async () => {
      const { headers } = await visit("/digits.bin", { "accept-encoding": "br, gzip" });
      expect([headers["content-encoding"], headers["vary"]]).toEqual([undefined, undefined]);
    });

    test("the page for what is nowhere has them too", async () => {
      const { status, headers, body } = await visit("/none", { "accept-encoding": "br" });
      expect([status, headers["content-encoding"]]).toEqual([404, "br"]);
      expect(brotliDecompressSync(body).toString()).toStartWith("<h1>Not here</h1>");
    });
  });

  describe("a part of a file", () => {
    test.each([
      ["bytes=0-0", "0", "bytes 0-0/10"],
      ["bytes=2-4", "234", "bytes 2-4/10"],
      ["bytes=8-", "89", "bytes 8-9/10"],
      ["bytes=8-99", "89", "bytes 8-9/10"],
      ["bytes=-3", "789", "bytes 7-9/10"],
      ["bytes=-99", digits, "bytes 0-9/10"],
      ["BYTES = 0 - 1", "01", "bytes 0-1/10"],
    ])("Range: %s", async (range, text, contentRange) => {
      const got = await visit("/digits.bin", { range });
      expect([got.status, got.text]).toEqual([206, text]);
      expect(got.headers).toMatchObject({
        "content-range": contentRange,
        "content-length": String(text.length),
        "content-type": "application/octet-stream",
      });
    });

    test.each(["bytes=10-", "bytes=99-100", "bytes=-0"])(
      "Range: %s is past its end",
      async (range) => {
        const { status, headers } = await visit("/digits.bin", { range });
        expect([status, headers["content-range"]]).toEqual([416, "bytes */10"]);
      },
    );

    test.each([
      "bytes=0-1,3-4",
      "bytes=4-2",
      "bytes=-",
      "bytes=a-b",
      "items=0-1",
      "bytes=1-2x",
      "",
    ])("Range: %s is answered with all of it", async (range) => {
      const { status, text, headers } = await visit("/digits.bin", { range });
      expect([status, text, headers["accept-ranges"]]).toEqual([200, digits, "bytes"]);
    });

    test("of an empty file there is none", async () => {
      expect((await visit("/empty", { range: "bytes=0-" })).status).toBe(416);
      expect((await visit("/empty", { range: "bytes=-1" })).status).toBe(416);
    });

    test("is sent only if the reader's other parts are of the same content", async () => {
      const etag = String((await visit("/digits.bin")).headers["etag"]);
      const asked = async (ifRange: string) =>
        (await visit("/digits.bin", { range: "bytes=0-1", "if-range": ifRange })).status;
      expect(await asked(etag)).toBe(206);
      for (const other of ['"other"', `W/${etag}`, "Sun, 15 Nov 2026 12:00:00 GMT"]) {
        expect([other, await asked(other)]).toEqual([other, 200]);
      }
    });

    test("is only of the content itself, and only by GET", async () => {
      const range = "bytes=0-1";
      const packed = await visit("/", { range, "accept-encoding": "br" });
      expect([packed.status, packed.headers["accept-ranges"]]).toEqual([200, undefined]);
      expect((await visit("/", { range, "accept-encoding": "identity" })).text).toBe("<!");
      expect((await visit("/digits.bin", { range }, "HEAD")).status).toBe(200);
      const held = { range, "if-none-match": "*" };
      expect((await visit("/digits.bin", held)).status).toBe(304);
    });
  });

  test("an earlier deployment's files are not served under a later one", async () => {
    await running.show("acme", { "index.html": "new" });
    expect((await visit("/guide/")).text).toBe("Nothing is at this address.\n");
    await running.stores.sites.rollBack("acme", first);
    expect((await visit("/guide/")).text).toBe("<h1>Guide</h1>");
  });
});
