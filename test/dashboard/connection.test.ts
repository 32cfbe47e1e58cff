import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  type BrowserPage,
  type DashboardServer,
  describeWithBrowser,
  openPage,
  signInFirst,
  startDashboardServer,
} from "./dashboardServer.ts";

let server: DashboardServer;
let browserPage: BrowserPage;

beforeAll(async () => {
  server = await startDashboardServer();
});
afterAll(() => server.service.stop());

describeWithBrowser("a connection that comes and goes", (browser) => {
  beforeAll(async () => {
    browserPage = await openPage(browser());
    await signInFirst(server, browserPage);
  });

  test("being offline is said, what was loaded stays, and it comes back by itself", async () => {
    const { page, context } = browserPage;
    await page.getByRole("link", { name: "Keys" }).click();
    await page.getByText("first key").waitFor();
    await context.setOffline(true);
    await page.getByText("You are offline.").waitFor();
    expect(await page.getByText("first key").isVisible()).toBe(true);
    await page.getByRole("link", { name: "Owners" }).click();
    await page.getByText("This could not be loaded").waitFor();
    await context.setOffline(false);
    await page.getByText("You are offline.").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "No owner yet" }).waitFor();
  });

  test("a service that does not answer is told from a network that is away", async () => {
    const { page } = browserPage;
    const silent = (address: URL) => /^\/(internal|healthz)/.test(address.pathname);
    await page.route(silent, (route) => route.abort());
    await page.getByRole("link", { name: "Projects", exact: true }).click();
    await page.getByText("The service cannot be reached. The data may be out of date").waitFor();
    await page.unroute(silent);
    await page.getByRole("heading", { name: "No project yet" }).waitFor();
    expect(await page.locator(".offline").count()).toBe(0);
  });

  test("a fault of the service is shown in its words, and tried again by a button", async () => {
    const { page } = browserPage;
    let broken = true;
    await page.route("**/internal/v1/owners", (route) => {
      if (!broken) return route.continue();
      const body = { code: "internal", message: "The service failed. Try again.", status: 500 };
      return route.fulfill({ status: 500, json: body });
    });
    await page.getByRole("link", { name: "Owners" }).click();
    await page.getByText("The service failed. Try again.").waitFor();
    broken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "No owner yet" }).waitFor();
    await page.unroute("**/internal/v1/owners");
  });
});
