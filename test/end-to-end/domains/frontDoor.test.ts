import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../../testkit/eventually.ts";
import { petstore, type Running, startProcess } from "../../../testkit/serviceProcess.ts";
import { updateKey } from "../../../testkit/testBed/knot.ts";
import { settingsFor } from "../../../testkit/testBed/settings.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { describeWithTestBed } from "../../../testkit/testBed/tools.ts";
import { certificateAt, handshakeFailure, visit, visitPlain } from "./visits.ts";

const production = "api.platform.test";
const staging = "api.staging.platform.test";
const sites = "sites.platform.test";

test("while other programs have its ports, both environments are served without it", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), "door-"));
  const running = await startProcess({
    PETSTORE_DATA: folder,
    PETSTORE_ENVIRONMENTS: "production,staging",
    PETSTORE_DOMAIN: `${production},${staging}`,
    PETSTORE_ACME_TERMS: "agreed",
    PETSTORE_ACME_DIRECTORY: "http://127.0.0.1:1/",
    PETSTORE_DNS_RECURSORS: "127.0.0.1:1",
    PETSTORE_EDGE_HOST: "127.0.0.1",
    PETSTORE_EDGE_HTTP_PORT: String(port),
    PETSTORE_EDGE_HTTPS_PORT: "0",
  });
  const bases = () => [...running.stdout().matchAll(/listens on (\S+)/g)].map(([, base]) => base);
  await eventually(() => bases().length === 2);
  for (const base of bases()) {
    expect((await fetch(new URL("/readyz", base))).status).toBe(200);
  }
  expect(running.stderr()).toContain(`Port ${port} is taken by another program.`);
  expect(running.stderr()).toContain("PETSTORE_EDGE_HTTP_PORT");
  expect(await running.end("SIGTERM")).toBe(0);
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

