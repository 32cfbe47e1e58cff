/** The dashboard's first link, from the start of a new service to the session. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProcess } from "../../testkit/serviceProcess.ts";

const folder = mkdtempSync(join(tmpdir(), "petstore-first-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const linkForm = /^ {2}(\S+\/dashboard\/)#\/welcome\/([\w-]{43})$/m;

test("the first start prints a link that works once; a second start says how to get one", async () => {
  const variables = { PETSTORE_DATA: folder };
  const first = await startProcess(variables);
  const { origin } = new URL(first.base);
  const [, dashboard, token = ""] = linkForm.exec(first.stdout()) ?? [];
  expect(dashboard).toBe(`${origin.replace("127.0.0.1", "localhost")}/dashboard/`);
  const send = (method: string, path: string, body?: unknown, cookie = "") =>
    fetch(`${origin}/internal/v1${path}`, {
      method,
      headers: { origin, cookie, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  const welcomed = await send("POST", "/welcome", { token, password: "lantern over the harbour" });
  expect(welcomed.status).toBe(200);
  const [cookie = ""] = (welcomed.headers.get("set-cookie") ?? "").split(";", 1);
  expect((await send("POST", "/welcome", { token })).status).toBe(410);
  // The rest of the API knows the session too.
  expect((await send("GET", "/projects", undefined, cookie)).status).toBe(200);
  expect((await send("GET", "/projects")).status).toBe(401);
  const signIn = (password: string) => send("POST", "/session", { name: "operator", password });
  expect((await signIn("not the harbour at all")).status).toBe(401);
  expect((await signIn("lantern over the harbour")).status).toBe(200);
  expect(await first.end("SIGTERM")).toBe(0);
  expect(first.stderr()).toContain('"code":"sign_in_refused","address":"127.0.0.1"');
  for (const secret of [token, cookie.split("=")[1] ?? "", "the harbour"]) {
    expect(secret.length).toBeGreaterThan(10);
    expect(first.stderr()).not.toContain(secret);
  }

  const second = await startProcess(variables);
  expect(second.stdout()).toContain("petstore owners invite --operator");
  expect(second.stdout()).not.toContain("/welcome/");
  const known = await fetch(`${new URL(second.base).origin}/internal/v1/session`, {
    headers: { cookie },
  });
  expect(await known.json()).toMatchObject({ actor: { kind: "operator", id: "operator" } });
  expect(await second.end("SIGTERM")).toBe(0);
});

test("a start whose stdout is a log creates and prints no key, and says how to create one", async () => {
  const variables = { PETSTORE_DATA: join(folder, "logged"), PETSTORE_FIRST_KEY: "off" };
  const started = await startProcess(variables);
  expect(started.stdout()).toContain("petstore keys create --name <name>");
  expect(started.stdout()).toContain("petstore owners invite --operator");
  expect(started.stdout()).not.toMatch(/pet_(?:live|test)_|\/welcome\//);
  const refused = await fetch(`${started.base}/pets`, {
    headers: { authorization: "Bearer pet_live_x" },
  });
  expect(refused.status).toBe(401);
  expect(await started.end("SIGTERM")).toBe(0);
  // Nothing was created in secret either: the next start may print.
  const printing = await startProcess({ ...variables, PETSTORE_FIRST_KEY: "on" });
  expect(printing.stdout()).toMatch(/pet_live_/);
  expect(await printing.end("SIGTERM")).toBe(0);
});
