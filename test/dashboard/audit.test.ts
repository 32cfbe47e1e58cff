import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { withOrigin } from "../../src/audit/origin.ts";
import { barriersInBothThemes, overflowOf } from "./accessible.ts";
import {
  type BrowserPage,
  type DashboardServer,
  describeWithBrowser,
  faultsOf,
  openPage,
  signInFirst,
  startDashboardServer,
} from "./dashboardServer.ts";
import { pictures } from "./screens.ts";

let server: DashboardServer;
beforeAll(async () => {
  server = await startDashboardServer({ variables: {} });
});
afterAll(() => server.service.stop());

describeWithBrowser("the audit log", (browser) => {
  let browserPage: BrowserPage;
  let page: Page;
  const rows = () => page.locator("tbody tr");
  const rowOf = (text: string) => rows().filter({ hasText: text });

  beforeAll(async () => {
    browserPage = await openPage(browser());
    ({ page } = browserPage);
    await signInFirst(server, browserPage);
    const { sites } = server.service.stores;
    const cli = { actor: "cli/root", source: { host: "db-1.example.net", sudoUser: "ann" } };
    await withOrigin(cli, async () => {
      for (let count = 0; count < 60; count++) {
        await sites.addOwner({ id: `owner-${count}`, name: `Owner ${count}`, plan: "free" });
      }
      await sites.setPlan("owner-7", "paid");
    });
    await page.goto(`${server.dashboard}#/audit`);
    await rowOf("owner.set_plan").waitFor();
  });

  test("is in the navigation, and shows who did what", async () => {
    const link = page.getByRole("navigation", { name: "Dashboard" }).getByText("Audit log");
    expect(await link.getAttribute("aria-current")).toBe("page");
    const text = await rowOf("owner.set_plan").innerText();
    expect(text).toMatch(/owners\/owner-7[\s\S]*cli\/root[\s\S]*db-1\.example\.net/);
    await pictures(page, "audit");
    expect(await barriersInBothThemes(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });

  test("comes in pages", async () => {
    expect(await rows().count()).toBe(50);
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText("Page 2").waitFor();
    await rowOf("owners/owner-0").waitFor();
    await page.getByRole("button", { name: "Previous page" }).click();
    await rowOf("owner.set_plan").waitFor();
  });

  test("opens an entry with what was before and after", async () => {
    await rowOf("owner.set_plan").getByRole("button").click();
    const dialog = page.getByRole("dialog", { name: /^owner\.set_plan/ });
    const changed = dialog.getByRole("row").filter({ hasText: "plan" });
    expect(await changed.locator("del").innerText()).toBe("free");
    expect(await changed.locator("ins").innerText()).toBe("paid");
    expect(await dialog.innerText()).toContain("ann");
    await pictures(page, "audit-entry");
    expect(await barriersInBothThemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "All of this subject" }).click();
    await rowOf("owner-20").waitFor({ state: "detached" });
    expect(await rows().count()).toBe(2);
    expect(await page.getByLabel("Subject").inputValue()).toBe("owners/owner-7");
  });

  test("is searched by actor, action and day, and cleared", async () => {
    await page.getByLabel("Subject").fill("");
    await page.getByLabel("Action").fill("account");
    await rowOf("account.sign_in").waitFor();
    await rowOf("owner.create").first().waitFor({ state: "detached" });
    await page.getByLabel("Until", { exact: true }).fill("2020-01-31");
    await page.getByRole("heading", { name: "No such entries" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await rowOf("owner.set_plan").waitFor();
    await page.getByLabel("Actor").fill("accounts/operator");
    await rowOf("account.sign_in").first().waitFor();
    await rowOf("owner.create").first().waitFor({ state: "detached" });
    expect(faultsOf(browserPage)).toEqual([]);
  });
});
