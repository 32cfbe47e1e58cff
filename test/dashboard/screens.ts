/** Pictures for the documentation, taken only when they are asked for. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const folder = fileURLToPath(new URL("../../docs/images/", import.meta.url));
export const picturesWanted = process.env["PETSTORE_SCREENSHOTS"] === "1";

/** `docs/images/dashboard-<name>.png` */
export async function picture(page: Page, name: string): Promise<void> {
  if (!picturesWanted) return;
  mkdirSync(folder, { recursive: true });
  // A note at the edge would stand before what is to be seen.
  await page.locator(".toast").waitFor({ state: "detached" });
  await page.evaluate("document.fonts.ready");
  await page.screenshot({ path: join(folder, `dashboard-${name}.png`) });
}

const steps = Array.from({ length: 120 }, (_, index) => index);
const wave = (index: number, height: number, pace: number) =>
  Math.round(height * (1.4 + Math.sin(index / pace) + 0.12 * Math.sin(index * 1.7)));

/** An hour with something to see in it, for a picture: a test's service has lived for seconds. */
export async function withBusyHour(page: Page): Promise<void> {
  if (!picturesWanted) return;
  await page.route("**/internal/v1/overview", async (route) => {
    const response = await route.fetch();
    const overview = await response.json();
    const series = {
      ...overview.series,
      requests: steps.map((index) => wave(index, 900, 17)),
      errors: steps.map((index) => (index % 41 === 40 ? 2 : 0)),
      p50Ms: steps.map((index) => wave(index, 20, 23) / 100 + 0.2),
      p99Ms: steps.map((index) => wave(index, 90, 19) / 100 + 1),
      writes: steps.map((index) => wave(index, 160, 13)),
      commits: steps.map((index) => wave(index, 60, 13)),
    };
    await route.fulfill({ response, json: { ...overview, series } });
  });
}

/** In light and dark, and on a phone. */
export async function pictures(page: Page, name: string): Promise<void> {
  if (!picturesWanted) return;
  const before = page.viewportSize() ?? { width: 1200, height: 800 };
  await picture(page, `${name}-light`);
  await page.emulateMedia({ colorScheme: "dark" });
  await picture(page, `${name}-dark`);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 360, height: 740 });
  await picture(page, `${name}-phone`);
  await page.setViewportSize(before);
}
