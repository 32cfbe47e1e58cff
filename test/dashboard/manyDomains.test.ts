/** The screen of domains where there are more than fit on it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import {
  changeIn,
  dayMs,
  deployIn,
  domainFor,
  nowMs,
  projectIn,
  servedIn,
} from "../store/domainSamples.ts";
import { barriersInBothThemes, overflowOf } from "./accessible.ts";
import {
  type BrowserPage,
  type DashboardServer,
  describeWithBrowser,
  openPage,
  operatorPassword,
  phone,
  signIn,
  signInFirst,
  startDashboardServer,
} from "./dashboardServer.ts";

const clock: Clock = { ...systemClock, now: () => nowMs + 60_000 };
const hostOf = (number: number) => `n${String(number).padStart(2, "0")}.example.com`;
const [primary, live, refused] = [hostOf(3), hostOf(5), hostOf(40)];
const permitting = 'example.com CAA 0 issue "authority.example"';
let server: DashboardServer;
let browserPage: BrowserPage;
let page: Page;

beforeAll(async () => {
  server = await startDashboardServer({
    clock,
    variables: {
      PETSTORE_SITES_HOST: "sites.example.net",
      PETSTORE_ACME_TERMS: "agreed",
      PETSTORE_ROLES: "none",
    },
  });
  const { stores } = server.service;
  await projectIn(stores, "shop");
  for (let number = 0; number < 60; number++) {
    const domain = domainFor(hostOf(number));
    if ([primary, live].includes(domain.host)) {
      const served = await servedIn(stores, domain.host);
      const certificate = { ...served.certificate, renewAtMs: nowMs + 60 * dayMs };
      await changeIn(stores, { ...served, certificate });
    } else
      await stores.domains.add(domain.host === refused ? caaRefused(domain) : domain, nowMs, []);
  }
  const redirects = [{ from: hostOf(8), to: primary, status: 301 } as const];
  await stores.domains.saveRouting({
    project: "shop",
    routing: { primary, redirects },
    version: 0,
  });
});
afterAll(() => server.service.stop());

function caaRefused(domain: ReturnType<typeof domainFor>) {
  const finding = {
    code: "CAA_BLOCKS",
    message: "A CAA record forbids it.",
    found: ['example.com CAA 0 issue "other.example"'],
    expected: [permitting],
  } as const;
  const issuance = {
    sinceMs: nowMs,
    attempts: 1,
    nextAttemptAtMs: nowMs + 600_000,
    ordering: false,
    refusal: { reason: "caa", atMs: nowMs, findings: [finding] },
    delay: undefined,
  } as const;
  return {
    ...domain,
    dns: { ...domain.dns, verdict: "right" as const },
    certificate: { ...domain.certificate, issuance },
  };
}

describeWithBrowser("the screen of many domains", (browser) => {
  beforeAll(async () => {
    browserPage = await openPage(browser());
    ({ page } = browserPage);
    await signInFirst(server, browserPage);
    await page.goto(`${server.dashboard}#/projects/shop/domains`);
    await cards().first().waitFor();
  });

  const cards = (): Locator => page.locator(".domain");
  const card = (host: string): Locator =>
    page.locator(".domain").filter({ has: page.getByRole("heading", { name: host, exact: true }) });
  const hosts = () => page.locator(".domain h3").allInnerTexts();
  const search = (on: Page) => on.getByLabel("Search by name");

  test("shows a line of each, with its routing beside it, in pages", async () => {
    expect(await hosts()).toEqual(Array.from({ length: 25 }, (_, number) => hostOf(number)));
    expect(await page.locator(".domain-body").count()).toBe(0);
    expect(await card(primary).innerText()).toMatch(/Live[\s\S]*primary/);
    expect(await card(hostOf(8)).innerText()).toContain(`Redirect to ${primary} (301)`);
    await page.getByRole("button", { name: "Next page" }).click();
    await card(hostOf(25)).waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await card(hostOf(59)).waitFor();
    expect(await cards().count()).toBe(10);
    expect(await page.getByRole("button", { name: "Next page" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Previous page" }).click();
    await card(hostOf(25)).waitFor();
  });

  test("finds them by part of the name and by status, and says where there is none", async () => {
    await search(page).fill("N4");
    await card(hostOf(25)).waitFor({ state: "detached" });
    await card(refused).waitFor();
    expect(await cards().count()).toBe(10);
    await page.getByLabel("Status").selectOption("Needs attention");
    await card(hostOf(41)).waitFor({ state: "detached" });
    // The only one there is is open.
    await card(refused).getByText("A CAA record forbids it.").waitFor();
    expect(await hosts()).toEqual([refused]);
    await page.getByLabel("Status").selectOption("Live");
    await page.getByRole("heading", { name: "No such domains" }).waitFor();
    await search(page).fill("");
    await card(live).waitFor();
    expect(await hosts()).toEqual([primary, live]);
    expect(await barriersInBothThemes(page)).toEqual([]);
    await page.getByLabel("Status").selectOption("All statuses");
    await card(hostOf(0)).waitFor();
  });

  test("opens one by a click on its line and by the keyboard, and its address leads there", async () => {
    await card(live).locator(".domain-info").click();
    await card(live)
      .getByRole("region", { name: `Records for ${live}` })
      .waitFor();
    expect(page.url()).toEndWith(`#/projects/shop/domains/${live}`);
    expect(await card(live).innerText()).toMatch(/Keep this record at your DNS provider/);
    expect(await card(live).innerText()).toMatch(/Renews/);
    await page.getByRole("button", { name: `Details of ${hostOf(6)}` }).press("Enter");
    await card(hostOf(6)).getByText("Create this record").waitFor();
    expect(await page.locator(".domain-body").count()).toBe(2);
    expect(await barriersInBothThemes(page)).toEqual([]);
    await page.reload();
    await card(hostOf(6)).getByText("Create this record").waitFor();
    expect(await page.locator(".domain-body").count()).toBe(1);
    await page.goto("about:blank");
    await page.goto(`${server.dashboard}#/projects/shop/domains/${refused}`);
    await card(refused).getByText("A CAA record forbids it.").waitFor();
    expect(await search(page).inputValue()).toBe(refused);
  });

  test("a CAA record to create is copied by a button", async () => {
    await browserPage.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await card(refused)
      .getByRole("button", { name: `Copy the record ${permitting}` })
      .click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(permitting);
  });

  test("a redirect is typed, whichever page its target is on, and refused in place", async () => {
    await search(page).fill(hostOf(59));
    await card(hostOf(59)).waitFor();
    const redirect = async (to: string) => {
      await page.getByRole("button", { name: `More for ${hostOf(59)}` }).click();
      await page.getByRole("menuitem", { name: "Redirect…" }).click();
      const dialog = page.getByRole("dialog", { name: `Redirect ${hostOf(59)}` });
      expect(await dialog.getByLabel("To", { exact: true }).inputValue()).toBe(primary);
      await dialog.getByLabel("To", { exact: true }).fill(to);
      await dialog.getByRole("button", { name: "Save redirect" }).click();
      return dialog;
    };
    const dialog = await redirect(hostOf(8));
    await dialog.getByText("Redirect it to the final host name").waitFor();
    await page.keyboard.press("Escape");
    const { routing } = server.service.stores.domains;
    expect((await routing("shop")).routing.redirects).toHaveLength(1);
    await redirect(live);
    await card(hostOf(59)).getByText(`Redirect to ${live} (301)`).waitFor();
    await page.getByRole("button", { name: `More for ${hostOf(59)}` }).click();
    await page.getByRole("menuitem", { name: "Stop redirecting" }).click();
    await card(hostOf(59)).getByText(`Redirect to ${live}`).waitFor({ state: "detached" });
    expect((await routing("shop")).routing.redirects).toHaveLength(1);
  });

  test("how long browsers insist on HTTPS is chosen, with its danger explained", async () => {
    await page.getByRole("button", { name: `More for ${hostOf(59)}` }).click();
    await page.getByRole("menuitem", { name: "HTTPS only…" }).click();
    const dialog = page.getByRole("dialog", { name: `HTTPS only for ${hostOf(59)}` });
    const choice = dialog.getByLabel("Browsers remember it");
    expect(await choice.inputValue()).toBe("day");
    await choice.selectOption("subdomains");
    await dialog.getByText("one that has no HTTPS cannot be reached any more").waitFor();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    const stored = await server.service.stores.domains.attached("shop", hostOf(59));
    expect(stored?.domain.hsts).toBe("subdomains");
  });

  test("one is moved to another project, and is found there", async () => {
    const { stores } = server.service;
    await stores.sites.addProject({ slug: "blog", ownerId: "shop", nowMs });
    await deployIn(stores, "blog", "dep_blog");
    await page.getByRole("button", { name: `More for ${hostOf(59)}` }).click();
    await page.getByRole("menuitem", { name: "Move to another project…" }).click();
    const dialog = page.getByRole("dialog", { name: `Move ${hostOf(59)}` });
    await dialog.getByRole("option", { name: "blog" }).waitFor({ state: "attached" });
    expect(await dialog.getByLabel("To project").inputValue()).toBe("blog");
    expect(await barriersInBothThemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Move domain" }).click();
    await card(hostOf(59)).waitFor({ state: "detached" });
    await page.goto(`${server.dashboard}#/projects/blog/domains`);
    await card(hostOf(59)).waitFor();
    await page.goto(`${server.dashboard}#/projects/shop/domains`);
    await card(hostOf(0)).waitFor();
  });

  test("fits a phone", async () => {
    const small = await openPage(browser(), phone);
    await signIn(server, small, "operator", operatorPassword);
    await small.page.goto(`${server.dashboard}#/projects/shop/domains/${refused}`);
    await small.page.getByText("A CAA record forbids it.").waitFor();
    expect(await overflowOf(small.page)).toBeLessThanOrEqual(0);
    await search(small.page).fill("");
    await small.page.getByRole("heading", { name: hostOf(24) }).waitFor();
    expect(await overflowOf(small.page)).toBeLessThanOrEqual(0);
    await small.context.close();
  });

  test("the account says what the username is", async () => {
    await page.goto(`${server.dashboard}#/account`);
    expect(await page.getByText("Your username is").innerText()).toContain("operator");
  });
});
