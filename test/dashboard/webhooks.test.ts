import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { eventually } from "../../testkit/eventually.ts";
import { Receiver, response } from "../outbound/receiver.ts";
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
import { picture, pictures } from "./screens.ts";

let server: DashboardServer;
let receiver: Receiver;
let browserPage: BrowserPage;
let page: Page;
let secret = "";
/** The event that the receiver refused for good. */
let lost = "";
/** What the receiver responds with. */
let said = response(200, "Thanks", "x-receiver: ours\r\n");

beforeAll(async () => {
  receiver = await new Receiver((_request, socket) => void socket.write(said)).listen();
  const variables = { PETSTORE_WEBHOOK_NETWORKS: "127.0.0.1/32" };
  server = await startDashboardServer({ variables });
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await server.service.stop();
});

async function createPet(name: string): Promise<void> {
  const { base, token } = server.service;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ name, categoryId: 3 });
  expect((await fetch(`${base}/pets`, { method: "POST", headers, body })).status).toBe(201);
}

function verified(request: string): unknown {
  const [head = "", body = ""] = request.split("\r\n\r\n");
  const lines = head.split("\r\n").slice(1);
  const headers = Object.fromEntries(lines.map((line) => line.split(": ") as [string, string]));
  return new Webhook(secret).verify(body, headers);
}

