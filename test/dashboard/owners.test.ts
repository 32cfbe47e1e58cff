import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import {
  addTo,
  certificateNamed,
  changeIn,
  dayMs,
  deployIn,
  domainFor,
  holding,
} from "../store/domainSamples.ts";
import { barriersInBothThemes } from "./accessible.ts";
import {
  type BrowserPage,
  type DashboardServer,
  describeWithBrowser,
  faultsOf,
  openPage,
  signIn,
  signInFirst,
  startDashboardServer,
} from "./dashboardServer.ts";

let server: DashboardServer;
let operator: BrowserPage;
let acme: BrowserPage;
let link: string;
const password = "seven tins of sardines";

beforeAll(async () => {
  server = await startDashboardServer({
    variables: {
      PETSTORE_SITES_HOST: "sites.example.net",
      PETSTORE_ACME_TERMS: "agreed",
      PETSTORE_ROLES: "none",
      // Nobody is there: what is mailed waits.
      PETSTORE_SMTP_URL: "smtp://127.0.0.1:1",
      PETSTORE_MAIL_FROM: "petstore@example.net",
    },
  });
  const { sites } = server.service.stores;
  await sites.addOwner({ id: "globex", name: "Globex", plan: "paid" });
  await sites.addProject({ slug: "globex-docs", ownerId: "globex", nowMs: Date.now() });
});
afterAll(() => server.service.stop());

/** As if they were served: here is neither a name server nor an authority. */
async function addServed(host: string, project: string, ownerId: string): Promise<void> {
  const { stores } = server.service;
  await deployIn(stores, project, `dep_${project}`);
  const domain = domainFor(host, project, { ownerId });
  await addTo(stores, domain);
  const certificate = certificateNamed(`cert_${host}`, host, { notAfterMs: Date.now() + dayMs });
  await changeIn(stores, holding(domain, certificate), { certificate });
}

