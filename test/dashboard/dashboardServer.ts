/** A service with the dashboard, and browser pages on it. */
import { afterAll, beforeAll, describe } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { complaintsOf, launch, named, noBrowser } from "../docs/chromium.ts";
import { startTestService, type TestOptions, type TestService } from "../end-to-end/service.ts";
import { picturesWanted } from "./screens.ts";

export interface BrowserPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about: a policy that does not hold, a script that failed. */
  readonly complaints: string[];
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly touch?: boolean;
}

export const phone: PageOptions = { width: 360, height: 740, touch: true };

/** A browser, once for all tests of a file. */
export function describeWithBrowser(
  name: string,
  tests: (browser: () => Browser) => void,
  before?: () => Promise<void>,
): void {
  describe.skipIf(noBrowser)(named(name), () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
      await before?.();
    });
    afterAll(async () => {
      await browser?.close();
    });
    tests(() => browser);
  });
}

export async function openPage(browser: Browser, options: PageOptions = {}): Promise<BrowserPage> {
  const { width = 1200, height = 800, dark = false, touch = false } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    hasTouch: touch,
    // Twice as many points, so that a picture of it can be read. Each costs time to draw.
    deviceScaleFactor: picturesWanted ? 2 : 1,
  });
  const page = await context.newPage();
  return { page, context, complaints: complaintsOf(page) };
}

/** Without the refusals, which a browser notes too: a screen shows them where they belong. */
export const faultsOf = ({ complaints }: BrowserPage): string[] =>
  complaints.filter((each) => !/^Failed to load resource: .* status of 4\d\d/.test(each));

export interface DashboardServer {
  readonly service: TestService;
  readonly dashboard: string;
  /** The one-time link that the first start prints. */
  readonly firstLink: string;
}

export async function startDashboardServer(options: TestOptions = {}): Promise<DashboardServer> {
  return dashboardOn(await startTestService(options));
}

export function dashboardOn(service: TestService): DashboardServer {
  // By its name: browsers treat it as they treat an address over TLS, and as people type it.
  const origin = service.origin.replace("127.0.0.1", "localhost");
  const dashboard = `${origin}/dashboard/`;
  return { service, dashboard, firstLink: `${dashboard}#/welcome/${service.service.firstLink}` };
}

/** By the first link, with a password, so that others can sign in as well. */
export const operatorPassword = "correct horse battery staple";

export async function signInFirst(
  { firstLink }: DashboardServer,
  { page }: BrowserPage,
): Promise<void> {
  await page.goto(firstLink);
  await page.getByLabel("Password").fill(operatorPassword);
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}

export async function signIn(
  { dashboard }: DashboardServer,
  { page }: BrowserPage,
  name: string,
  password: string,
): Promise<void> {
  await page.goto(dashboard);
  await page.getByLabel("Username").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}
