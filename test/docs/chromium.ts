/** The site on a port of its own, with the policy it is meant to have, and a browser to read it. */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { cacheControlOf, contentSecurityPolicy, mediaTypeOf } from "../../src/docs/mediaTypes.ts";
import { build, fileAt } from "./built.ts";

const places = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const executablePath = places.find((place) => place !== undefined && existsSync(place));

/** Packed for such machines alone, by npm. */
const packed = process.platform === "linux" && process.arch === "x64";

/** Where a missing browser is no excuse, the tests run and fail. */
export const noBrowser = executablePath === undefined && !packed && process.env.CI !== "true";
export const named = (name: string) =>
  noBrowser ? `${name} (skipped: no Chromium here; install it or set CHROMIUM)` : name;

export async function launch(): Promise<Browser> {
  const { default: unpacked } = await import("@sparticuz/chromium");
  return chromium.launch({
    executablePath: executablePath ?? (await unpacked.executablePath()),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
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
