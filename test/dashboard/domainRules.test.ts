/** What the screen of domains says where no name server is needed to know it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import type { Domain } from "../../src/hosting/domains/domain.ts";
import { DomainService } from "../../src/hosting/domains/domainService.ts";
import * as lifecycle from "../../src/hosting/domains/lifecycle.ts";
import { publish } from "../../src/hosting/sites/publish.ts";
import { sourcesOf } from "../sites/sources.ts";
import { barriersInBothThemes, overflowOf } from "./accessible.ts";
import {
  type BrowserPage,
  type DashboardServer,
  describeWithBrowser,
  openPage,
  signInFirst,
  startDashboardServer,
} from "./dashboardServer.ts";

const target = "sites.example.net";
/** While it is set, the service's calendar stands still. */
let heldMs: number | undefined;
const clock: Clock = { ...systemClock, now: () => heldMs ?? systemClock.now() };
let server: DashboardServer;
let domains: DomainService;
let browserPage: BrowserPage;
let page: Page;

beforeAll(async () => {
  server = await startDashboardServer({
    clock,
    variables: {
      PETSTORE_SITES_HOST: target,
      PETSTORE_ACME_TERMS: "agreed",
      PETSTORE_ROLES: "none",
    },
  });
  const { stores } = server.service;
  const { sites: store } = stores;
  for (const owner of ["acme", "rival"]) {
    await store.addOwner({ id: owner, name: owner, plan: "paid" });
    await store.addProject({ slug: owner, ownerId: owner, nowMs: clock.now() });
    const files = sourcesOf({ "index.html": `<!doctype html><title>${owner}</title>` });
    await publish(owner, files, { store, clock, unless: "newest" });
  }
  domains = new DomainService({ ...stores, clock, target, ownLimits: true, reserved: [] });
  await domains.add({ kind: "operator" }, "rival", "docs.taken.com");
});
afterAll(() => server.service.stop());

