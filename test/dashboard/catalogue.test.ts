import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { barriersInBothThemes } from "./accessible.ts";
import {
  type BrowserPage,
  type DashboardServer,
  describeWithBrowser,
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

async function addPet(name: string, status = "available"): Promise<void> {
  const response = await fetch(`${server.service.base}/pets`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.service.token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ name, categoryId: 3, status }),
  });
  expect(response.status).toBe(201);
}

describeWithBrowser("the catalogue", (browser) => {
  beforeAll(async () => {
    browserPage = await openPage(browser());
    ({ page } = browserPage);
    await signInFirst(server, browserPage);
    await page.goto(`${server.dashboard}#/catalogue`);
  });

  const row = (name: string): Locator =>
    page.getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });

  test("is empty at first, and a pet of any category can be added", async () => {
    await page.getByRole("heading", { name: "No pets yet" }).waitFor();
    await page.getByRole("button", { name: "Add pet" }).click();
    const dialog = page.getByRole("dialog", { name: "Add pet" });
    await dialog.getByLabel("Name").fill("Bella");
    await dialog.getByLabel("Category").fill("9223372036854775807");
    await dialog.getByRole("button", { name: "Add pet" }).click();
    await row("Bella").waitFor();
    expect(await row("Bella").innerText()).toContain("9223372036854775807");
  });

  test("what the contract refuses is said in the dialog", async () => {
    await page.getByRole("button", { name: "Add pet" }).click();
    const dialog = page.getByRole("dialog", { name: "Add pet" });
    await dialog.getByLabel("Name").fill("Rex");
    await dialog.getByLabel("Category").fill("9223372036854775808");
    await dialog.getByRole("button", { name: "Add pet" }).click();
    await dialog.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
  });

  test("is filtered by status, and walked page by page and back", async () => {
    for (let count = 1; count <= 24; count++) await addPet(`Sold ${count}`, "sold");
    await page.getByLabel("Status").selectOption("sold");
    await row("Sold 1").waitFor();
    expect(await row("Bella").count()).toBe(0);
    await page.getByRole("button", { name: "Next page" }).click();
    await row("Sold 24").waitFor();
    expect(await row("Sold 1").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Next page" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Previous page" }).click();
    await row("Sold 1").waitFor();
    await pictures(page, "catalogue");
    expect(await barriersInBothThemes(page)).toEqual([]);
  });

  test("on a phone, a pet is ordered without moving the table sideways", async () => {
    await page.getByLabel("Status").selectOption("available");
    await page.setViewportSize({ width: 360, height: 740 });
    const order = page.getByRole("button", { name: "Order Bella" });
    const box = await order.boundingBox();
    expect((box?.x ?? 360) + (box?.width ?? 0)).toBeLessThanOrEqual(360 - 16);
    const places = page.getByRole("navigation", { name: "Dashboard" });
    for (const place of await places.getByRole("link").all()) {
      const { x, width } = (await place.boundingBox()) ?? { x: 360, width: 0 };
      expect(x + width).toBeLessThanOrEqual(360);
    }
    await page.setViewportSize({ width: 1200, height: 800 });
  });

  test("an order is placed, approved and delivered, and the pet follows", async () => {
    await page.getByLabel("Status").selectOption("available");
    await page.getByRole("button", { name: "Order Bella" }).click();
    await page
      .getByRole("dialog", { name: "Order Bella" })
      .getByRole("button", { name: "Place order" })
      .click();
    await row("Bella").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Approve order 1" }).click();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Deliver order 1" }).click();
    await row("1").getByText("Delivered").waitFor();
    await page.getByRole("link", { name: "Pets" }).click();
    await row("Bella").getByText("Sold").waitFor();
  });

  test("an order is cancelled after a question, and its pet can be ordered again", async () => {
    await addPet("Momo");
    await page.getByLabel("Status").selectOption("available");
    await page.getByRole("button", { name: "Order Momo" }).click();
    await page.getByRole("button", { name: "Place order" }).click();
    await page.getByRole("link", { name: "Orders" }).click();
    const cancel = async () => {
      await page.getByRole("button", { name: "More for order 2" }).click();
      await page.getByRole("menuitem", { name: "Cancel order…" }).click();
      return page.getByRole("dialog", { name: "Cancel order 2?" });
    };
    const dialog = await cancel();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Keep order" }).click();
    await row("2").getByText("Placed").waitFor();
    await (await cancel()).getByRole("button", { name: "Cancel order" }).click();
    await row("2").getByText("Cancelled").waitFor();
    expect(await row("2").getByRole("button").count()).toBe(0);
    await page.getByRole("link", { name: "Pets" }).click();
    await page.getByLabel("Status").selectOption("available");
    await page.getByRole("button", { name: "Order Momo" }).waitFor();
  });

  test("a pet is found by the beginning of a word of its name, and by its category", async () => {
    await server.service.stores.categories.add("Dogs", 3n);
    await addPet("Åke the Great");
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("link", { name: "Pets" }).click();
    await page.getByLabel("Search by name").fill("gre ake");
    await row("Sold 1").waitFor({ state: "detached" });
    await row("Åke the Great").waitFor();
    expect(await row("Åke the Great").innerText()).toContain("Dogs");
    expect(await barriersInBothThemes(page)).toEqual([]);
    await page.getByLabel("Search by name").fill("nobody");
    await page.getByRole("heading", { name: "No such pets" }).waitFor();
    await page.getByLabel("Search by name").fill("");
    await page.getByLabel("Category").selectOption("Dogs");
    await row("Bella").waitFor({ state: "detached" });
    await row("Sold 1").waitFor();
  });

  test("a pet is edited, and what it is refused for is said in the dialog", async () => {
    await page.getByLabel("Search by name").fill("ake");
    const edit = async (name: string) => {
      await row(name)
        .getByRole("button", { name: `More for ${name}` })
        .click();
      await page.getByRole("menuitem", { name: "Edit pet…" }).click();
      return page.getByRole("dialog", { name: `Edit ${name}` });
    };
    const dialog = await edit("Åke the Great");
    expect(await barriersInBothThemes(page)).toEqual([]);
    await dialog.getByLabel("Name").fill(" ");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Name").fill("Ake the Small");
    await dialog.getByLabel("Category").fill("4");
    await dialog.getByLabel("Status").selectOption("sold");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByLabel("Category").selectOption("all");
    await row("Ake the Small").getByText("Sold").waitFor();
    const unchanged = await edit("Ake the Small");
    await unchanged.getByRole("button", { name: "Save" }).click();
    await unchanged.waitFor({ state: "detached" });
  });

  test("a pet is deleted after a question, unless an order holds it", async () => {
    await page.getByLabel("Search by name").fill("ake");
    const remove = async (name: string) => {
      await row(name)
        .getByRole("button", { name: `More for ${name}` })
        .click();
      await page.getByRole("menuitem", { name: "Delete pet…" }).click();
      return page.getByRole("dialog", { name: `Delete ${name}?` });
    };
    await (await remove("Ake the Small")).getByRole("button", { name: "Keep pet" }).click();
    await row("Ake the Small").waitFor();
    await (await remove("Ake the Small")).getByRole("button", { name: "Delete pet" }).click();
    await page.getByRole("heading", { name: "No such pets" }).waitFor();
    await page.getByLabel("Search by name").fill("momo");
    await page.getByRole("button", { name: "Order Momo" }).click();
    await page.getByRole("button", { name: "Place order" }).click();
    const held = await remove("Momo");
    await held.getByRole("button", { name: "Delete pet" }).click();
    await held.getByText("Deliver or cancel the order first").waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Search by name").fill("");
  });

  test("goes on when its key is revoked, with a new one", async () => {
    const { keys } = server.service.stores;
    const own = (await keys.list()).filter(({ name }) => name === "dashboard session");
    expect(own.length).toBe(1);
    for (const { id } of own) await keys.revoke(id, Date.now());
    await page.getByLabel("Search by name").fill("nobody");
    await page.getByRole("heading", { name: "No such pets" }).waitFor();
    expect((await keys.list()).filter(({ name }) => name === "dashboard session").length).toBe(2);
  });

  test("the key is in no storage, and is revoked with signing out", async () => {
    const kept = await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }])",
    );
    expect(kept).not.toContain("pet_live_");
    await page.goto(`${server.dashboard}#/account`);
    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    const { keys } = server.service.stores;
    const own = (await keys.list()).filter(({ name }) => name === "dashboard session");
    expect(own.filter(({ revokedAtMs }) => revokedAtMs === undefined)).toEqual([]);
  });
});
