import { afterAll, beforeAll, expect, test } from "bun:test";
import { barriersInBothThemes, overflowOf } from "./accessible.ts";
import {
  type DashboardServer,
  describeWithBrowser,
  openPage,
  operatorPassword,
  signIn,
  signInFirst,
  startDashboardServer,
} from "./dashboardServer.ts";

let server: DashboardServer;

beforeAll(async () => {
  server = await startDashboardServer();
});
afterAll(() => server.service.stop());

describeWithBrowser("signing in", (browser) => {
  test("the link of the first start leads in, once, and leaves the address", async () => {
    const first = await openPage(browser());
    await signInFirst(server, first);
    expect(first.page.url()).toBe(`${server.dashboard}#/`);
    expect(first.complaints).toEqual([]);
    const again = await openPage(browser());
    await again.page.goto(server.firstLink);
    await again.page.getByRole("button", { name: "Sign in without a password" }).click();
    await again.page.getByRole("alert").waitFor();
    expect(await again.page.getByRole("link", { name: "Sign in with your password" }).count()).toBe(
      1,
    );
    expect(await again.context.cookies()).toEqual([]);
    await again.context.close();
    await first.context.close();
  });

  test("the cookie is out of reach of scripts and of other sites", async () => {
    const browserPage = await openPage(browser());
    await signIn(server, browserPage, "operator", operatorPassword);
    const [cookie, ...others] = await browserPage.context.cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
    expect(await browserPage.page.evaluate("document.cookie")).toBe("");
    await browserPage.context.close();
  });

  test("works on a port of the dashboard's own, which the API's port has not", async () => {
    const variables = { PETSTORE_ADMIN_PORT: "0" };
    const separate = await startDashboardServer({ variables });
    try {
      const onAdminPort = (address: string) =>
        address.replace(/:\d+\//, `:${separate.service.service.adminPort}/`);
      const dashboard = onAdminPort(separate.dashboard);
      const firstLink = onAdminPort(separate.firstLink);
      const browserPage = await openPage(browser());
      await signInFirst({ ...separate, dashboard, firstLink }, browserPage);
      expect(browserPage.page.url()).toBe(`${dashboard}#/`);
      expect(browserPage.complaints).toEqual([]);
      expect((await browserPage.page.goto(separate.dashboard))?.status()).toBe(404);
      await browserPage.context.close();
    } finally {
      await separate.service.stop();
    }
  });

  test("a wrong password is refused in words, and typed again", async () => {
    const { page, context } = await openPage(browser());
    await page.goto(server.dashboard);
    await page.locator("input:focus").waitFor();
    await page.keyboard.type("operator");
    await page.getByLabel("Password").fill("something else entirely");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("Password").inputValue()).toBe("");
    expect(await page.getByLabel("Username").inputValue()).toBe("operator");
    await page.getByLabel("Password").fill(operatorPassword);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await context.close();
  });

  test("has no barrier in either theme and fits a phone, with a refusal on it too", async () => {
    const { page, context } = await openPage(browser());
    await page.setViewportSize({ width: 360, height: 740 });
    for (const address of [server.dashboard, `${server.dashboard}#/welcome/nothing`]) {
      await page.goto(address);
      await page.reload();
      await page.locator("input:focus").waitFor();
      expect(await barriersInBothThemes(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
    await page.goto(server.dashboard);
    await page.reload();
    await page.getByLabel("Username").fill("operator");
    await page.getByLabel("Password").fill("something else entirely");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await context.close();
  });

  test("signing out ends the session at once, also in another window", async () => {
    const browserPage = await openPage(browser());
    const { page, context } = browserPage;
    await signIn(server, browserPage, "operator", operatorPassword);
    const other = await context.newPage();
    await other.goto(`${server.dashboard}#/keys`);
    await other.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await page.getByRole("link", { name: "Account of Operator" }).click();
    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await other.getByRole("link", { name: "Owners" }).click();
    await other.getByText("Your session has ended").waitFor();
    await context.close();
  });

  test("a session elsewhere is seen, and can be ended from here", async () => {
    const [here, there] = [await openPage(browser()), await openPage(browser())];
    await signIn(server, here, "operator", operatorPassword);
    await signIn(server, there, "operator", operatorPassword);
    await here.page.goto(`${server.dashboard}#/account`);
    const rows = here.page.getByRole("region", { name: "Where you are signed in" });
    await rows.getByText("This session").waitFor();
    const before = await rows.getByRole("listitem").count();
    await rows
      .getByRole("button", { name: /^Sign out/ })
      .first()
      .click();
    await here.page.getByText("That session has ended.").first().waitFor();
    await rows
      .getByRole("listitem")
      .nth(before - 1)
      .waitFor({ state: "detached" });
    await here.context.close();
    await there.context.close();
  });

  test("a changed password lets nobody in with the one before", async () => {
    const browserPage = await openPage(browser());
    const { page, context } = browserPage;
    const next = "another staple battery horse";
    await signIn(server, browserPage, "operator", operatorPassword);
    await page.goto(`${server.dashboard}#/account`);
    await page.getByLabel("Current password").fill(operatorPassword);
    await page.getByLabel("New password").fill(next);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("The password is changed.").first().waitFor();
    const late = await openPage(browser());
    await late.page.goto(server.dashboard);
    await late.page.getByLabel("Username").fill("operator");
    await late.page.getByLabel("Password").fill(operatorPassword);
    await late.page.getByRole("button", { name: "Sign in" }).click();
    await late.page.getByRole("alert").waitFor();
    await signIn(server, late, "operator", next);
    await late.context.close();
    await context.close();
  });
});