describeWithBrowser("owners", (browser) => {
  let page: Page;
  beforeAll(async () => {
    operator = await openPage(browser());
    await signInFirst(server, operator);
    ({ page } = operator);
    await page.goto(`${server.dashboard}#/owners`);
  });

  test("the operator adds an owner and gets a link for them", async () => {
    await page.getByRole("button", { name: "Add owner" }).click();
    const dialog = page.getByRole("dialog", { name: "Add owner" });
    await dialog.getByLabel("Name").fill("Acme");
    await dialog.getByLabel("Id").fill("acme");
    await dialog.getByLabel("E-mail address").fill("ops@acme.example");
    await dialog.getByRole("button", { name: "Add owner" }).click();
    await page.getByRole("cell", { name: "ops@acme.example" }).waitFor();
    await page.getByRole("button", { name: "Invite Acme" }).click();
    const invited = page.getByRole("dialog", { name: "Invitation for Acme" });
    link = await invited.locator(".secret code").innerText();
    expect(link).toContain("/dashboard/#/welcome/");
    await invited.getByText("This link is mailed to ops@acme.example.").waitFor();
    const { mails } = server.service.stores;
    expect(await mails.list({ limit: 9 })).toMatchObject([
      { recipient: "acme", address: "ops@acme.example", content: { kind: "invitation" } },
    ]);
    expect(await barriersInBothThemes(page)).toEqual([]);
    await invited.getByRole("button", { name: "Done" }).click();
  });

  test("whoever has the link chooses a password, and must", async () => {
    acme = await openPage(browser());
    await acme.page.goto(link);
    expect(await barriersInBothThemes(acme.page)).toEqual([]);
    await acme.page.getByRole("button", { name: "Sign in without a password" }).click();
    await acme.page.getByRole("alert").waitFor();
    await acme.page
      .getByRole("button", { name: "Sign in without a password" })
      .waitFor({ state: "detached" });
    // The field has the focus, also after the button that had it is gone.
    await acme.page.locator("input:focus").waitFor();
    await acme.page.keyboard.type(password);
    await acme.page.getByRole("button", { name: "Set password and sign in" }).click();
    await acme.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await acme.page.getByText("Your username is acme.").first().waitFor();
    await acme.context.close();
    acme = await openPage(browser());
    await signIn(server, acme, "acme", password);
  });

  test("an owner changes where their mail goes, and may want none", async () => {
    await acme.page.goto(`${server.dashboard}#/account`);
    const address = acme.page.getByLabel("E-mail address");
    await address.waitFor();
    expect(await address.inputValue()).toBe("ops@acme.example");
    const { accounts } = server.service.stores;
    const save = acme.page.getByRole("button", { name: "Save address" });
    // A browser takes it for an address, since its host may be one of the local network.
    await address.fill("anna@localhost");
    await save.click();
    await acme.page.getByText("email must be an e-mail address").waitFor();
    expect((await accounts.find("acme"))?.email).toBe("ops@acme.example");
    await address.fill("anna@acme.example");
    await save.click();
    await acme.page.getByText("Your mail goes to anna@acme.example.").first().waitFor();
    expect((await accounts.find("acme"))?.email).toBe("anna@acme.example");
    const waiting = await server.service.stores.mails.list({ limit: 9 });
    const told = waiting.find(({ content }) => content.kind === "email_changed");
    expect(told?.address).toBe("ops@acme.example");
    expect(await barriersInBothThemes(acme.page)).toEqual([]);
    await address.fill("");
    await save.click();
    await acme.page.getByText("Your address is removed.").first().waitFor();
    expect((await accounts.find("acme"))?.email).toBeUndefined();
    expect(faultsOf(acme).filter((fault) => !fault.includes("400"))).toEqual([]);
  });

  test("an owner is shown nothing of the operator's, nor of another owner", async () => {
    const names = await acme.page.getByRole("navigation", { name: "Dashboard" }).innerText();
    expect(names).not.toMatch(/Keys|Catalogue|Owners/);
    await acme.page.goto(`${server.dashboard}#/projects`);
    await acme.page.getByRole("heading", { name: "No project yet" }).waitFor();
    await acme.page.goto(`${server.dashboard}#/projects/globex-docs`);
    await acme.page.getByText("There is no project globex-docs.").waitFor();
    await acme.page.goto(`${server.dashboard}#/keys`);
    await acme.page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    const statuses = await acme.page.evaluate(`Promise.all(
      ["keys", "owners", "projects/globex-docs", "projects/globex-docs/domains"]
        .map(async (path) => (await fetch("/internal/v1/" + path)).status))`);
    expect(statuses).toEqual([403, 403, 404, 404]);
  });

  test("the free plan is explained, with what is missing", async () => {
    await acme.page.goto(`${server.dashboard}#/projects`);
    await acme.page.getByRole("button", { name: "Create project" }).click();
    const dialog = acme.page.getByRole("dialog", { name: "Create project" });
    await dialog.getByLabel("Name in URLs").fill("acme-docs");
    await dialog.getByRole("button", { name: "Create project" }).click();
    await acme.page.getByRole("heading", { level: 1, name: "acme-docs" }).waitFor();
    await acme.page.getByRole("link", { name: "Settings", exact: true }).click();
    await acme.page.getByText("acme-docs cannot have domains of its own yet").waitFor();
    await acme.page.getByText("Domains need the paid plan").waitFor();
    await acme.page.getByText("Ask the operator").waitFor();
    expect(await acme.page.getByRole("link", { name: "Deploy it first" }).count()).toBe(1);
    expect(await acme.page.getByRole("button", { name: "Add domain" }).count()).toBe(0);
    expect(await barriersInBothThemes(acme.page)).toEqual([]);
    expect(faultsOf(acme)).toEqual([]);
  });

  test("the operator changes the plan where it is missed", async () => {
    await page.goto(`${server.dashboard}#/projects/acme-docs/domains`);
    await page.getByRole("button", { name: "Change to the paid plan" }).click();
    await page.getByText("Domains need the paid plan").waitFor({ state: "detached" });
    const { sites } = server.service.stores;
    expect((await sites.owner("acme"))?.plan).toBe("paid");
    await addServed("docs.acme.example", "acme-docs", "acme");
    await addServed("docs.globex.example", "globex-docs", "globex");
    const waiting = domainFor("waiting.acme.example", "acme-docs", { ownerId: "acme" });
    await addTo(server.service.stores, waiting);
    await page.goto(`${server.dashboard}#/owners`);
    await page.getByLabel("Plan of Acme").selectOption("free");
    const dialog = page.getByRole("dialog", { name: "Change Acme to the free plan?" });
    await dialog.getByText("docs.acme.example").waitFor();
    expect(await dialog.innerText()).not.toContain("docs.globex.example");
    expect(await dialog.innerText()).not.toContain("waiting.acme.example");
    expect(await barriersInBothThemes(page)).toEqual([]);
    // The one that does no harm has the focus.
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect((await sites.owner("acme"))?.plan).toBe("paid");
    expect(await page.getByLabel("Plan of Acme").inputValue()).toBe("paid");
    await page.getByLabel("Plan of Acme").selectOption("free");
    await dialog.getByRole("button", { name: "Change to the free plan" }).click();
    await page.getByText("Acme is on the free plan.").first().waitFor();
    expect((await sites.owner("acme"))?.plan).toBe("free");
  });

  test("the operator changes a plan among the owners", async () => {
    await page.getByLabel("Plan of Acme").selectOption("paid");
    await page.getByText("Acme is on the paid plan.").first().waitFor();
    const { sites } = server.service.stores;
    expect((await sites.owner("acme"))?.plan).toBe("paid");
    expect(await barriersInBothThemes(page)).toEqual([]);
  });
});
