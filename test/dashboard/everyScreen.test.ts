/** What must hold on every screen: for all eyes, hands and widths. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { systemClock } from "../../src/core/clock.ts";
import { publish } from "../../src/hosting/sites/publish.ts";
import { focused } from "../docs/chromium.ts";
import { sourcesOf } from "../sites/sources.ts";
import { endpointFor } from "../store/webhooks.suite.ts";
import { barriersInBothThemes, overflowOf } from "./accessible.ts";
import {
  type BrowserPage,
  type DashboardServer,
  describeWithBrowser,
  faultsOf,
  openPage,
  operatorPassword,
  phone,
  signIn,
  signInFirst,
  startDashboardServer,
} from "./dashboardServer.ts";

let server: DashboardServer;
let browserPage: BrowserPage;
let page: Page;

const screens = {
  overview: ["#/", "Overview"],
  projects: ["#/projects", "Projects"],
  project: ["#/projects/acme-docs", "acme-docs"],
  domains: ["#/projects/acme-docs/domains", "Domains"],
  keys: ["#/keys", "Keys"],
  pets: ["#/catalogue", "Catalogue"],
  orders: ["#/catalogue/orders", "Catalogue"],
  webhooks: ["#/webhooks", "Webhooks"],
  endpoint: ["#/webhooks/whe_everyScreen", "https://receiver.example.com/webhooks"],
  owners: ["#/owners", "Owners"],
  audit: ["#/audit", "Audit log"],
  account: ["#/account", "Account"],
  nowhere: ["#/no/such/place", "Page not found"],
} as const;

async function show(on: Page, name: keyof typeof screens): Promise<void> {
  const [fragment, title] = screens[name];
  await on.goto(`${server.dashboard}${fragment}`);
  await on.getByRole("heading", { level: 1, name: title }).waitFor();
  await on.locator(".skeleton").first().waitFor({ state: "detached" });
}

beforeAll(async () => {
  server = await startDashboardServer({
    variables: {
      PETSTORE_SITES_HOST: "sites.example.net",
      PETSTORE_ACME_TERMS: "agreed",
      PETSTORE_ROLES: "none",
    },
  });
  const { sites: store } = server.service.stores;
  await store.addOwner({ id: "acme", name: "Acme", plan: "paid" });
  await store.addProject({ slug: "acme-docs", ownerId: "acme", nowMs: Date.now() });
  const files = sourcesOf({ "index.html": "<!doctype html><title>Acme</title>" });
  await publish("acme-docs", files, { store, clock: systemClock, unless: "shown" });
  await server.service.stores.webhooks.add({
    ...endpointFor({ disabled: undefined }),
    ...{ id: "whe_everyScreen", url: "https://receiver.example.com/webhooks" },
  });
  for (let count = 0; count < 40; count++) {
    await fetch(`${server.service.base}/pets`, {
      method: count % 2 === 0 ? "POST" : "GET",
      headers: {
        authorization: `Bearer ${server.service.token}`,
        "content-type": "application/json",
      },
      ...(count % 2 === 0 ? { body: JSON.stringify({ name: "Bella", categoryId: 3 }) } : {}),
    });
  }
});
afterAll(() => server.service.stop());

describeWithBrowser("every screen", (browser) => {
  beforeAll(async () => {
    browserPage = await openPage(browser());
    ({ page } = browserPage);
    await signInFirst(server, browserPage);
  });

  test("has nothing that axe calls serious, in light and in dark", async () => {
    for (const name of Object.keys(screens) as (keyof typeof screens)[]) {
      await show(page, name);
      expect([name, ...(await barriersInBothThemes(page))]).toEqual([name]);
    }
  });

  test("fits a phone of 360 points, and every target is large enough for a finger", async () => {
    const small = await openPage(browser(), phone);
    await signIn(server, small, "operator", operatorPassword);
    for (const name of Object.keys(screens) as (keyof typeof screens)[]) {
      await show(small.page, name);
      expect([name, await overflowOf(small.page)]).toEqual([name, 0]);
      const tooSmall =
        await small.page.evaluate(`[...document.querySelectorAll("button, select, .button, .sidebar a, .tabs a, input:not([type=file])")]
        .filter((each) => each.checkVisibility() && !each.matches(".skip"))
        .filter((each) => each.getBoundingClientRect().height < 43.5)
        .map((each) => each.outerHTML.slice(0, 80))`);
      expect([name, tooSmall]).toEqual([name, []]);
    }
    await small.context.close();
  });

  test("asks nobody but the service, and breaks no rule of its own policy", async () => {
    const strangers: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(server.dashboard.replace("/dashboard/", "/"))) {
        strangers.push(request.url());
      }
    });
    await page.reload();
    for (const name of Object.keys(screens) as (keyof typeof screens)[]) await show(page, name);
    expect(strangers).toEqual([]);
    expect(faultsOf(browserPage)).toEqual([]);
    const policy = (await page.request.get(server.dashboard)).headers()["content-security-policy"];
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self';");
  });
});

describeWithBrowser("with the keyboard alone", (browser) => {
  beforeAll(async () => {
    browserPage = await openPage(browser());
    ({ page } = browserPage);
    await signIn(server, browserPage, "operator", operatorPassword);
  });

  test("the first stop leads to the content, and stays on the screen", async () => {
    await show(page, "keys");
    await page.locator("body").press("Tab");
    await page.keyboard.press("Tab");
    await page.evaluate("document.activeElement.blur(); document.querySelector('.skip').focus()");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toContain('id="main"');
    expect(page.url()).toEndWith("#/keys");
  });

  test("a new screen is read from its heading on, and named in the title", async () => {
    await page.getByRole("link", { name: "Owners" }).press("Enter");
    // The focus follows the heading by an effect, after it is painted.
    await page.locator("h1:focus", { hasText: "Owners" }).waitFor();
    expect(await page.title()).toBe("Owners · Pet Store");
  });

  test("a dialog holds the focus, Esc closes it, and the focus returns", async () => {
    await page.getByRole("button", { name: "Add owner" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Add owner" });
    await dialog.waitFor();
    for (let count = 0; count < 12; count++) {
      await page.keyboard.press("Tab");
      const inside = await page.evaluate(
        "document.activeElement === document.body || document.activeElement.closest('dialog') !== null",
      );
      expect(inside).toBe(true);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await focused(page)).toContain("Add owner");
  });

  test("a menu is walked by arrows, and Esc gives the focus back", async () => {
    await show(page, "keys");
    const button = page.getByRole("button", { name: /^More for first key/ });
    await button.press("Enter");
    expect(await focused(page)).toContain("Rotate key");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toContain("Revoke key");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toContain("Rotate key");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toContain("More for first key");
    expect(await page.getByRole("menu").count()).toBe(0);
  });

  test("what is focused can be seen", async () => {
    await page.getByRole("button", { name: "Create key" }).focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
    expect(outline).toBe("solid");
  });

  test("light and dark are switched, remembered, and said", async () => {
    const color = () =>
      page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor");
    const light = await color();
    await page.getByRole("button", { name: "Switch to dark" }).press("Enter");
    expect(await color()).not.toBe(light);
    await page.reload();
    await page.getByRole("button", { name: "Switch to light" }).waitFor();
    expect(await color()).not.toBe(light);
    await page.getByRole("button", { name: "Switch to light" }).press("Enter");
    expect(await color()).toBe(light);
  });
});