describeWithBrowser("the screen of domains", (browser) => {
  beforeAll(async () => {
    browserPage = await openPage(browser());
    ({ page } = browserPage);
    await signInFirst(server, browserPage);
    await page.goto(`${server.dashboard}#/projects/acme/domains`);
  });

  const card = (host: string): Locator =>
    page.locator(".domain").filter({ has: page.getByRole("heading", { name: host, exact: true }) });

  /** As a worker would. */
  async function change(host: string, next: (domain: Domain) => Domain): Promise<void> {
    const { stores } = server.service;
    const [claim] = await stores.domains.claimsOn(host);
    if (claim === undefined) throw new Error(`${host} should be attached.`);
    const { domain, version } = claim;
    const changed = { domain: next(domain), version, dueAtMs: undefined, entries: [] };
    expect(await stores.domains.change(changed)).toBe("done");
  }

  async function ask(host: string): Promise<Locator> {
    await page.getByRole("button", { name: "Add domain" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Add domain" });
    await dialog.getByLabel("Domain").fill(host);
    await dialog.getByRole("button", { name: "Add domain" }).click();
    return dialog;
  }

  test("shows the record to create also where another owner has the name", async () => {
    await ask("docs.taken.com");
    const record = card("docs.taken.com").locator(".record");
    expect(await record.innerText()).toMatch(/CNAME[\s\S]*edge-[0-9a-f]{20}\.sites\.example\.net/);
    expect(await barriersInBothThemes(page)).toEqual([]);
  });

  test("asks for an ALIAS at an apex, and says what each provider calls it", async () => {
    await ask("acme.com");
    const record = card("acme.com").locator(".record").first();
    expect(await card("acme.com").locator(".record").nth(1).innerText()).toMatch(
      /TXT[\s\S]*_petstore-proof[\s\S]*petstore-proof=edge-/,
    );
    expect(await record.innerText()).toMatch(/ALIAS[\s\S]*@[\s\S]*sites\.example\.net/);
    const choice = card("acme.com").getByLabel("Your DNS provider");
    await choice.selectOption("cloudflare");
    expect(await record.innerText()).toContain("flattened");
    await choice.selectOption("route53");
    expect(await record.innerText()).toContain("Attach a subdomain");
    await choice.selectOption("zone");
    expect(await record.innerText()).toMatch(
      /acme\.com\. 3600 IN ALIAS edge-[0-9a-f]{20}\.sites\.example\.net\./,
    );
    await page.reload();
    await card("acme.com").waitFor();
    expect(await choice.inputValue()).toBe("zone");
  });

  test("shows a name of other letters as people read it, and as it is looked up", async () => {
    await ask("bücher.example.com");
    await card("bücher.example.com").waitFor();
    expect(await card("bücher.example.com").innerText()).toContain("xn--bcher-kva.example.com");
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1200, height: 800 });
  });

  test("says at once when Verify is asked for too often", async () => {
    const own = card("acme.com");
    // So that the two are not ten seconds apart, however long the page takes.
    heldMs = clock.now();
    await own.getByRole("button", { name: "Verify now: acme.com" }).click();
    await own.getByRole("button", { name: "Checking: acme.com" }).waitFor();
    await page.reload();
    await own.getByRole("button", { name: "Verify now: acme.com" }).click();
    const note = own.getByRole("status").filter({ hasText: /Try again in \d+ second/ });
    await note.waitFor();
    expect(await own.getByRole("alert").count()).toBe(0);
    // It goes away when its seconds are over.
    await note.waitFor({ state: "detached" });
    heldMs = undefined;
  });

  test("marks a target of a redirect that is not live, and warns of it", async () => {
    await card("acme.com").getByRole("button", { name: "More for acme.com" }).click();
    await page.getByRole("menuitem", { name: "Redirect…" }).click();
    const dialog = page.getByRole("dialog", { name: "Redirect acme.com" });
    await page.locator("input:focus").waitFor();
    await dialog.getByLabel("To", { exact: true }).fill("docs.taken.com");
    await dialog.getByText("docs.taken.com is not live").waitFor();
    await dialog.getByText("The redirect is held until it is").waitFor();
    expect(await dialog.getByLabel("How").inputValue()).toBe("301");
    expect(await barriersInBothThemes(page)).toEqual([]);
    await page.keyboard.press("Escape");
  });

  test("says of a primary domain and of a redirect that they are held until it is live", async () => {
    const other = "xn--bcher-kva.example.com";
    const redirects = [{ from: other, to: "acme.com", status: 301 }];
    await domains.applyRouting({ kind: "operator" }, "acme", { primary: "acme.com", redirects });
    await page.reload();
    await card("acme.com").getByText("Primary: held until it is live").waitFor();
    await card("bücher.example.com")
      .getByText("Redirect to acme.com (301): held until acme.com is live")
      .waitFor();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1200, height: 800 });
  });

  test("counts down what DNS may take, and says when that is over", async () => {
    const own = card("acme.com");
    expect(await own.innerText()).toMatch(/allow up to 48 hours \((2 d|\d+ h) left\)/);
    const addedAtMs = clock.now() - 49 * 3_600_000;
    await change("acme.com", (domain) => ({ ...domain, addedAtMs }));
    await page.reload();
    await own.getByText("DNS is not right after 48 hours").waitFor();
    expect(await own.innerText()).toContain("Compare the record at your DNS provider");
  });

  test("offers Re-verify where the certificate has not come after 30 minutes", async () => {
    const own = card("acme.com");
    await own.getByRole("button", { name: "Verify now: acme.com" }).waitFor();
    await change("acme.com", (domain) => {
      const right = { kind: "right", findings: [] } as const;
      return lifecycle.checked(domain, right, clock.now() - 30 * 60_000);
    });
    await page.reload();
    await own.getByText("Certificate delayed").waitFor();
    await own.getByRole("button", { name: "Re-verify: acme.com" }).waitFor();
    expect(await own.getByRole("button", { name: /^Verify now/ }).count()).toBe(0);
  });

  test("keeps a name that was given up, which starts again with a click", async () => {
    const host = "acme.com";
    await domains.applyRouting({ kind: "operator" }, "acme", {});
    await change(host, (domain) => lifecycle.abandoned(domain, clock.now()));
    await page.reload();
    const own = card(host);
    await own.getByText("Given up", { exact: true }).waitFor();
    expect(await page.getByLabel(`What ${host} serves`).count()).toBe(0);
    expect(await barriersInBothThemes(page)).toEqual([]);
    await own.getByRole("button", { name: `Start again: ${host}` }).click();
    await own.getByText("Waiting for DNS").waitFor();
    expect(await page.locator(".domain").filter({ hasText: host }).count()).toBe(1);
  });

  test("offers the www name beside an apex, and adds both", async () => {
    await page.getByRole("button", { name: "Add domain" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Add domain" });
    await dialog.getByLabel("Domain").fill("docs.acme.org");
    expect(await dialog.getByRole("checkbox").count()).toBe(0);
    await dialog.getByLabel("Domain").fill("acme.org");
    await dialog.getByLabel("Also add www.acme.org, and redirect it here").check();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Add domain" }).click();
    await card("acme.org").waitFor();
    await card("www.acme.org").getByText("Redirect to acme.org (301): held until").waitFor();
  });

  test("says why a domain is suspended, and what brings it back", async () => {
    await server.service.stores.sites.setPlan("acme", "free");
    await page.goto(`${server.dashboard}#/projects/acme/domains/acme.com`);
    await page.reload();
    const own = card("acme.com");
    await own.getByText("Suspended").waitFor();
    expect(await own.innerText()).toContain("paid plan");
    expect(await page.getByText("The domains of acme are suspended").count()).toBe(1);
    expect(await page.getByText("Domains need the paid plan").count()).toBe(1);
    expect(await own.getByRole("button", { name: /^Verify now/ }).count()).toBe(0);
    expect(await barriersInBothThemes(page)).toEqual([]);
  });
});
