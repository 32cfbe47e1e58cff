import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
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
import { pictures } from "./screens.ts";

let server: DashboardServer;
let browserPage: BrowserPage;
let page: Page;
let folder: string;
const slug = "acme-docs";

/** What visitors of the site see. The name is looked up by the browser; here it is said. */
async function shownSite(path = "/"): Promise<{ status: number; text: string }> {
  const port = server.service.service.port;
  const headers = { host: `${slug}.localhost:${port}` };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  return { status: response.status, text: await response.text() };
}

function write(files: Record<string, string>): string {
  const site = mkdtempSync(join(folder, "site-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(site, path, ".."), { recursive: true });
    writeFileSync(join(site, path), content);
  }
  return site;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "petstore-deploy-"));
  server = await startDashboardServer();
  const { sites } = server.service.stores;
  await sites.addOwner({ id: "acme", name: "Acme", plan: "paid" });
});
afterAll(async () => {
  await server.service.stop();
  rmSync(folder, { recursive: true, force: true });
});

describeWithBrowser("deploying a folder", (browser) => {
  beforeAll(async () => {
    browserPage = await openPage(browser());
    ({ page } = browserPage);
    await signInFirst(server, browserPage);
  });

  const choose = (site: string) => page.getByLabel("Choose a folder").setInputFiles(site);
  const rows = () => page.locator(".rows > .row");

  test("a project is made for an owner, and shows nothing yet", async () => {
    await page.getByRole("link", { name: "Projects", exact: true }).click();
    await page.getByRole("button", { name: "Create project" }).click();
    const dialog = page.getByRole("dialog", { name: "Create project" });
    await dialog.getByLabel("Name in URLs").fill("Not A Slug");
    await dialog.getByRole("button", { name: "Create project" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Name in URLs").fill(slug);
    await dialog.getByRole("button", { name: "Create project" }).click();
    await page.getByRole("heading", { level: 1, name: slug }).waitFor();
    await page.getByText("Not published").waitFor();
  });

  test("a folder that is chosen is shown when all of it has arrived", async () => {
    const site = write({
      "index.html": "<!doctype html><title>One</title>",
      "guide/keys.html": "<!doctype html><title>Keys</title>",
      ".env": "SECRET=1",
      ".git/config": "[core]",
    });
    await choose(site);
    await page.getByText("Current").waitFor();
    await page.getByText("2 hidden files left out").waitFor();
    expect((await shownSite()).text).toContain("<title>One</title>");
    expect((await shownSite("/guide/keys.html")).text).toContain("<title>Keys</title>");
    expect((await shownSite("/.env")).status).toBe(404);
    expect(await rows().count()).toBe(1);
    const address = `http://${slug}.localhost:${server.service.service.port}/`;
    expect(await page.getByRole("link", { name: address }).getAttribute("href")).toBe(address);
  });

  test("only what is new is sent", async () => {
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "PUT") sent.push(request.url());
    });
    await choose(
      write({
        "index.html": "<!doctype html><title>Two</title>",
        "guide/keys.html": "<!doctype html><title>Keys</title>",
      }),
    );
    await rows().nth(1).waitFor();
    expect(sent.length).toBe(1);
    expect((await shownSite()).text).toContain("<title>Two</title>");
  });

  test("a folder that is dropped is deployed too, with its folders", async () => {
    await page.evaluate(`(() => {
      const transfer = new DataTransfer();
      const file = (name, text) => new File([text], name, { type: "text/html" });
      const entries = {
        isFile: false, name: "site",
        createReader: () => {
          let given = false;
          return { readEntries: (done) => {
            const all = given ? [] : [
              { isFile: true, name: "index.html", file: (done) => done(file("index.html", "<title>Dropped</title>")) },
              { isFile: false, name: "sub", createReader: () => {
                let more = false;
                return { readEntries: (done) => {
                  const some = more ? [] : [{ isFile: true, name: "page.html", file: (done) => done(file("page.html", "<title>Sub</title>")) }];
                  more = true;
                  done(some);
                } };
              } },
            ];
            given = true;
            done(all);
          } };
        },
      };
      transfer.items.add(file("site", ""));
      DataTransferItem.prototype.webkitGetAsEntry = () => entries;
      const drop = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer });
      document.querySelector(".drop").dispatchEvent(drop);
    })()`);
    await rows().nth(2).waitFor();
    expect((await shownSite()).text).toContain("<title>Dropped</title>");
    expect((await shownSite("/sub/page.html")).text).toContain("<title>Sub</title>");
  });

  test("a folder without a first page is asked about before it is shown", async () => {
    await choose(write({ "dist/index.html": "x", "readme.txt": "y" }));
    await page.getByText("There is no index.html").waitFor();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Choose another folder" }).click();
    expect(await rows().count()).toBe(3);
  });

  test("an earlier deployment is shown again after one question", async () => {
    await rows()
      .nth(2)
      .getByRole("button", { name: /^Roll back/ })
      .click();
    const dialog = page.getByRole("dialog", { name: "Roll back?" });
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await rows().nth(2).getByText("Current").waitFor();
    expect((await shownSite()).text).toContain("<title>One</title>");
    await pictures(page, "project");
    expect(await barriersInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1200, height: 800 });
  });

  test("a deployment that is newer than what is shown is published, not rolled back to", async () => {
    await rows()
      .nth(1)
      .getByRole("button", { name: /^Publish/ })
      .click();
    await page
      .getByRole("dialog", { name: "Publish?" })
      .getByRole("button", { name: "Publish" })
      .click();
    await rows().nth(1).getByText("Current").waitFor();
    expect((await shownSite()).text).not.toMatch(/<title>(?:One|Dropped)<\/title>/);
    await rows()
      .nth(2)
      .getByRole("button", { name: /^Roll back/ })
      .click();
    await page
      .getByRole("dialog", { name: "Roll back?" })
      .getByRole("button", { name: "Roll back" })
      .click();
    await rows().nth(2).getByText("Current").waitFor();
  });

  test("an upload that breaks off leaves what is shown, and says so", async () => {
    await page.route("**/contents/*", (route) => route.abort());
    await choose(write({ "index.html": "<!doctype html><title>Never</title>" }));
    await page.getByRole("region", { name: "Deploy a folder" }).getByRole("alert").waitFor();
    expect((await shownSite()).text).toContain("<title>One</title>");
    await page.unroute("**/contents/*");
    await page.getByText("Failed", { exact: true }).first().waitFor();
  });

  test("a folder with an invalid rule is not shown, and the line is named", async () => {
    const region = page.getByRole("region", { name: "Deploy a folder" });
    await choose(write({ "index.html": "<title>Never</title>", _redirects: "/a /b\n/c /d 999" }));
    await region.getByText("_redirects, line 2: ").waitFor();
    await page.getByText("Failed", { exact: true }).nth(1).waitFor();
    expect((await shownSite()).text).toContain("<title>One</title>");
    expect((await shownSite("/a")).status).toBe(404);
  });

  test("one that is stopped while it begins is not shown, though nothing of it was to be sent", async () => {
    const { promise: stopped, resolve: letGo } = Promise.withResolvers<void>();
    await page.route("**/deployments", async (route) => {
      await stopped;
      await route.continue();
    });
    await choose(write({ "index.html": "<!doctype html><title>One</title>" }));
    await page.getByRole("button", { name: "Cancel" }).click();
    letGo();
    await page.getByText("Cancelled.").waitFor();
    expect((await shownSite("/guide/keys.html")).text).toContain("<title>Keys</title>");
    await page.unroute("**/deployments");
  });

  test("an unpublished project is shown nowhere", async () => {
    await page.getByRole("button", { name: "Unpublish project…" }).click();
    const dialog = page.getByRole("dialog", { name: `Unpublish ${slug}?` });
    await dialog.getByRole("button", { name: "Unpublish" }).click();
    await page.getByText("Not published").waitFor();
    expect((await shownSite()).status).toBe(404);
    expect(faultsOf(browserPage).filter((each) => !each.includes("net::ERR_FAILED"))).toEqual([]);
  });
});
