/** Two-step sign-in in a browser, with an authenticator that Chromium simulates. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CDPSession, Page } from "playwright-core";
import decodeQR from "qr/decode.js";
import { totpCode, totpStep } from "../../src/accounts/oneTimeCodes.ts";
import { barriersInBothThemes, overflowOf } from "./accessible.ts";
import {
  type BrowserPage,
  type DashboardServer,
  describeWithBrowser,
  faultsOf,
  openPage,
  operatorPassword,
  signInFirst,
  startDashboardServer,
} from "./dashboardServer.ts";
import { pictures } from "./screens.ts";

let server: DashboardServer;
let browserPage: BrowserPage;
let page: Page;
let devtools: CDPSession;
let authenticatorId: string;
let secret = "";
let codes: string[] = [];

beforeAll(async () => {
  server = await startDashboardServer();
});
afterAll(() => server.service.stop());

const button = (name: string | RegExp) => page.getByRole("button", { name });
const field = (name: string) => page.getByRole("textbox", { name, exact: true });
const heading = (name: string) => page.getByRole("heading", { name });

/** Nothing in the way of anybody, in either theme and on a phone. */
async function judge(name: string): Promise<void> {
  await pictures(page, name);
  expect(await barriersInBothThemes(page)).toEqual([]);
  const before = page.viewportSize() ?? { width: 1200, height: 800 };
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await overflowOf(page)).toBe(0);
  await page.setViewportSize(before);
}

async function signOut(): Promise<void> {
  await page.goto(`${server.dashboard}#/account`);
  await button("Sign out").first().click();
  await heading("Sign in").waitFor();
}

async function typePassword(): Promise<void> {
  await page.getByLabel("Username").fill("operator");
  await page.getByLabel("Password").fill(operatorPassword);
  await button(/^Sign in$/).click();
}

/** What a camera sees of the QR code, eight points to a module. */
async function scan(): Promise<string> {
  const drawn = page.locator("svg.qr");
  const size = Number((await drawn.getAttribute("viewBox"))?.split(" ")[2]);
  const path = (await drawn.locator("path").getAttribute("d")) ?? "";
  const width = size * 8;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, left, top] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let y = Number(top) * 8; y < Number(top) * 8 + 8; y++) {
      for (let x = Number(left) * 8; x < Number(left) * 8 + 8; x++) {
        data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
      }
    }
  }
  return decodeQR({ width, height: width, data });
}

async function storeCodes(): Promise<string[]> {
  await heading("Your recovery codes").waitFor();
  const shown = await page.locator(".recovery-codes code").allTextContents();
  expect(await button("Done").isDisabled()).toBe(true);
  await page.getByLabel("I have stored them in a safe place").check();
  await button("Done").click();
  await heading("Your recovery codes").waitFor({ state: "detached" });
  return shown;
}

