/** The real program with its documentation as a site, from the first start on. */
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { petstore, type Running, startProcess } from "../../testkit/serviceProcess.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newVariables() {
  const folder = mkdtempSync(join(tmpdir(), "petstore-docs-"));
  folders.push(folder);
  return {
    PETSTORE_DATA: folder,
    PETSTORE_BASE_URL: "https://api.example.com/v1",
    PETSTORE_DOCS_SITE: "on",
  };
}

/** Resolves with the event of the log that reports the deployment of the site. */
async function siteEvent({ child, stderr }: Running): Promise<{ kind: string }> {
  for (;;) {
    const line = stderr()
      .split("\n")
      // The last one may not have arrived completely.
      .slice(0, -1)
      .find((text) => text.includes('"event":"docs.sync'));
    if (line !== undefined) return JSON.parse(line);
    await new Promise((resolve) => child.stderr?.once("data", resolve));
  }
}

function pageAt(base: string, path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const headers = { host: `docs.localhost:${port}` };
    request({ hostname, port, path, headers, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    })
      .on("error", reject)
      .end();
  });
}

const deploymentsOf = async (variables: Record<string, string>) =>
  JSON.parse((await petstore(["sites", "deployments", "docs", "--json"], variables)).stdout);

test("the documentation is a site after the first start, with the API's whole address, and no new deployment after the second", async () => {
  const variables = newVariables();
  const first = await startProcess(variables);
  expect((await siteEvent(first)).kind).toBe("deployed");
  const page = await pageAt(first.base, "/reference/listPets/");
  expect(page.status).toBe(200);
  expect(page.text).toContain('data-base="https://api.example.com/v1"');
  expect(page.text).toContain('href="/guide/getting-started/"');
  expect(page.text).not.toContain('"/docs/');
  // What is shown at /docs stays on the API's own origin.
  const own = await (await fetch(new URL("/docs/reference/listPets/", first.base))).text();
  expect(own).toContain('data-base="/v1"');
  expect(await first.end("SIGTERM")).toBe(0);

  const second = await startProcess(variables);
  expect((await siteEvent(second)).kind).toBe("unchanged");
  await second.end("SIGTERM");
  expect(await deploymentsOf(variables)).toMatchObject([{ state: "ready", shown: true }]);
});

test("processes that start together make one deployment", async () => {
  const variables = newVariables();
  await petstore(["owners", "add", "acme"], variables);
  const running = await Promise.all([startProcess(variables), startProcess(variables)]);
  const kinds = (await Promise.all(running.map(siteEvent))).map(({ kind }) => kind);
  expect(kinds.sort()).toEqual(["deployed", "unchanged"]);
  for (const { base } of running) expect((await pageAt(base, "/")).status).toBe(200);
  await Promise.all(running.map(({ end }) => end("SIGTERM")));
  expect(await deploymentsOf(variables)).toMatchObject([{ state: "ready", shown: true }]);
});

test("a stop or a kill in the middle of it delays nobody, and the next start makes up for it", async () => {
  const variables = newVariables();
  for (const signal of ["SIGTERM", "SIGKILL", "SIGTERM"] as const) {
    const running = await startProcess(variables);
    expect(await running.end(signal)).toBe(signal === "SIGKILL" ? "SIGKILL" : 0);
    expect(running.stderr()).not.toContain("docs.sync_failed");
  }
  const last = await startProcess(variables);
  expect((await siteEvent(last)).kind).toBe("deployed");
  expect((await pageAt(last.base, "/")).status).toBe(200);
  await last.end("SIGTERM");
});

test("with the setting off, a start deploys nothing", async () => {
  const variables = { ...newVariables(), PETSTORE_DOCS_SITE: "off" };
  const running = await startProcess(variables);
  expect((await fetch(new URL("/docs/", running.base))).status).toBe(200);
  await running.end("SIGTERM");
  // Even a site that is stopped in the middle has its project by then.
  expect((await petstore(["sites", "list", "--json"], variables)).stdout).not.toContain("docs");
  expect(running.stderr()).not.toContain("docs.sync");
});