describeWithBrowser("webhooks", (browser) => {
  const url = () => `http://127.0.0.1:${receiver.port}/hooks`;
  const dialog = (name: string): Locator => page.getByRole("dialog", { name });

  beforeAll(async () => {
    browserPage = await openPage(browser());
    ({ page } = browserPage);
    await signInFirst(server, browserPage);
    await page.getByRole("link", { name: "Webhooks" }).click();
  });

  /** Of what the receiver got last. */
  const lastEvent = () => /webhook-id: evt_(\d+)/.exec(receiver.requests.at(-1) ?? "")?.[1] ?? "";
  const rowOf = (event: string): Locator =>
    page.getByRole("listitem").filter({ has: page.getByText(`event ${event}`, { exact: true }) });

  /** The secret that is shown this once; the dialog is closed after it. */
  async function shownSecret(): Promise<string> {
    const shown = dialog("The signing secret");
    const text = await shown.locator(".secret code").innerText();
    await shown.getByRole("button", { name: "Copy the secret" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await shown.isVisible()).toBe(true);
    await shown.getByLabel("I have stored it in a safe place").check();
    await shown.getByRole("button", { name: "Done" }).click();
    await shown.waitFor({ state: "detached" });
    return text;
  }

  async function choose(item: string): Promise<void> {
    await page.getByRole("button", { name: "More for this endpoint" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  }

  test("an endpoint is created, and its secret is shown once", async () => {
    await page.getByRole("heading", { name: "No endpoint yet" }).waitFor();
    await page.getByRole("button", { name: "Create endpoint" }).click();
    const form = dialog("Create endpoint");
    await page.keyboard.type("https://10.0.0.1/hooks");
    await form.getByRole("button", { name: "Create endpoint" }).click();
    expect(await form.getByRole("alert").innerText()).toContain("not public");
    await form.getByLabel("URL").fill(url());
    await form.getByLabel("Description").fill("Stock system");
    await form.getByLabel("Only these").check();
    await form.getByLabel("pet.created").check();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await picture(page, "webhook-create");
    await form.getByRole("button", { name: "Create endpoint" }).click();
    secret = await shownSecret();
    await page.getByRole("row").filter({ hasText: "Stock system" }).waitFor();
    expect(await page.getByRole("row").nth(1).innerText()).toContain("Delivering");
    expect(await page.content()).not.toContain(secret);
    const [stored] = await server.service.stores.webhooks.list();
    expect(stored?.types).toEqual(["pet.created"]);
  });

  test("it is edited: where to, and which events", async () => {
    await page.getByRole("button", { name: `More for ${url()}` }).click();
    await page.getByRole("menuitem", { name: "Edit endpoint…" }).click();
    const form = dialog("Edit endpoint");
    expect(await form.getByLabel("URL").inputValue()).toBe(url());
    await form.getByLabel("Everything").check();
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByRole("row").filter({ hasText: "Everything" }).waitFor();
  });

  test("a delivery is shown with its attempts, its request and its response", async () => {
    await page.getByRole("link", { name: url() }).click();
    await page.locator("h1:focus", { hasText: url() }).waitFor();
    await createPet("Bella");
    await eventually(() => receiver.requests.length === 1);
    expect(verified(receiver.requests[0] ?? "")).toMatchObject({ type: "pet.created" });
    const event = lastEvent();
    const row = rowOf(event);
    await row.getByText("Delivered", { exact: true }).waitFor();
    await row.getByRole("button", { name: `Show event ${event}` }).click();
    await row.getByText("Request").click();
    await row.getByText("Response").click();
    const [sent = "", came = ""] = await row.locator("pre").allInnerTexts();
    expect(sent).toContain(`POST ${url()}\n`);
    const [head, body] = (receiver.requests[0] ?? "").split("\r\n\r\n");
    for (const line of head?.split("\r\n").slice(1) ?? []) expect(sent).toContain(line);
    expect(sent).toContain(body ?? "");
    expect(came).toContain("x-receiver: ours");
    expect(came).toContain("Thanks");
    expect(await barriersInBothThemes(page)).toEqual([]);
    await row.getByRole("button", { name: `Hide event ${event}` }).click();
  });

  test("a test message is sent at once, and its outcome shown", async () => {
    said = response(500, "Broken");
    await page.getByRole("button", { name: "Send test" }).click();
    const shown = dialog("Test message");
    await shown.getByText("Not delivered").waitFor();
    expect(verified(receiver.requests.at(-1) ?? "")).toMatchObject({ type: "webhook.test" });
    await shown.getByText("Response").click();
    expect(await shown.locator("pre").last().innerText()).toContain("Broken");
    expect(await barriersInBothThemes(page)).toEqual([]);
    said = response(204);
    await shown.getByRole("button", { name: "Send again" }).click();
    await shown.getByText("Delivered", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await shown.waitFor({ state: "detached" });
  });

  test("an endpoint that asks for no more is disabled, and says why, on the overview too", async () => {
    said = response(410, "<img src=x onerror=alert(1)>");
    await createPet("Rex");
    const [{ id = "" } = {}] = await server.service.stores.webhooks.list();
    await eventually(async () => (await server.service.stores.webhooks.list())[0]?.disabled);
    await page.goto(`${server.dashboard}#/`);
    await page.getByText("1 webhook endpoint disabled").waitFor();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await page.goto(`${server.dashboard}#/webhooks`);
    await page
      .getByRole("row")
      .filter({ hasText: /Disabled\s*responded 410/ })
      .waitFor();
    await pictures(page, "webhooks");
    await page.goto(`${server.dashboard}#/webhooks/${id}`);
    const notice = page.getByRole("alert").filter({ hasText: "This endpoint is disabled" });
    expect(await notice.innerText()).toContain("It responded 410");
    lost = lastEvent();
    const row = rowOf(lost);
    await row.getByText("Failed", { exact: true }).waitFor();
    await row.getByRole("button", { name: `Show event ${lost}` }).click();
    await row.getByText("Response").click();
    // What a receiver says is text, and nothing else.
    expect(await row.locator("pre").last().innerText()).toContain("<img src=x onerror=alert(1)>");
    expect(await page.locator("img").count()).toBe(0);
    expect(await barriersInBothThemes(page)).toEqual([]);
    await pictures(page, "webhook");
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await overflowOf(page)).toBe(0);
    await page.setViewportSize({ width: 1200, height: 800 });
  });

  test("once enabled, it gets what failed when that is replayed", async () => {
    said = response(200);
    const before = receiver.requests.length;
    await page.getByRole("button", { name: "Enable endpoint…" }).click();
    await dialog("Enable endpoint?").getByRole("button", { name: "Enable endpoint" }).click();
    await page.getByText("Delivering").waitFor();
    const row = rowOf(lost);
    await row.getByRole("button", { name: `Replay event ${lost}` }).click();
    await row.getByText("Delivered", { exact: true }).waitFor();
    expect(receiver.requests.length).toBeGreaterThan(before);
    await row.getByText("2 attempts").waitFor();
  });

  test("deliveries are filtered by state and type", async () => {
    const rows = page.getByRole("listitem").filter({ hasText: /event \d/ });
    await page.getByLabel("State", { exact: true }).selectOption("failed");
    await page.getByText("No such delivery.").waitFor();
    await page.getByLabel("State", { exact: true }).selectOption("delivered");
    await rows.first().waitFor();
    await page.getByLabel("Type", { exact: true }).selectOption("order.placed");
    await page.getByText("No such delivery.").waitFor();
    await page.getByLabel("Type", { exact: true }).selectOption("");
    await rows.first().waitFor();
    await page.getByRole("button", { name: "Replay all failed" }).click();
    await page.getByText("0 deliveries will be sent again.").first().waitFor();
  });

  test("a rotation shows the new secret once, and how long the old one signs", async () => {
    await choose("Rotate secret…");
    const form = dialog("Rotate secret");
    await form.getByLabel("The old secret also signs").selectOption("3600");
    await form.getByRole("button", { name: "Rotate secret" }).click();
    const before = secret;
    secret = await shownSecret();
    expect(secret).not.toBe(before);
    await page.getByText("The old one also signs for").waitFor();
  });

  test("it is disabled by hand, and removed only when that is confirmed", async () => {
    await choose("Disable endpoint…");
    await dialog("Disable endpoint?").getByRole("button", { name: "Disable endpoint" }).click();
    await page.getByText("It was disabled by the operator.").waitFor();
    await choose("Remove endpoint…");
    expect(await page.evaluate("document.activeElement?.textContent")).toBe("Keep it");
    await page.keyboard.press("Enter");
    await dialog("Remove endpoint?").waitFor({ state: "detached" });
    expect(await server.service.stores.webhooks.list()).toHaveLength(1);
    await choose("Remove endpoint…");
    await dialog("Remove endpoint?").getByRole("button", { name: "Remove endpoint" }).click();
    await page.getByRole("heading", { name: "No endpoint yet" }).waitFor();
    expect(await server.service.stores.webhooks.list()).toEqual([]);
    expect(faultsOf(browserPage)).toEqual([]);
  });
});