describeWithBrowser("two-step sign-in", (browser) => {
  beforeAll(async () => {
    browserPage = await openPage(browser());
    ({ page } = browserPage);
    devtools = await browserPage.context.newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    ({ authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    }));
    await signInFirst(server, browserPage);
  });
  afterAll(() => browserPage?.context.close());

  test("an app is set up by a QR code or its secret, and recovery codes are shown once", async () => {
    await page.goto(`${server.dashboard}#/account`);
    await page.getByText("Your password alone signs you in.").waitFor();
    await judge("two-step-off");
    await button("Set up an app").click();
    await heading("Set up an authenticator app").waitFor();
    secret = ((await page.locator("dialog .secret code").textContent()) ?? "").replaceAll(" ", "");
    const url = await scan();
    expect(url).toBe(`otpauth://totp/Pet%20Store:operator?secret=${secret}&issuer=Pet%20Store`);
    expect(await page.locator("dialog a").getAttribute("href")).toBe(url);
    await judge("two-step-app");
    await field("Code").fill("000 000");
    await button("Confirm").click();
    await page.getByRole("alert").waitFor();
    await field("Code").fill(totpCode(secret, totpStep(Date.now())));
    await button("Confirm").click();
    await heading("Your recovery codes").waitFor();
    await judge("two-step-codes");
    const downloading = page.waitForEvent("download");
    await button("Download").click();
    const file = await (await downloading).createReadStream();
    const text = (await file.toArray()).join("");
    codes = await storeCodes();
    expect(codes).toHaveLength(10);
    expect(text).toBe(`${codes.join("\n")}\n`);
    await page.getByText("10 of 10 left").waitFor();
  });

  test("signing in asks for a code, and takes one of the app", async () => {
    await signOut();
    await judge("sign-in-with-passkey");
    await typePassword();
    await heading("Confirm it is you").waitFor();
    await judge("second-step");
    await field("Code").fill("12345");
    await button(/^Sign in$/).click();
    await page.getByRole("alert").waitFor();
    expect(await field("Code").inputValue()).toBe("");
    // That of the next 30 seconds, since the one of the setup may still be the current one.
    await field("Code").fill(totpCode(secret, totpStep(Date.now()) + 1));
    await page.keyboard.press("Enter");
    await heading("Overview").waitFor();
  });

  test("a sign-in that was not completed leads nowhere, and can be started again", async () => {
    await signOut();
    await typePassword();
    await heading("Confirm it is you").waitFor();
    await page.goto(`${server.dashboard}#/keys`);
    await page.reload();
    await heading("Sign in").waitFor();
    await typePassword();
    await heading("Confirm it is you").waitFor();
    await button("Start again").click();
    await heading("Sign in").waitFor();
    expect(await browserPage.context.cookies()).toEqual([]);
    await typePassword();
    await field("Code").fill((codes[0] ?? "").toUpperCase().replaceAll("-", " "));
    await page.keyboard.press("Enter");
    await heading("Keys").waitFor();
  });

  test("a passkey is added, renamed, and signs in by itself", async () => {
    await page.goto(`${server.dashboard}#/account`);
    await page.getByText("9 of 10 left").waitFor();
    await button("Add a passkey").click();
    expect(await field("Name").inputValue()).toBe("Headless Chrome on Linux");
    await judge("two-step-passkey");
    await button("Continue").click();
    await button("Rename Headless Chrome on Linux").click();
    await field("Name").fill("Laptop");
    await button("Rename passkey").click();
    await page.getByText("never used").waitFor();
    await judge("two-step-on");
    await button("Add a passkey").click();
    await button("Continue").click();
    await page.getByText("This device has a passkey for your account already.").waitFor();
    await page.keyboard.press("Escape");
    await signOut();
    await button("Use a passkey").click();
    await heading("Overview").waitFor();
    await page.goto(`${server.dashboard}#/account`);
    const row = page.getByRole("listitem").filter({ hasText: "Laptop" });
    await row.getByText("used just now").waitFor();
    const [credential] = (await devtools.send("WebAuthn.getCredentials", { authenticatorId }))
      .credentials;
    expect(credential).toMatchObject({ isResidentCredential: true, rpId: "localhost" });
  });

  test("a passkey whose PIN is not known does not sign in, and is the second step if it is", async () => {
    await signOut();
    await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await button("Use a passkey").click();
    await page.getByText("No passkey was used").waitFor();
    await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
    await typePassword();
    await heading("Confirm it is you").waitFor();
    await judge("second-step-passkey");
    await button("Use a passkey").click();
    await heading("Overview").waitFor();
  });

  test("factors are removed, and with the last of them the second step", async () => {
    await page.goto(`${server.dashboard}#/account`);
    for (const name of ["Remove Laptop", "Remove the authenticator app"]) {
      await button(name).click();
      await button(/^Remove$/)
        .last()
        .click();
      await button(name).waitFor({ state: "detached" });
    }
    await page.getByText("Your password alone signs you in.").waitFor();
    await signOut();
    await typePassword();
    await heading("Overview").waitFor();
  });

  test("after a while, factors are shown, and changed after signing in again", async () => {
    await page.route("**/internal/v1/second-factors", async (route) => {
      const response = await route.fetch();
      const json = { ...(await response.json()), changeableUntilMs: 1 };
      await route.fulfill({ response, json });
    });
    await page.goto(`${server.dashboard}#/account`);
    await page.getByText("To change this, sign in again").waitFor();
    expect(await button("Set up an app").count()).toBe(0);
    await judge("two-step-later");
    await button("Sign in again").click();
    await heading("Sign in").waitFor();
    await page.unroute("**/internal/v1/second-factors");
  });

  test("at an IP address there are no passkeys, and the page says so", async () => {
    await page.goto(server.dashboard.replace("localhost", "127.0.0.1"));
    await heading("Sign in").waitFor();
    expect(await button("Use a passkey").count()).toBe(0);
    await typePassword();
    await heading("Overview").waitFor();
    await page.goto(`${page.url().split("#")[0]}#/account`);
    await page.getByText("Not available at an IP address.").waitFor();
    expect(await button("Add a passkey").count()).toBe(0);
    expect(faultsOf(browserPage)).toEqual([]);
  });

  test("a disabled account is signed out of the open page", async () => {
    await page.goto(`${server.dashboard}#/`);
    await typePassword();
    await heading("Overview").waitFor();
    const holder = { kind: "operator" } as const;
    const { accounts } = server.service.stores;
    await accounts.setDisabled({ account: "operator", holder, atMs: Date.now() });
    await page.getByRole("link", { name: "Projects", exact: true }).click();
    await page.getByText("Your session has ended").waitFor();
    await typePassword();
    await page.getByText("This account is disabled.").waitFor();
  });
});

describeWithBrowser("where two-step sign-in is required", (browser) => {
  test("a first sign-in leads to its setup, and from there on", async () => {
    const strict = await startDashboardServer({
      variables: { PETSTORE_SECOND_FACTOR: "required" },
    });
    try {
      browserPage = await openPage(browser());
      ({ page } = browserPage);
      await page.goto(strict.firstLink);
      await page.getByLabel("Password").fill(operatorPassword);
      await button("Set password and sign in").click();
      await heading("Set up two-step sign-in").waitFor();
      await judge("two-step-required");
      await page.goto(`${strict.dashboard}#/keys`);
      await heading("Set up two-step sign-in").waitFor();
      await button("Set up an app").click();
      const shown = (await page.locator("dialog .secret code").textContent()) ?? "";
      const code = totpCode(shown.replaceAll(" ", ""), totpStep(Date.now()));
      await field("Code").fill(code);
      await button("Confirm").click();
      await storeCodes();
      await heading("Keys").waitFor();
      await page.goto(`${strict.dashboard}#/account`);
      await button("Remove the authenticator app").click();
      await button(/^Remove$/)
        .last()
        .click();
      await page.getByText("Two-step sign-in is required here.").waitFor();
      expect(faultsOf(browserPage)).toEqual([]);
      await browserPage.context.close();
    } finally {
      await strict.service.stop();
    }
  });
});
