/** The whole life of a domain, as its owner sees it, among real name servers and an authority. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { startTestBed, type TestBed, type TestBedZone } from "../../testkit/testBed/testBed.ts";
import { describeWithTestBed } from "../../testkit/testBed/tools.ts";
import { launch, named, noBrowser } from "../docs/chromium.ts";
import { type DomainsFixture, startDomainsFixture } from "../end-to-end/domains/domainsFixture.ts";
import { visitPlain, visit as visitSite } from "../end-to-end/domains/visits.ts";
import { barriersInBothThemes, overflowOf } from "./accessible.ts";
import {
  type BrowserPage,
  type DashboardServer,
  dashboardOn,
  openPage,
  signInFirst,
} from "./dashboardServer.ts";
import { picture, pictures, withBusyHour } from "./screens.ts";

const docs = "docs.acme.test";
const help = "help.acme.test";
const www = "www.acme.test";

let testBed: TestBed;
let fixture: DomainsFixture;
let server: DashboardServer;
let browser: Browser;
let browserPage: BrowserPage;
let page: Page;
let zone: TestBedZone;

const describeLife = noBrowser
  ? (name: string, body: () => void) => describe.skip(named(name), body)
  : describeWithTestBed;

describeLife("the life of a domain in the dashboard", () => {
  beforeAll(async () => {
    testBed = await startTestBed();
    fixture = await startDomainsFixture(testBed, undefined, { PETSTORE_ACME_LIMITS: "on" });
    server = dashboardOn(fixture.service);
    await fixture.newProject("acme-docs");
    zone = await testBed.zone("acme.test", {
      ttl: 2400,
      records: `docs CNAME ${testBed.target}.\nhelp A 192.0.2.7\nwww CNAME ${testBed.target}.`,
    });
    browser = await launch();
    browserPage = await openPage(browser, { height: 900 });
    ({ page } = browserPage);
    // The page counts by its own clock, and the service's does not stand still in this test.
    await signInFirst(server, browserPage);
    await page.goto(`${server.dashboard}#/projects/acme-docs/domains`);
  });
  afterAll(async () => {
    await browser?.close();
    await fixture?.stop();
    await testBed?.stop();
  });

  const card = (host: string): Locator =>
    page.locator(".domain").filter({ has: page.getByRole("heading", { name: host }) });

  async function add(host: string, inUse?: string): Promise<void> {
    await page.getByRole("button", { name: "Add domain" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Add domain" });
    await dialog.getByLabel("Domain").fill(host);
    if (inUse !== undefined) await dialog.getByLabel("In use").selectOption(inUse);
    await dialog.getByRole("button", { name: "Add domain" }).click();
    await card(host).waitFor();
    await testBed.point(host, await valueShownFor(host));
  }

  /** What the owner is shown to point it to. */
  const valueShownFor = async (host: string) =>
    (await fixture.show("acme-docs", host)).records[0]?.value ?? "";

  async function goLive(host: string): Promise<void> {
    await add(host);
    await card(host)
      .getByRole("button", { name: `Verify now: ${host}` })
      .click();
    await isLive(host);
  }

  /** By its badge: the last of the three steps has the same name. */
  const isLive = (host: string) =>
    card(host).locator(".badge").getByText("Live", { exact: true }).waitFor();

  async function choose(host: string, item: string): Promise<void> {
    await card(host)
      .getByRole("button", { name: `More for ${host}` })
      .click();
    await page.getByRole("menuitem", { name: item }).click();
  }

  test("a project without a domain says what can be done", async () => {
    await page.getByRole("heading", { name: "No domain yet" }).waitFor();
    expect(await barriersInBothThemes(page)).toEqual([]);
  });

  test("a name that cannot be one is refused where it was typed", async () => {
    await page.getByRole("button", { name: "Add domain" }).click();
    const dialog = page.getByRole("dialog", { name: "Add domain" });
    await dialog.getByLabel("Domain").fill("192.0.2.1");
    await dialog.getByRole("button", { name: "Add domain" }).click();
    await dialog.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    const focused = await page.evaluate("document.activeElement?.textContent");
    expect(focused).toBe("Add domain");
  });

  test("a domain that is added shows the record to create, ready to be copied", async () => {
    await add(help);
    const record = card(help).locator(".record dl");
    expect(await record.innerText()).toMatch(/CNAME[\s\S]*help[\s\S]*sites\.platform\.test/);
    await browserPage.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await record
      .getByRole("button", { name: `Copy the value ${await valueShownFor(help)}` })
      .click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await valueShownFor(help));
    await record.getByRole("button", { name: "Copy the name help" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("help");
  });

  test("a stray A record is shown beside what is expected, with what to do", async () => {
    await card(help)
      .getByRole("button", { name: `Verify now: ${help}` })
      .click();
    await card(help).getByText("DNS needs a change").waitFor();
    const finding = card(help).locator(".finding").first();
    expect(await finding.locator(".found").innerText()).toContain("A 192.0.2.7");
    expect(await finding.locator(".expected").innerText()).toContain(
      `CNAME ${await valueShownFor(help)}`,
    );
    expect(await card(help).locator(".next").allInnerTexts()).toEqual([
      expect.stringContaining("Delete the A record"),
    ]);
    expect(await finding.innerText()).toMatch(/keep it for\s+\d+ min/);
    expect(await card(help).locator(".looks").innerText()).toMatch(/next check in/);
    expect(await barriersInBothThemes(page)).toEqual([]);
  });

  test("once another domain is live, the screen shows both as they are", async () => {
    await goLive(docs);
    await choose(docs, "Make primary");
    await card(docs).getByText("primary", { exact: true }).waitFor();
    await card(docs).getByText("Keep this record at your DNS provider").waitFor();
    await card(docs)
      .getByRole("button", { name: `Details of ${docs}` })
      .click();
    await pictures(page, "domains");
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1200, height: 900 });
    expect(await barriersInBothThemes(page)).toEqual([]);
  });

  test("when the record is right, Verify leads through the certificate to live", async () => {
    await zone.set(
      `docs CNAME ${testBed.target}.\nhelp CNAME ${testBed.target}.\nwww CNAME ${testBed.target}.`,
    );
    await testBed.flush("acme.test");
    await fixture.skip(10_000);
    // Without the list: only the stream can tell of it.
    await page.route("**/projects/acme-docs/domains?*", (route) => route.abort());
    await card(help)
      .getByRole("button", { name: `Verify now: ${help}` })
      .click();
    await isLive(help);
    await page.unroute("**/projects/acme-docs/domains?*");
    const answer = await visitSite({
      port: testBed.httpsPort,
      host: help,
      ca: await testBed.caRoots(),
    });
    expect(answer.body).toContain("<title>acme-docs</title>");
    await card(help).getByText("Certificate by").waitFor();
    // Which of two authorities issued it.
    expect(await card(help).textContent()).toMatch(/Certificate by\s*Pebble Intermediate CA/);
  });

  test("the timeline tells every check, with the answers as they came", async () => {
    await card(help).getByRole("button", { name: "Timeline" }).click();
    const timeline = card(help).getByRole("list", { name: "Timeline" });
    await timeline.getByText("A check was requested.").first().waitFor();
    await timeline.getByText("Raw DNS responses").last().click();
    expect(await timeline.locator("pre").last().innerText()).toContain("192.0.2.7");
    const limits = card(help).getByRole("region", { name: "Our own limits" });
    expect(await limits.innerText()).toMatch(/1 of \d+ certificates for this name within a week/);
    await picture(page, "timeline");
    expect(await barriersInBothThemes(page)).toEqual([]);
    await card(help).getByRole("button", { name: "Hide timeline" }).click();
  });

  test("a redirect that is right is saved, shown and in force", async () => {
    await goLive(www);
    await choose(www, "Redirect…");
    const dialog = page.getByRole("dialog", { name: `Redirect ${www}` });
    expect(await dialog.getByLabel("To", { exact: true }).inputValue()).toBe(docs);
    await dialog.getByRole("button", { name: "Save redirect" }).click();
    await card(www).getByText(`Redirects to ${docs} (301)`).waitFor();
    const ca = await testBed.caRoots();
    const { status, headers } = await visitSite(
      { port: testBed.httpsPort, host: www, ca },
      "/a?b=1",
    );
    expect(status).toBe(301);
    expect(headers["location"]).toStartWith(`https://${docs}`);
  });

  test("a redirect to a name that redirects is refused in place, and nothing is saved", async () => {
    await choose(help, "Redirect…");
    const dialog = page.getByRole("dialog", { name: `Redirect ${help}` });
    await dialog.getByLabel("To", { exact: true }).fill(www);
    await dialog.getByRole("button", { name: "Save redirect" }).click();
    await dialog.getByRole("alert").waitFor();
    expect(await dialog.getByRole("alert").innerText()).toContain("the final host name");
    expect(await fixture.domainService.routing({ kind: "operator" }, "acme-docs")).toEqual({
      primary: docs,
      redirects: [{ from: www, to: docs, status: 301 }],
    });
    await page.keyboard.press("Escape");
  });

  test("removing says what will stop, offers a redirect, and then stops it", async () => {
    await choose(help, "Remove domain…");
    const dialog = page.getByRole("dialog", { name: `Remove ${help}?` });
    expect(await dialog.innerText()).toContain(`https://${help}`);
    await dialog.getByRole("button", { name: "Redirect instead" }).waitFor();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await picture(page, "remove");
    await dialog.getByRole("button", { name: "Remove domain" }).click();
    await card(help).waitFor({ state: "detached" });
    await page.getByText(`${help} was removed.`).first().waitFor();
    await expectGone(help);
  });

  test("the overview tells how the certificates are", async () => {
    await withBusyHour(page);
    await page.goto(`${server.dashboard}#/`);
    const row = page.getByRole("row").filter({ hasText: docs });
    expect(await row.innerText()).toMatch(/Live/);
    await pictures(page, "overview");
    expect(await barriersInBothThemes(page)).toEqual([]);
  });

  test("a domain that is in use elsewhere is prepared, and says when to switch", async () => {
    const old = "old.acme.test";
    await zone.set(`old A 127.0.0.2\ndocs CNAME ${testBed.target}.`);
    await page.goto(`${server.dashboard}#/projects/acme-docs/domains`);
    await add(old, "Served elsewhere: move it without a gap");
    const record = card(old).locator(".record dl");
    await record.getByText("_acme-challenge.old").waitFor();
    const [{ name = "", value = "" } = {}] = (await fixture.show("acme-docs", old)).records;
    expect(await record.innerText()).toContain(value);
    await zone.set(`old A 127.0.0.2\n${name} TXT "${value}"`);
    await fixture.verify("acme-docs", old);
    await card(old).locator(".badge").getByText("Ready to switch").waitFor();
    await card(old).locator(".next").getByText("Switch now").waitFor();
    expect(await record.innerText()).toContain(testBed.target);
    expect(await barriersInBothThemes(page)).toEqual([]);
  });

  test("nothing was refused by the page's own policy on the way", () => {
    const ofPolicy = browserPage.complaints.filter((each) => /Content Security Policy/i.test(each));
    expect(ofPolicy).toEqual([]);
  });

  async function expectGone(host: string): Promise<void> {
    expect((await visitPlain(testBed.httpPort, host)).status).toBe(404);
  }
});
