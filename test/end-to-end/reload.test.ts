/** New processes take the place of others while clients go on asking. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { hashOf } from "../../src/hosting/sites/deployment.ts";
import { eventually } from "../../testkit/eventually.ts";
import { freePort } from "../../testkit/freePorts.ts";
import { rounds } from "../../testkit/rounds.ts";
import { petstore, type Running, startProcess } from "../../testkit/serviceProcess.ts";
import { createAuthority } from "../edge/certificates.ts";
import {
  addTo,
  certificateNamed,
  changeIn,
  dayMs,
  domainFor,
  holding,
} from "../store/domainSamples.ts";
import { describeOnEngines, sqlite, type TestDatabase } from "./engines.ts";
import { startLoad } from "./keptAlive.ts";

const clients = 64;
const reloads = rounds(2, 20);

let database: TestDatabase;
let running: Running | undefined;
let variables: Record<string, string>;

afterEach(async () => {
  // Its processes end with it.
  await running?.end("SIGKILL");
  running = undefined;
  await database.remove();
});

async function start(settings: Record<string, string>): Promise<Running> {
  variables = { ...database.variables, PETSTORE_LOG: "info", ...settings };
  running = await startProcess(variables);
  return running;
}

const portOf = ({ base }: Running) => new URL(base).port;

/** As somebody beside the service runs it. */
const reload = (service: Running, settings: Record<string, string> = {}, ...args: string[]) =>
  petstore(["reload", "--json", ...args], { ...variables, PORT: portOf(service), ...settings });

async function newKey(): Promise<string> {
  const { stdout } = await petstore(["keys", "create", "--name", "load", "--json"], variables);
  return (JSON.parse(stdout) as { key: string }).key;
}

