import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { barriersInBothThemes } from "./accessible.ts";
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
let browserPage: BrowserPage;
let page: Page;

beforeAll(async () => {
  server = await startDashboardServer();
});
afterAll(() => server.service.stop());

/** What the API answers to a key. */
async function statusWith(token: string, path = "/pets"): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${server.service.base}${path}`, { headers })).status;
}

const focusedText = (page: Page) => page.evaluate("document.activeElement?.textContent");

describeWithBrowser("keys", (browser) => {
  beforeAll(async () => {
    browserPage = await openPage(browser());
    ({ page } = browserPage);
    await signInFirst(server, browserPage);
    await page.goto(`${server.dashboard}#/keys`);
  });

  const row = (name: string): Locator =>
    page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });

  /** The key that is shown this once; the dialog is closed after it. */
  async function shownKey(): Promise<string> {
    const dialog = page.getByRole("dialog", { name: /^The key/ });
    const token = await dialog.locator(".secret code").innerText();
    expect(await dialog.getByRole("button", { name: "Done" }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByLabel("I have stored it in a safe place").check();
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
    return token;
  }

  test("a key is created with its scopes, and shown once", async () => {
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog", { name: "Create key" });
    await page.keyboard.type("report");
    expect(await dialog.getByLabel("Name").inputValue()).toBe("report");
    await dialog.getByLabel("Only these").check();
    await dialog.getByLabel("pets:read").check();
    await dialog.getByLabel("Expires").selectOption("90");
    expect(await barriersInBothThemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create key" }).click();
    const token = await shownKey();
    expect(await statusWith(token)).toBe(200);
    expect(await statusWith(token, "/store/orders")).toBe(403);
    await row("report").waitFor();
    expect(await row("report").innerText()).toMatch(/pets:read/);
    expect(await page.content()).not.toContain(token);
  });

  test("no scope at all is refused where the scopes are", async () => {
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog", { name: "Create key" });
    await dialog.getByLabel("Name").fill("nothing");
    await dialog.getByLabel("Only these").check();
    await dialog.getByRole("button", { name: "Create key" }).click();
    expect(await dialog.getByRole("alert").innerText()).toContain("at least one scope");
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });

  test("a rotated key lives on for the time that was chosen, beside its successor", async () => {
    const old = await server.service.newKey({ name: "website" });
    await page.reload();
    await page.getByRole("button", { name: `More for website, ${old.key.hint}` }).click();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Rotate website" });
    await dialog.getByLabel("The old key still works").selectOption("3600");
    await dialog.getByRole("button", { name: "Rotate key" }).click();
    const token = await shownKey();
    expect(token).not.toBe(old.token);
    expect([await statusWith(token), await statusWith(old.token)]).toEqual([200, 200]);
    await page.getByText("Being replaced").waitFor();
  });

  test("who still calls a deprecated operation is named, with the day it goes away", async () => {
    const { token } = await server.service.newKey({ name: "old-script" });
    expect(await statusWith(token, "/pets/1")).toBe(404);
    const region = page.getByRole("region", { name: "Deprecated operations in use" });
    // Uses are written down every few seconds, and the page asks again by itself.
    const use = region.getByRole("row").filter({ hasText: "old-script" });
    await use.first().waitFor();
    expect(await use.first().innerText()).toMatch(/getPet[\s\S]*5 Dec 2030/);
    await pictures(page, "keys");
    expect(await barriersInBothThemes(page)).toEqual([]);
  });

  test("the keys of the dashboard's own sessions are one line until they are asked for", async () => {
    await page.goto(`${server.dashboard}#/catalogue`);
    await page.getByRole("heading", { name: "No pets yet" }).waitFor();
    await page.goto(`${server.dashboard}#/keys`);
    const line = page.getByRole("button", { name: "1 key of this dashboard's own sessions" });
    await line.waitFor();
    expect(await page.getByText("this dashboard", { exact: true }).count()).toBe(0);
    await line.click();
    expect(await page.getByText("this dashboard", { exact: true }).count()).toBe(1);
    await line.click();
  });

  test("a revoked key is refused at once", async () => {
    const { key, token } = await server.service.newKey({ name: "leaked" });
    await page.reload();
    await page.getByRole("button", { name: `More for leaked, ${key.hint}` }).click();
    await page.getByRole("menuitem", { name: "Revoke key…" }).click();
    const dialog = page.getByRole("dialog", { name: "Revoke leaked?" });
    expect(await focusedText(page)).toBe("Keep it");
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await row("leaked").waitFor({ state: "detached" });
    // What had opened the dialog is gone with its row.
    await page.locator("h1:focus").waitFor();
    expect(await statusWith(token)).toBe(401);
    await page.getByRole("button", { name: /^Show \d+ ended/ }).click();
    await row("leaked").getByText("Revoked").waitFor();
    expect(faultsOf(browserPage)).toEqual([]);
  });
});
