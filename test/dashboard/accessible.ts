/** What axe has to say of a page that is not to be passed over. */
import axe, { type RunOptions } from "axe-core";
import type { Page } from "playwright-core";

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The rules about colours, which is all that another theme can break. */
const ofColours: RunOptions = {
  runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
};

/** Serious and critical ones, each with the element that it is about. */
export async function barriersOn(page: Page, options: RunOptions = {}): Promise<string[]> {
  await page.evaluate(axe.source);
  // What passes is counted by nobody, and takes most of the time to describe.
  const asked = JSON.stringify({ ...options, resultTypes: ["violations"] });
  const { violations } = (await page.evaluate(`axe.run(${asked})`)) as { violations: Violation[] };
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    );
}

export async function barriersInBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await barriersOn(page, ofColours);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await barriersOn(page);
  return [...dark.map((each) => `dark: ${each}`), ...light.map((each) => `light: ${each}`)];
}

/** How far the page reaches beyond its window, sideways. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