/** All that one command serves on one address. */
describeWithTestBed("one front door for both environments", () => {
  let testBed: TestBed;
  let folder: string;
  let variables: Record<string, string>;
  let running: Running;
  let ca: string;
  let deployment: string;
  const keys = new Map<string, string>();

  beforeAll(async () => {
    testBed = await startTestBed();
    await testBed.platform.set(
      "sites A 127.0.0.1\n*.sites A 127.0.0.1\napi A 127.0.0.1\napi.staging A 127.0.0.1",
    );
    ca = await testBed.caRoots();
    folder = mkdtempSync(join(tmpdir(), "door-"));
    const shared = {
      ...settingsFor(testBed),
      PETSTORE_DATA: join(folder, "data"),
      PETSTORE_EDGE_HOST: "127.0.0.1",
      PETSTORE_DNS_UPDATE: `${testBed.knotA.address}:${testBed.dnsPort}`,
      PETSTORE_DNS_UPDATE_KEY: `${updateKey.algorithm}:${updateKey.name}:${updateKey.secret}`,
    };
    variables = { ...shared, PETSTORE_SITES_HOST: sites, PETSTORE_DOMAIN: production };
    running = await startProcess({
      ...shared,
      PETSTORE_DOMAIN: `${production},${staging}`,
      PETSTORE_SITES_HOST: sites,
      PETSTORE_ENVIRONMENTS: "production,staging",
    });
    await eventually(() => {
      for (const [key, kind = ""] of running.stdout().matchAll(/Bearer (pet_(?:live|test)_\w+)/g)) {
        keys.set(kind.slice(0, 8), key.replace("Bearer ", ""));
      }
      return keys.size === 2;
    });
    for (const [project, host] of [
      ["acme", "docs.acme.test"],
      ["globex", "help.globex.test"],
    ] as const) {
      await testBed.zone(`${project}.test`, {
        records: `${host.split(".")[0]} CNAME ${testBed.target}.`,
      });
      await publish(project, host);
    }
  });
  afterAll(async () => {
    await running?.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
    await testBed?.stop();
  });

  const at = (host: string) => ({ port: testBed.httpsPort, host, ca });
  const served = (host: string) =>
    eventually(
      async () => (await handshakeFailure(at(host))) === undefined,
      () => `${host} has no certificate:\n${running.stderr().slice(-3_000)}`,
    );

  async function cli(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await petstore(args, variables);
    if (code !== 0) throw new Error(`petstore ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  async function publish(project: string, host: string): Promise<void> {
    const site = join(folder, project);
    mkdirSync(site);
    writeFileSync(join(site, "index.html"), `<!doctype html><title>${project}</title>`);
    await cli("owners", "add", project, "--plan", "paid");
    await cli("sites", "create", project, "--owner", project);
    deployment = JSON.parse(await cli("sites", "deploy", project, site, "--json")).deployment;
    const { records } = JSON.parse(await cli("domains", "add", project, host, "--json"));
    await testBed.point(host, records[0].value);
    await cli("domains", "verify", host);
  }

  test("each environment has its API, documentation and dashboard, with its own certificate", async () => {
    for (const host of [production, staging]) {
      await served(host);
      expect((await certificateAt(at(host))).subjectaltname).toBe(`DNS:${host}`);
      for (const path of ["/", "/docs/", "/dashboard/", "/v1/openapi.json", "/readyz"]) {
        expect([host, path, (await visit(at(host), path)).status]).toEqual([host, path, 200]);
      }
      const { headers } = await visitPlain(testBed.httpPort, host, "/v1/pets");
      expect(headers["location"]).toBe(`https://${host}:${testBed.httpsPort}/v1/pets`);
    }
  });

  test("each environment takes its own keys alone", async () => {
    for (const [host, prefix, status] of [
      [production, "pet_live", 200],
      [production, "pet_test", 401],
      [staging, "pet_test", 200],
      [staging, "pet_live", 401],
    ] as const) {
      const response = await fetch(`https://127.0.0.1:${testBed.httpsPort}/v1/pets`, {
        headers: { authorization: `Bearer ${keys.get(prefix)}`, host },
        tls: { ca, serverName: host },
      } as RequestInit);
      expect([host, prefix, response.status]).toEqual([host, prefix, status]);
    }
  });

  test("sites, a preview and custom domains are beside them", async () => {
    const preview = `${deployment.replace("_", "-")}.${sites}`;
    for (const [host, title] of [
      [`acme.${sites}`, "acme"],
      [`globex.${sites}`, "globex"],
      [preview, "globex"],
      ["docs.acme.test", "acme"],
      ["help.globex.test", "globex"],
    ] as const) {
      await served(host);
      const { status, body } = await visit(at(host));
      expect([host, status, body]).toEqual([host, 200, `<!doctype html><title>${title}</title>`]);
    }
  });

  test("the operator sees the names of the service among the domains", async () => {
    const listed: { host: string; project: string; status: string }[] = JSON.parse(
      await cli("domains", "list", "--json"),
    );
    for (const host of [production, `*.${sites}`]) {
      expect(listed.find((each) => each.host === host)).toMatchObject({
        project: "",
        status: "live",
      });
      expect(await cli("domains", "show", host)).toContain("(this service)");
    }
    await expect(cli("domains", "remove", production)).rejects.toThrow(
      `${production} is a name of the service itself.`,
    );
  });

  test("when staging is killed, production goes on, and staging comes back", async () => {
    process.kill(stagingPid(), "SIGKILL");
    let failures = 0;
    const exited = () => running.stderr().includes('"event":"environment.exited"');
    const back = () => running.stderr().split('"environment":"staging","port"').length > 2;
    await eventually(async () => {
      const { status } = await visit(at(production), "/readyz");
      if (status !== 200) failures += 1;
      return exited() && back();
    });
    expect(failures).toBe(0);
    await served(staging);
    expect((await visit(at(staging), "/readyz")).status).toBe(200);
  });

  /** The one of its two children that was started last. */
  function stagingPid(): number {
    const { pid } = running.child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    return Math.max(...children.map(Number));
  }
});
