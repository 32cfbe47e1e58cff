import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { Problem } from "../../src/core/problems.ts";
import { faultyStores } from "../../testkit/faultyStores.ts";
import { elementsOf } from "../docs/built.ts";
import { complaintsOf, launch, named, noBrowser } from "../docs/chromium.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

const browsers = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describeOnEngines("the landing page", (engine) => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService({ engine });
  });
  afterAll(() => running.stop());

  const ask = (accept: string, path = "/", method = "GET") =>
    fetch(running.origin + path, { method, headers: { accept } });

  describe("the root of the service", () => {
    test.each([
      [browsers, "text/html; charset=utf-8"],
      ["text/html", "text/html; charset=utf-8"],
      ["text/plain, TEXT/HTML;q=0.1", "text/html; charset=utf-8"],
      ["*/*", "text/plain; charset=utf-8"],
      ["", "text/plain; charset=utf-8"],
      ["application/json", "text/plain; charset=utf-8"],
      ["text/html;q=0", "text/plain; charset=utf-8"],
      ["text/html;q=0.0, */*", "text/plain; charset=utf-8"],
      ["text/htmlx", "text/plain; charset=utf-8"],
    ])("with Accept: %s is %s", async (accept, type) => {
      const { status, headers } = await ask(accept);
      expect([status, headers.get("content-type"), headers.get("vary")]).toEqual([
        200,
        type,
        "Accept",
      ]);
    });

    test("tells what the service is, where, the first call, and that it is well", async () => {
      const response = await ask(browsers);
      const page = await response.text();
      expect(response.headers.get("content-security-policy")).toStartWith("default-src 'self';");
      expect(page).toContain("<h1>Pet Store</h1>");
      expect(page).toContain(`<code>${running.origin}/v1</code>`);
      expect(page).toContain(`${running.origin}/v1/pets</code>`);
      expect(page).toContain("Operational");
      expect(page).toContain('href="/docs/"');
    });

    test("has nothing within that its policy forbids, and loads only what is there", async () => {
      const page = await (await ask(browsers)).text();
      expect(page).not.toMatch(/<script(?![^>]* src=)[^>]*>|<style/);
      let loaded = 0;
      for (const { tag, attributes } of elementsOf(page)) {
        for (const name of attributes.keys()) expect(name).not.toMatch(/^(?:style$|on)/);
        const path = tag === "link" ? attributes.get("href") : attributes.get("src");
        if (path === undefined) continue;
        loaded++;
        const file = await ask("*/*", path);
        expect([path, file.status]).toEqual([path, 200]);
        expect(file.headers.get("cache-control")).toContain("immutable");
      }
      expect(loaded).toBe(5);
      for (const path of ["/assets/", "/assets/none.js", "/assets/../package.json"]) {
        expect((await ask("*/*", path)).status).toBe(404);
      }
    });

    test("answers HEAD, and nothing but GET beside it", async () => {
      expect((await ask(browsers, "/", "HEAD")).status).toBe(200);
      expect((await ask(browsers, "/", "POST")).status).toBe(405);
    });
  });

  describe("a configured address", () => {
    test("is the one that is shown", async () => {
      const other = await startTestService({
        engine,
        variables: { PETSTORE_BASE_URL: "https://api.example.com/v1" },
      });
      const page = await (await fetch(other.origin, { headers: { accept: browsers } })).text();
      expect(page).toContain("<code>https://api.example.com/v1</code>");
      await other.stop();
    });
  });

  // Once is enough: no database has a part in what a browser does with the page.
  if (engine.first) {
    describe.skipIf(noBrowser)(named("in a browser"), () => {
      let browser: Browser;
      beforeAll(async () => {
        browser = await launch();
      });
      afterAll(() => browser?.close());

      test("it copies the first call, says so, and nothing is refused by its policy", async () => {
        const context = await browser.newContext({
          permissions: ["clipboard-read", "clipboard-write"],
        });
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        await page.goto(running.origin);
        await page.click("figure:has-text('First call') [data-copy]");
        await page.waitForSelector("[data-live]:text('Copied')", { state: "attached" });
        const copied = await page.evaluate("navigator.clipboard.readText()");
        expect(copied).toBe(`curl -H "Authorization: Bearer $API_KEY" ${running.origin}/v1/pets`);
        expect(complaints).toEqual([]);
        await context.close();
      });

      test.each([320, 390, 1200])("it fits a screen of %i pixels", async (width) => {
        const page = await browser.newPage({ viewport: { width, height: 700 } });
        await page.goto(running.origin);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
        await page.close();
      });

      test("it says when the service falls ill and when it is well again", async () => {
        const { promise: opened, resolve } =
          Promise.withResolvers<ReturnType<typeof faultyStores>>();
        const ill = await startTestService({
          engine,
          async openStores(_options, usual) {
            resolve(faultyStores(await usual()));
            return opened;
          },
        });
        const stores = await opened;
        const page = await browser.newPage();
        await page.goto(ill.origin);
        await page.waitForSelector("[data-health].fine");
        stores.fault = new Problem("store_unavailable");
        await page.waitForSelector(
          "[data-health].trouble:has-text('The database cannot be reached')",
        );
        const reloaded = await (await fetch(ill.origin, { headers: { accept: browsers } })).text();
        expect(reloaded).toContain("Degraded. The database cannot be reached");
        stores.fault = undefined;
        await page.waitForSelector("[data-health].fine:has-text('Operational')");
        await page.close();
        await ill.stop();
      });
    });
  }
});
