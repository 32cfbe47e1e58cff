/** The site on a port of its own, with the policy it is meant to have, and a browser to read it. */
import { existsSync } from "node:fs";
import { type Browser, chromium, type LaunchOptions, type Page } from "playwright-core";
import { cacheControlOf, contentSecurityPolicy } from "../../src/docs/published.ts";
import { mediaTypeOf } from "../../src/hosting/sites/siteFile.ts";
import { hangMs } from "../../testkit/timeouts.ts";
import { build, fileAt } from "./built.ts";
import { packedChromium, reasonOf } from "./packedChromium.ts";

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The one that is asked for; or else the one that npm brings, the same for everybody; or else the machine's own. */
function choices(): (() => Promise<LaunchOptions>)[] {
  const at = (executablePath: string) => async () => ({ executablePath });
  if (process.env["CHROMIUM"]) return [at(process.env["CHROMIUM"])];
  const isPacked = process.platform === "linux" && process.arch === "x64";
  return [...(isPacked ? [packedChromium] : []), ...installed.filter(existsSync).map(at)];
}

/** A busy machine is no reason to skip, nor to fail: Playwright's own limits are shorter. */
async function start(options: LaunchOptions, more: readonly string[] = []): Promise<Browser> {
  const launched = () =>
    chromium.launch({
      ...options,
      timeout: hangMs,
      args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        ...more,
      ],
    });
  // Chromium itself was seen to end with a segmentation fault at its start.
  const browser = await launched().catch(launched);
  browser.on("context", (context) => context.setDefaultTimeout(hangMs));
  return browser;
}

type Found = { options: LaunchOptions; started?: Browser } | { reason: string };

async function findBrowser(): Promise<Found> {
  const reasons: string[] = [];
  for (const choice of choices()) {
    try {
      const options = await choice();
      return { options, started: await start(options) };
    } catch (cause) {
      reasons.push(reasonOf(cause));
    }
  }
  return { reason: reasons.join("; ") || "no Chromium here; install it or set CHROMIUM" };
}

/** Only a start shows whether all that it needs is here. */
const found = await findBrowser();

/** Where a missing browser is no excuse, the tests run and fail. */
export const noBrowser = "reason" in found && process.env["CI"] !== "true";
export const named = (name: string) =>
  noBrowser && "reason" in found ? `${name} (skipped: ${found.reason})` : name;

/** `args` of the command line, beside the usual ones. */
export async function launch(args: readonly string[] = []): Promise<Browser> {
  if ("reason" in found) throw new Error(`No browser starts: ${found.reason}`);
  if (args.length > 0) return start(found.options, args);
  const { started } = found;
  delete found.started;
  return started ?? start(found.options);
}

/** With `/v1` on another origin, as on a host of the site's own. */
export async function serveSite(baseUrl: string) {
  const files = await build({ baseUrl });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      const path = fileAt(pathname);
      const found = pathname.startsWith("/docs/") ? files.get(path) : undefined;
      const bytes = found ?? files.get("404.html") ?? new Uint8Array();
      return new Response(Buffer.from(bytes), {
        status: found === undefined ? 404 : 200,
        headers: {
          "content-type": mediaTypeOf(found === undefined ? "404.html" : path),
          "content-security-policy": contentSecurityPolicy(baseUrl),
          "cache-control": cacheControlOf(path),
        },
      });
    },
  });
  const stop = () => server.stop(true);
  return { files, docs: `http://127.0.0.1:${server.port}/docs/`, stop };
}

/** What the browser complains about: a refused script, a policy that does not hold, a fault. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (fault) => complaints.push(fault.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return complaints;
}

export const focused = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement?.outerHTML.slice(0, 200) ?? ''");
