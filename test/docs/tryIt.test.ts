/** Trying operations from a page, against the real service on another origin. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { launch, named, noBrowser, serveSite } from "./chromium.ts";

describe.skipIf(noBrowser)(named("trying an operation"), () => {
  let browser: Browser;
  let running: TestService;
  let site: Awaited<ReturnType<typeof serveSite>>;
  let page: Page;
  beforeAll(async () => {
    running = await startTestService();
    [browser, site] = await Promise.all([launch(), serveSite(running.base)]);
    page = await (await browser.newContext()).newPage();
  });
  afterAll(async () => {
    await browser?.close();
    site?.stop();
    await running?.stop();
  });

  const open = (id: string) => page.goto(`${site.docs}reference/${id}/`);
  const answered = async () => {
    await page.locator("[data-result] .badge").waitFor();
    return (await page.locator("[data-result] .badge").textContent()) ?? "";
  };

  test("without a key is refused, and the answer leads to the code's page", async () => {
    await open("listPets");
    expect(await page.inputValue("[data-base-field]")).toBe(running.base);
    await page.click("[data-send]");
    expect(await answered()).toContain("401");
    const link = page.locator("[data-result] a", { hasText: "What key_missing means" });
    expect(await link.getAttribute("href")).toBe("/docs/errors/key_missing/");
  });

  test("by keyboard creates a pet, with every digit of its category", async () => {
    await open("createPet");
    await page.fill("[data-key-field]", running.token);
    await page.fill("[data-body]", '{"name":"Bella","categoryId":9223372036854775807}');
    await page.focus("[data-body]");
    await page.keyboard.press("Control+Enter");
    expect(await answered()).toBe("201 Created");
    expect(await page.locator("[data-result] pre").textContent()).toContain("9223372036854775807");
    expect(await page.locator("[data-result] .quiet").textContent()).toMatch(
      /^[\d.]+ ms · \d+ bytes$/,
    );
    expect(await page.locator("[data-result] th", { hasText: "location" }).count()).toBe(1);
    expect(await page.locator("[data-said]").textContent()).toMatch(/^201 Created in /);
    expect((await running.client.get("/pets")).text).toContain("9223372036854775807");
  });

  test("keeps the key for this tab only, and forgets it when asked", async () => {
    await open("listOrders");
    expect(await page.inputValue("[data-key-field]")).toBe(running.token);
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(running.token);
    expect(await page.locator("[data-curl]").textContent()).not.toContain(running.token);
    await page.click("[data-forget]");
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain(running.token);
    await page.fill("[data-key-field]", running.token);
  });

  test("shows the curl line that is the same", async () => {
    await open("listPets");
    await page.selectOption("[data-name=status]", "available");
    await page.fill("[data-name=id]", "1, 2");
    await page.fill("[data-name=limit]", "5");
    const line = await page.locator("[data-curl]").textContent();
    expect(line).toContain(`curl '${running.base}/pets?limit=5&status=available&id=1&id=2'`);
    await page.keyboard.press("Enter");
    expect(await answered()).toBe("200 OK");
    expect(await page.locator("[data-result] pre").textContent()).toContain("Bella");
  });

  test("with the ETag of before gets 304 and shows that there is no body", async () => {
    const { headers } = await running.client.get("/pets");
    await open("listPets");
    await page.fill("[data-name=If-None-Match]", headers.get("etag") ?? "");
    await page.click("[data-send]");
    expect(await answered()).toContain("304");
    expect(await page.locator("[data-result]").textContent()).toContain("No body.");
  });

  test("at an address that the policy or the network refuses says so", async () => {
    await open("getPet");
    await page.fill("[data-base-field]", "http://127.0.0.1:1/v1");
    await page.click("[data-send]");
    expect(await answered()).toBe("No response");
    expect(await page.locator("[data-result]").textContent()).toContain("http://127.0.0.1:1");
    await page.fill("[data-base-field]", "nonsense");
    await page.click("[data-send]");
    await page.locator("text=The base URL must be absolute").last().waitFor();
  });
});