/** Every other request creates a pet. */
function petRequests(key: string) {
  let count = 0;
  return () => {
    const head = `HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n`;
    if (count++ % 2 === 0) return `GET /v1/pets?limit=3 ${head}\r\n`;
    const body = '{"name":"Bella","categoryId":1}';
    return `POST /v1/pets ${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
}

const open = (port: number | string) => async () =>
  new Promise<ReturnType<typeof connect>>((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });

describeOnEngines("a reload", (engine) => {
  beforeEach(async () => {
    database = await engine.newDatabase();
  });

  for (const processes of engine.first ? ["1", "2"] : ["2"]) {
    test(`of ${processes}, ${reloads} times under ${clients} kept connections: every request is answered`, async () => {
      const service = await start({ PETSTORE_PROCESSES: processes, PETSTORE_LOG: "error" });
      const created = new Set<string>();
      const load = startLoad(
        clients,
        open(portOf(service)),
        petRequests(await newKey()),
        ({ status, body }) => {
          if (status === 201) created.add(String(JSON.parse(body).id));
          return status === 200 || status === 201;
        },
      );
      for (let round = 0; round < reloads; round++) {
        const { code, stderr } = await reload(service);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        await load.answers(clients);
      }
      await load.stop();
      // Each was told to connect anew, and nobody was thrown out in between.
      expect(load.seen.connections).toBeGreaterThan(clients);
      const rows = await database.query("SELECT count(*) AS count FROM pets");
      expect(Number(rows[0]?.["count"])).toBe(created.size);
      expect(service.stderr()).toBe("");
      expect(await service.end("SIGTERM")).toBe(0);
    });
  }
});

describe("a reload", () => {
  beforeEach(async () => {
    database = await sqlite.newDatabase();
  });

  async function policyOf(service: Running, key: string): Promise<string | null> {
    const headers = { authorization: `Bearer ${key}`, connection: "close" };
    return (await fetch(`${service.base}/pets`, { headers })).headers.get("ratelimit-policy");
  }

  test("keeps the settings, by the command and by SIGHUP, and the process that was started", async () => {
    const service = await start({ PETSTORE_RATE_LIMIT: "100/60" });
    const key = await newKey();
    expect(await policyOf(service, key)).toContain("q=100;");
    expect((await reload(service, { PETSTORE_RATE_LIMIT: "200/60" })).code).toBe(0);
    service.child.kill("SIGHUP");
    await eventually(() => service.stderr().split("reload.finished").length === 3);
    expect(await policyOf(service, key)).toContain("q=100;");
    expect(await service.end("SIGTERM")).toBe(0);
    expect(service.stderr()).not.toContain('"level":"error"');
  });

  test("takes those of the command if asked to, and not those that say where it listens", async () => {
    const port = String(await freePort());
    const service = await start({ PORT: port, PETSTORE_METRICS_PORT: "off" });
    const key = await newKey();
    const asked = { PETSTORE_METRICS_PORT: "off", PETSTORE_RATE_LIMIT: "200/60" };
    const two = await reload(service, { ...asked, PETSTORE_PROCESSES: "2" }, "--settings");
    expect({ ...two, stdout: JSON.parse(two.stdout) }).toEqual({
      code: 0,
      stdout: { reloaded: true, processes: 2 },
      stderr: "",
    });
    expect(await policyOf(service, key)).toContain("q=200;");
    const refused = await reload(service, { ...asked, HOST: "0.0.0.0" }, "--settings");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("can only be changed by a restart: HOST.");
    expect(await policyOf(service, key)).toContain("q=200;");
  });

  test("whose processes do not start leaves the others serving, and says why", async () => {
    const port = String(await freePort());
    const domains = {
      PORT: port,
      PETSTORE_METRICS_PORT: "off",
      PETSTORE_PROCESSES: "2",
      PETSTORE_SITES_HOST: "sites.example.com",
      PETSTORE_ACME_TERMS: "agreed",
      PETSTORE_ROLES: "worker",
    };
    const service = await start(domains);
    const key = await newKey();
    const trust = { PETSTORE_ACME_TRUST: "/nowhere/root.pem" };
    const failed = await reload(service, { ...domains, ...trust }, "--settings");
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("/nowhere/root.pem, which cannot be read");
    expect(await policyOf(service, key)).toBeNull();
    // The next one is not burdened by it.
    expect((await reload(service, domains, "--settings")).code).toBe(0);
    expect(await service.end("SIGTERM")).toBe(0);
  });

  test("finds no service where there is none", async () => {
    const { code, stderr } = await petstore(["reload"], database.variables);
    expect(code).toBe(1);
    expect(stderr).toContain("No service answers at");
  });
});

describe("a reload of the edge", () => {
  const host = "docs.example.com";
  const authority = createAuthority();
  const page = "<!doctype html><title>Docs</title>";
  const secret = "what seals the keys of the certificates in this test";

  beforeEach(async () => {
    database = await sqlite.newDatabase();
    const stores = await database.open();
    const nowMs = Date.now();
    await stores.sites.addOwner({ id: "shop", name: "Shop", plan: "paid" });
    await stores.sites.addProject({ slug: "shop", ownerId: "shop", nowMs });
    await stores.sites.beginDeployment({ id: "dep_1", project: "shop", nowMs });
    await stores.sites.buildDeployment("dep_1", nowMs);
    const data = Buffer.from(page);
    const part = { encoding: "identity", index: 0, last: true, data } as const;
    const file = { path: "index.html", hash: hashOf(data), bytes: data.byteLength, part };
    await stores.sites.addFiles("dep_1", [file], nowMs);
    await stores.sites.finishDeployment("dep_1", { fingerprint: "1", unless: "shown", nowMs });
    const issued = authority.issue(host, "cert_1", new Vault(secret, systemClock));
    const certificate = certificateNamed("cert_1", host, {
      ...issued,
      notBeforeMs: nowMs - dayMs,
      notAfterMs: nowMs + dayMs,
    });
    const domain = domainFor(host, "shop");
    await addTo(stores, domain, nowMs + dayMs);
    await changeIn(stores, holding(domain, certificate), { certificate, dueAtMs: nowMs + dayMs });
    await stores.close();
  });

  test(`${reloads} times under ${clients} kept connections: every request is answered`, async () => {
    const service = await start({
      PETSTORE_PROCESSES: "2",
      PETSTORE_SECRET: secret,
      PETSTORE_SITES_HOST: "sites.example.com",
      PETSTORE_ACME_TERMS: "agreed",
      PETSTORE_ROLES: "edge",
      PETSTORE_EDGE_HTTP_PORT: "0",
      PETSTORE_EDGE_HTTPS_PORT: "0",
    });
    await eventually(() => service.stderr().includes("edge.started"));
    const ports = /"httpPort":(\d+),"httpsPort":(\d+)/.exec(service.stderr()) ?? [];
    const secured = () =>
      new Promise<ReturnType<typeof connectTls>>((resolve, reject) => {
        const socket = connectTls(
          {
            host: "127.0.0.1",
            port: Number(ports[2]),
            servername: host,
            ca: authority.certificatePem,
          },
          () => resolve(socket),
        );
        socket.once("error", reject);
      });
    const question = () => `GET / HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
    const loads = [
      startLoad(clients / 2, secured, question, ({ body }) => body === page),
      startLoad(clients / 2, open(ports[1] ?? 0), question, ({ status }) => status === 301),
    ];
    for (let round = 0; round < reloads; round++) {
      expect((await reload(service)).code).toBe(0);
      for (const load of loads) await load.answers(clients);
    }
    for (const load of loads) await load.stop();
    for (const { seen } of loads) expect(seen.connections).toBeGreaterThan(clients / 2);
    expect(await service.end("SIGTERM")).toBe(0);
  });
});
