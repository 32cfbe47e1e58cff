/** `npm run rehearse`, taken from its first line to HTTPS: in a browser, and without one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Locator, Page } from "playwright-core";
import type { Rehearsal } from "../../../scripts/rehearsal/rehearsal.ts";
import type { RehearsalView, Visit } from "../../../scripts/rehearsal/view.ts";
import { petstore } from "../../../testkit/serviceProcess.ts";
import { typeCheck } from "../../../testkit/typeCheck.ts";
import { barriersInBothThemes, overflowOf } from "../../dashboard/accessible.ts";
import { type BrowserPage, faultsOf, openPage, phone } from "../../dashboard/dashboardServer.ts";
import { picture } from "../../dashboard/screens.ts";
import { launch, named, noBrowser } from "../../docs/chromium.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const script = `${root}scripts/rehearse.ts`;

type Started = Omit<Rehearsal, "stop"> & { end(signal: NodeJS.Signals): Promise<number> };

/** As npm starts it. */
async function startProcess(): Promise<Started> {
  const child = spawn(process.execPath, [script, "--json", "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const exited = once(child, "exit");
  let text = "";
  while (!text.includes("\n")) {
    const [chunk] = await Promise.race([once(child.stdout, "data"), exited]);
    if (child.exitCode !== null) throw new Error(`The rehearsal ended with ${child.exitCode}.`);
    text += chunk;
  }
  return {
    ...JSON.parse(text),
    async end(signal) {
      child.kill(signal);
      const [code] = await exited;
      process.off("exit", kill);
      return code;
    },
  };
}

describe.skipIf(noBrowser)(named("a rehearsal in a browser"), () => {
  let rehearsal: Started;
  let browser: Browser;
  let browserPage: BrowserPage;
  let page: Page;

  beforeAll(async () => {
    rehearsal = await startProcess();
    browser = await launch();
    browserPage = await openPage(browser);
    ({ page } = browserPage);
  });
  afterAll(async () => {
    await browser?.close();
    await rehearsal?.end("SIGTERM");
  });

  const steps = () => page.getByRole("list", { name: "Steps" }).getByRole("listitem");
  const current = () => page.locator("[aria-current=step]");
  const card = (): Locator => page.locator(".domain").filter({ hasText: rehearsal.host });
  const open = async (name: string) => {
    const navigation = page.getByRole("navigation", { name: "Dashboard" });
    await navigation.getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  };
  const addRecord = async (type: string, name: string, value: string) => {
    await page.getByRole("button", { name: "Add record" }).click();
    const dialog = page.getByRole("dialog", { name: "Add record" });
    await dialog.getByLabel("Type").selectOption(type);
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Value").fill(value);
    await dialog.getByRole("button", { name: "Add record" }).click();
    return dialog;
  };

  test("the link signs in, shows the steps, and does not stay in the address", async () => {
    await page.goto(rehearsal.link);
    await page.getByRole("heading", { level: 1, name: "Rehearsal" }).waitFor();
    expect(page.url()).not.toContain(rehearsal.account.password);
    await steps().first().waitFor();
    expect(await steps().count()).toBe(5);
    expect(await current().innerText()).toContain(rehearsal.host);
    expect(await barriersInBothThemes(page)).toEqual([]);
  });

  test("the domain that is added meets the old record", async () => {
    await current().getByRole("link", { name: "Domains" }).click();
    await page.getByRole("button", { name: "Add domain" }).click();
    const dialog = page.getByRole("dialog", { name: "Add domain" });
    await dialog.getByLabel("Domain").fill(rehearsal.host);
    await dialog.getByRole("button", { name: "Add domain" }).click();
    await card()
      .getByRole("button", { name: /verify/i })
      .click();
    const finding = card().locator(".finding").first();
    await finding.waitFor();
    expect(await finding.innerText()).toContain("A 192.0.2.7");
  });

  test("the zone refuses a CNAME beside it, and has it once the old record is deleted", async () => {
    await open("Rehearsal");
    await page.locator("[aria-current=step]").getByText("delete that A record").waitFor();
    await page.mouse.move(0, 0);
    await picture(page, "rehearsal");
    const refused = await addRecord("CNAME", "docs", "sites.platform.test");
    await refused.getByRole("alert").getByText("A 192.0.2.7").waitFor();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: `Delete A ${rehearsal.host}` }).click();
    const value = await current().locator(".wanted code").last().innerText();
    expect(value).toEndWith("sites.platform.test");
    const dialog = await addRecord("CNAME", "docs", value);
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: `Delete CNAME ${rehearsal.host}` }).waitFor();
  });

  test("the domain is live soon after, and is visited over HTTPS", async () => {
    await current().getByRole("link", { name: "Domains" }).click();
    const verify = card().getByRole("button", { name: /verify/i });
    await verify.click();
    // A second click within ten seconds has to wait.
    const live = card().locator(".badge").getByText("Live", { exact: true });
    const tooSoon = card().getByRole("status");
    await live.or(tooSoon).first().waitFor();
    if (await tooSoon.isVisible()) {
      await tooSoon.waitFor({ state: "detached" });
      await verify.click();
    }
    await live.waitFor();
    await open("Rehearsal");
    await current().getByText("Visit docs.acme.test over HTTPS").waitFor();
    await page.getByRole("button", { name: "Visit" }).click();
    await page.getByText("Status 200").waitFor();
    const outcome = await page.locator(".outcome").innerText();
    expect(outcome).toContain("sites.platform.test A 127.0.0.1");
    expect(outcome).toMatch(/by Pet Store rehearsal root, valid until/);
    expect(outcome).toContain("Acme docs");
    expect(await current().count()).toBe(0);
    await page.getByText("From an old record to HTTPS").waitFor();
    expect(await barriersInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: phone.width ?? 0, height: phone.height ?? 0 });
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(faultsOf(browserPage)).toEqual([]);
  });

  test("the command that it prints opens the site in a browser", async () => {
    const { chromium } = rehearsal.commands;
    const flags = chromium.match(/--(?:host|ignore)[a-z-]+=(?:"[^"]*"|\S+)/g) ?? [];
    expect(flags).toHaveLength(2);
    const other = await launch(flags.map((flag) => flag.replaceAll('"', "")));
    const visited = await other.newPage();
    await visited.goto(/https:\S+$/.exec(chromium)?.[0] ?? "");
    expect(await visited.title()).toBe("Acme docs");
    await other.close();
  });
});

