/** How the dashboard is served, to any program that asks. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestService, type TestService } from "../end-to-end/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${service.origin}${path}`, { redirect: "manual", ...init });

test("the path without a slash leads to the one with it", async () => {
  const { status, headers } = await ask("/dashboard");
  expect([status, headers.get("location")]).toEqual([308, "/dashboard/"]);
});

test("the page has a policy that allows nothing but its own files", async () => {
  const { status, headers } = await ask("/dashboard/");
  expect(status).toBe(200);
  expect(headers.get("content-type")).toStartWith("text/html");
  expect(headers.get("content-security-policy")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  expect(headers.get("cache-control")).toBe("no-cache");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
});

test("what the page loads comes compressed, and is kept for good", async () => {
  const page = await (await ask("/dashboard/")).text();
  const loaded = [...page.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)];
  expect(loaded.length).toBe(5);
  for (const [, path = ""] of loaded) {
    const { status, headers } = await ask(path, { headers: { "accept-encoding": "gzip" } });
    expect([path, status]).toEqual([path, 200]);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    if (/\.(js|css)$/.test(path) && !path.includes("early")) {
      expect([path, headers.get("content-encoding")]).toEqual([path, "gzip"]);
    }
  }
});

test("nothing else is there, and nothing is taken", async () => {
  expect((await ask("/dashboard/assets/none.js")).status).toBe(404);
  expect((await ask("/dashboard/../secret")).status).toBe(404);
  expect((await ask("/dashboard/", { method: "POST" })).status).toBe(405);
});
