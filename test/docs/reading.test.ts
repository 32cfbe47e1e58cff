/** Reading the site in a browser: by keyboard, on a phone, in the dark, without scripts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { complaintsOf, focused, launch, named, noBrowser, serveSite } from "./chromium.ts";

type Site = Awaited<ReturnType<typeof serveSite>>;
const wide = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

describe.skipIf(noBrowser)(named("in a browser"), () => {
  let browser: Browser;
  let site: Site;
  beforeAll(async () => {
    [browser, site] = await Promise.all([launch(), serveSite("/v1")]);
  });
  afterAll(async () => {
    await browser?.close();
    site?.stop();
  });

  async function open(path: string, options: BrowserContextOptions = wide): Promise<Page> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(site.docs + path);
    return page;
  }
  const bottomOf = (box: { y: number; height: number } | null) => (box ? box.y + box.height : 0);
  const close = (page: Page) => page.context().close();

  test("no page breaks the policy, loads anything from elsewhere, or is wider than a phone", async () => {
    const page = await open("", phone);
    const complaints = complaintsOf(page);
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(site.docs)) foreign.push(request.url());
    });
    const pages = [...site.files.keys()].filter((path) => path.endsWith("index.html"));
    for (const path of pages) {
      await page.goto(site.docs + path.replace(/index\.html$/, ""));
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect([path, width]).toEqual([path, 360]);
    }
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
    await close(page);
  });

  test("a slash opens search, arrows choose, Enter opens, and the count is said", async () => {
    const page = await open("guide/keys/");
    await page.keyboard.press("/");
    await page.keyboard.type("cursor");
    const said = page.locator("[data-search-said]");
    await page.locator("[role=option]").first().waitFor();
    expect(await said.textContent()).toMatch(/^\d+ results$/);
    expect(await page.locator("[role=option][aria-selected=true]").count()).toBe(1);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    const chosen = await page.locator("[data-search-input]").getAttribute("aria-activedescendant");
    expect(chosen).toBe("search-result-0");
    await page.keyboard.press("Enter");
    await page.waitForURL(/errors\/cursor_invalid\//);
    await close(page);
  });

  test("search gives the focus back, says when it finds nothing, and a slash in a field is a slash", async () => {
    const page = await open("reference/createPet/");
    await page.focus("[data-search-open]");
    await page.keyboard.press("Enter");
    await page.keyboard.type("zzzz");
    await page.locator("text=Nothing found for “zzzz”").waitFor();
    await page.keyboard.press("Escape");
    expect(await focused(page)).toContain("data-search-open");
    await page.fill("[data-key-field]", "");
    await page.focus("[data-key-field]");
    await page.keyboard.press("/");
    expect(await page.inputValue("[data-key-field]")).toBe("/");
    await close(page);
  });

  test("on a phone the menu keeps the focus within and gives it back", async () => {
    const page = await open("guide/orders/", phone);
    await page.click("[data-menu-open]");
    const inside =
      "document.activeElement?.closest('dialog') !== null || document.activeElement === document.body";
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(inside)).toBe(true);
    }
    await page.keyboard.press("Escape");
    await page.locator("[data-nav-place] #nav").waitFor({ state: "attached" });
    expect(await focused(page)).toContain("data-menu-open");
    await close(page);
  });

  test("targets on a phone are large enough for a finger", async () => {
    const page = await open("reference/createPet/", phone);
    const small =
      await page.evaluate(`[...document.querySelectorAll(".top button, [data-send], .field input, .copy")]
      .filter((element) => element.offsetParent !== null && element.getBoundingClientRect().height < 40)
      .map((element) => element.outerHTML.slice(0, 80))`);
    expect(small).toEqual([]);
    await close(page);
  });

  test("a copy button copies the code and says so", async () => {
    const page = await open("");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("[data-copy]:visible").nth(1).click();
    await page.locator("[data-live]", { hasText: "Copied" }).waitFor({ state: "attached" });
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toStartWith('curl "$BASE_URL/pets?');
    await close(page);
  });

  test("the theme is the system's until switched, and the switch is remembered", async () => {
    const page = await open("", { ...wide, colorScheme: "light" });
    const scheme = () => page.evaluate("getComputedStyle(document.documentElement).colorScheme");
    const lightness = () =>
      page.evaluate(
        "getComputedStyle(document.documentElement).backgroundColor",
      ) as Promise<string>;
    const light = await lightness();
    expect(await scheme()).toBe("light dark");
    await page.click("[data-theme-switch]");
    expect(await scheme()).toBe("dark");
    expect(await lightness()).not.toBe(light);
    await page.goto(`${site.docs}guide/keys/`);
    expect(await scheme()).toBe("dark");
    await page.click("[data-theme-switch]");
    expect(await scheme()).toBe("light dark");
    await close(page);
  });

  test("the language of a sample is chosen by keyboard and kept on other pages", async () => {
    const page = await open("reference/listPets/");
    await page.focus("[data-language][value=curl]");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("[data-sample=python]").isVisible()).toBe(true);
    await page.goto(`${site.docs}reference/createPet/`);
    expect(await page.locator("[data-sample=python]").isVisible()).toBe(true);
    expect(await page.locator("[data-sample=curl]").isVisible()).toBe(false);
    await close(page);
  });

  test("lines of prose have 60 to 75 characters", async () => {
    const page = await open("guide/orders/");
    // The width of a line by the width of the average character of this very text.
    const characters = (await page.evaluate(`(() => {
      const text = [...document.querySelectorAll(".rest > p")].map((p) => p.textContent).join(" ");
      const probe = document.createElement("span");
      probe.textContent = text;
      probe.style.position = "absolute";
      probe.style.whiteSpace = "nowrap";
      const line = document.querySelector(".rest > p");
      line.append(probe);
      const average = probe.getBoundingClientRect().width / text.length;
      probe.remove();
      return line.getBoundingClientRect().width / average;
    })()`)) as number;
    console.log(`characters in a line: ${Math.round(characters)}`);
    expect(characters).toBeGreaterThan(60);
    expect(characters).toBeLessThan(77);
    await close(page);
  });

  test("without scripts the samples, the pages and the list of pages are all there", async () => {
    const page = await open("reference/getPet/", { ...phone, javaScriptEnabled: false });
    expect(await page.locator("[data-sample=curl]").isVisible()).toBe(true);
    await page.locator("label", { hasText: "Python" }).click();
    expect(await page.locator("[data-sample=python]").isVisible()).toBe(true);
    expect(await page.locator("#nav").isVisible()).toBe(true);
    expect(await page.locator("[data-menu-open]").isVisible()).toBe(false);
    await close(page);
  });

  test("the list of pages is scrolled to the current one", async () => {
    const page = await open("guide/scale/", { viewport: { width: 1440, height: 400 } });
    const list = await page.locator("#nav").boundingBox();
    const current = await page.locator("#nav [aria-current]").boundingBox();
    expect(await page.evaluate("document.querySelector('#nav').scrollTop")).toBeGreaterThan(0);
    expect(bottomOf(current)).toBeLessThanOrEqual(bottomOf(list));
    await close(page);
  });

  test("the skip link is the first stop and leads to the content", async () => {
    const page = await open("guide/keys/");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toContain("Skip to content");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toContain('<main id="main"');
    await close(page);
  });

  test("an address that is not there gets the page that says so", async () => {
    const page = await open("no/such/page");
    expect(await page.locator("h1").textContent()).toBe("Page not found");
    const underlined = 'getComputedStyle(document.querySelector(".layout")).textDecorationLine';
    expect(await page.evaluate(underlined)).toBe("none");
    await close(page);
  });
});
