/** `npm run rehearse`, taken from its first line to HTTPS. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Rehearsal } from "../../../scripts/rehearsal/rehearsal.ts";
import type { RehearsalView, Visit } from "../../../scripts/rehearsal/view.ts";
import { petstore } from "../../../testkit/serviceProcess.ts";

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

  test("the command line goes the same way, with the zone over HTTP", async () => {
    const { host, project } = rehearsal;
    expect((await command("domains", "add", project, host)).code).toBe(0);
    const blocked = await command("domains", "verify", host, "--wait");
    expect(blocked.code).toBe(1);
    expect(blocked.stdout + blocked.stderr).toContain("CONFLICTING_A");
    const { body: view } = (await ask("GET", "")) as { body: RehearsalView };
    const old = view.records.find(({ name, type }) => name === host && type === "A");
    expect((await ask("DELETE", `/records/${old?.id}`)).status).toBe(204);
    const shown = JSON.parse((await command("domains", "show", host, "--json")).stdout);
    const { type, value } = shown.records[0];
    expect((await ask("POST", "/records", { name: host, type, value })).status).toBe(201);
    expect((await command("domains", "verify", host, "--wait")).code).toBe(0);
    const { body: visit } = (await ask("POST", "/visit", { host })) as { body: Visit };
    expect(visit).toMatchObject({ response: { status: 200, title: "Acme docs" } });
  });

  test("a visit says how far it came", async () => {
    const visit = async (host: string) => (await ask("POST", "/visit", { host })).body as Visit;
    expect(await visit("acme.test")).toMatchObject({
      records: ["acme.test A 192.0.2.10"],
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

  test("Ctrl-C ends it, and nothing is left", async () => {
    const folder = dirname(rehearsal.rootFile);
    expect(readFileSync(rehearsal.rootFile, "utf8")).toContain("BEGIN CERTIFICATE");
    expect(await rehearsal.end("SIGINT")).toBe(0);
    expect(existsSync(folder)).toBe(false);
  });
});