describe("a rehearsal without a browser", () => {
  let rehearsal: Started;
  beforeAll(async () => {
    rehearsal = await startProcess();
  });
  afterAll(() => rehearsal?.end("SIGKILL"));

  async function ask(method: string, path: string, body?: object, token = rehearsal.token) {
    const response = await fetch(rehearsal.zone.api + path, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }
  const command = (...args: string[]) =>
    petstore(args, { PETSTORE_TO: rehearsal.origin, PETSTORE_TOKEN: rehearsal.token });

  /** Deletes what is at the name, creates what its domain shows, and waits until it is live. */
  async function setUp(host: string): Promise<void> {
    const { body: view } = (await ask("GET", "")) as { body: RehearsalView };
    const old = view.records.find(({ name, type }) => name === host && type === "A");
    expect((await ask("DELETE", `/records/${old?.id}`)).status).toBe(204);
    const { records } = JSON.parse((await command("domains", "show", host, "--json")).stdout);
    for (const { type, fullName: name, value } of records) {
      expect((await ask("POST", "/records", { name, type, value })).status).toBe(201);
    }
    expect((await command("domains", "verify", host, "--wait")).code).toBe(0);
    const { body: visit } = (await ask("POST", "/visit", { host })) as { body: Visit };
    expect(visit).toMatchObject({ response: { status: 200, title: "Acme docs" } });
  }

  test("the command line goes the same way, with the zone over HTTP", async () => {
    const { host, project } = rehearsal;
    expect((await command("domains", "add", project, host)).code).toBe(0);
    const blocked = await command("domains", "verify", host, "--wait");
    expect(blocked.code).toBe(1);
    expect(blocked.stdout + blocked.stderr).toContain("CONFLICTING_A");
    await setUp(host);
  });

  test("an apex is live by the records that it asks for", async () => {
    const { zone, project } = rehearsal;
    expect((await command("domains", "add", project, zone.name)).code).toBe(0);
    await setUp(zone.name);
  });

  test("a visit says how far it came", async () => {
    const visit = async (host: string) => (await ask("POST", "/visit", { host })).body as Visit;
    await ask("POST", "/records", { name: "old", type: "A", value: "192.0.2.10" });
    expect(await visit("old.acme.test")).toMatchObject({
      records: ["old.acme.test A 192.0.2.10"],
      failure: expect.stringContaining("not this machine"),
    });
    expect((await visit("nobody.acme.test")).failure).toContain("no address");
    await ask("POST", "/records", { name: "new", type: "A", value: "127.0.0.1" });
    expect((await visit("new.acme.test")).failure).toContain("No valid certificate");
  });

  test("only who is signed in edits the zone, and only with what is a record", async () => {
    expect((await ask("GET", "", undefined, "nobody")).status).toBe(401);
    expect((await ask("POST", "/records", { name: "x" }, "nobody")).status).toBe(401);
    const before = (await ask("GET", "")).body;
    for (const body of [
      {},
      { name: "x", type: "A", value: 7 },
      { name: "x", type: "A", value: "y" },
    ]) {
      expect(await ask("POST", "/records", body)).toMatchObject({
        status: 400,
        body: { code: "record_invalid" },
      });
    }
    expect((await ask("DELETE", "/records/1")).status).toBe(400);
    expect((await ask("PUT", "/records")).status).toBe(404);
    const elsewhere = await fetch(`${rehearsal.zone.api}/records`, {
      method: "POST",
      headers: { authorization: `Bearer ${rehearsal.token}`, origin: "https://acme.example" },
      body: JSON.stringify({ name: "x", type: "A", value: "192.0.2.1" }),
    });
    expect(elsewhere.status).toBe(403);
    expect((await ask("GET", "")).body).toEqual(before);
  });

  test("a wrong start says what to do", async () => {
    const run = async (...args: string[]) => {
      const child = spawn(process.execPath, [script, ...args]);
      let said = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          said += chunk;
        });
      }
      const [code] = await once(child, "close");
      return { code, said };
    };
    const { port } = new URL(rehearsal.origin);
    expect(await run("--port", port)).toEqual({
      code: 1,
      said: `Port ${port} is in use. Choose another, or 0 for any that is free.\n`,
    });
    for (const args of [["--port", "x"], ["--port", "70000"], ["--prot", "1"], ["more"]]) {
      const { code, said } = await run(...args);
      expect({ args, code, usage: said.includes("Usage: npm run rehearse") }).toEqual({
        args,
        code: 2,
        usage: true,
      });
    }
    expect(await run("--help")).toMatchObject({ code: 0, said: expect.stringMatching(/^Usage: /) });
  });

  test("Ctrl-C ends it, and nothing is left", async () => {
    const folder = dirname(rehearsal.rootFile);
    expect(readFileSync(rehearsal.rootFile, "utf8")).toContain("BEGIN CERTIFICATE");
    expect(await rehearsal.end("SIGINT")).toBe(0);
    expect(existsSync(folder)).toBe(false);
  });
});

test("the screen compiles with the types of the web alone", () => {
  const folder = `${root}scripts/rehearsal/browser/`;
  const { files, errors } = typeCheck(folder);
  expect(errors).toEqual([]);
  expect(files).toContain(`${folder}rehearsal.tsx`);
});
