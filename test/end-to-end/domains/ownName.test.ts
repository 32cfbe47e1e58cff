import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mintAccess } from "../../../src/accounts/access.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { createFirstSecrets } from "../../../src/serve/serve.ts";
import { eventually } from "../../../testkit/eventually.ts";
import { petstore } from "../../../testkit/serviceProcess.ts";
import { settingsFor } from "../../../testkit/testBed/settings.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { describeWithTestBed } from "../../../testkit/testBed/tools.ts";
import { tunnelTo } from "../../cli/remote/proxies.ts";
import { startTestService, type TestService, testConfig } from "../service.ts";
import { type DomainsFixture, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";
import {
  askHttp2,
  certificateAt,
  handshakeFailure,
  openHttp2,
  visit,
  visitPlain,
} from "./visits.ts";

const host = "api.platform.test";
const records = "sites A 127.0.0.1\n*.sites A 127.0.0.1\napi A 127.0.0.1";

describeWithTestBedOnEngines("a service with a name of its own", (engine) => {
  let testBed: TestBed;
  let fixture: DomainsFixture;
  let ca: string;
  beforeAll(async () => {
    testBed = await startTestBed();
    await testBed.platform.set(records);
    fixture = await startDomainsFixture(testBed, engine, {
      PETSTORE_DOMAIN: host,
      PETSTORE_EDGE_HOST: "127.0.0.1",
    });
    ca = await testBed.caRoots();
    await eventually(async () => (await handshakeFailure(at())) === undefined);
  });
  afterAll(async () => {
    await fixture?.stop();
    await testBed?.stop();
  });
  const at = (name = host) => ({ port: testBed.httpsPort, host: name, ca });
  const origin = () => `https://${host}:${testBed.httpsPort}`;

  test("has a certificate for exactly that name, without anybody having asked", async () => {
    expect((await certificateAt(at())).subjectaltname).toBe(`DNS:${host}`);
    expect(fixture.service.service.hasCertificate).toBe(false);
    const config = testConfig({ ...settingsFor(testBed), PETSTORE_DOMAIN: host });
    const next = await createFirstSecrets(fixture.service.stores, config, systemClock);
    expect(next.hasCertificate).toBe(true);
  });

  test("is all there: API, documentation, landing page and dashboard", async () => {
    for (const [path, shown] of [
      ["/", "Pet Store"],
      ["/docs/", "Pet Store"],
      ["/dashboard/", "<!doctype html>"],
      ["/v1/openapi.json", '"openapi"'],
      ["/readyz", ""],
    ] as const) {
      const { status, body, headers } = await visit(at(), path);
      expect([path, status]).toEqual([path, 200]);
      expect(body.toLowerCase()).toContain(shown.toLowerCase());
      expect(headers["strict-transport-security"]).toBe("max-age=31536000");
    }
  });

  test("names itself by that address", async () => {
    const { body } = await visit(at(), "/v1/openapi.json");
    const urls = JSON.parse(body).servers.map(({ url }: { url: string }) => url);
    expect(urls).toContain(`${origin()}/v1`);
  });

  test("works by HTTP/2, with what is written too", async () => {
    const session = await openHttp2(at());
    const created = await new Promise<{ status: number; location: string }>((resolve, reject) => {
      const stream = session.request({
        ":method": "POST",
        ":path": "/v1/pets",
        ":authority": `${host}:${testBed.httpsPort}`,
        authorization: `Bearer ${fixture.service.token}`,
        "content-type": "application/json",
      });
      stream.on("response", (headers) =>
        resolve({ status: Number(headers[":status"]), location: String(headers["location"]) }),
      );
      stream.on("error", reject);
      stream.end(JSON.stringify({ name: "Rex", categoryId: 3 }));
    });
    expect(created.status).toBe(201);
    expect(created.location).toStartWith(`${origin()}/v1/pets/`);
    const path = new URL(created.location).pathname;
    const refused = await askHttp2(session, `${host}:${testBed.httpsPort}`, path);
    expect(refused.status).toBe(401);
    session.destroy();
  });

  test("leads from HTTP to HTTPS", async () => {
    const { status, headers } = await visitPlain(testBed.httpPort, host, "/v1/pets?limit=2");
    expect([status, headers["location"]]).toEqual([308, `${origin()}/v1/pets?limit=2`]);
  });

  test("has custom domains beside it, and nobody can attach its name", async () => {
    await fixture.newProject("acme");
    await testBed.zone("acme.test", { records: `docs CNAME ${testBed.target}.` });
    await fixture.goLive("acme", "docs.acme.test");
    expect((await visit(at("docs.acme.test"))).body).toContain("<title>acme</title>");
    expect((await visit(at(), "/readyz")).status).toBe(200);
  });

  test("takes deployments from elsewhere, over HTTPS", async () => {
    await fixture.newProject("globex");
    const { access, token } = mintAccess({ kind: "owner", id: "globex" }, "test", systemClock);
    await fixture.service.stores.access.add(access);
    const folder = mkdtempSync(join(tmpdir(), "petstore-site-"));
    writeFileSync(join(folder, "ca.pem"), ca);
    mkdirSync(join(folder, "build"));
    writeFileSync(join(folder, "build/index.html"), "over HTTPS");
    writeFileSync(join(folder, "build/large.bin"), randomBytes(10 * 1024 * 1024));
    // Nothing else knows the name.
    await using way = await tunnelTo(testBed.httpsPort);
    const line = ["deploy", join(folder, "build"), "--project", "globex", "--to", origin()];
    const { code, stderr } = await petstore(line, {
      PETSTORE_TOKEN: token,
      NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
      HTTPS_PROXY: way.origin,
    });
    rmSync(folder, { recursive: true });
    expect([code, stderr]).toEqual([0, "Uploading 2 of 2 files (10.0 MiB).\n"]);
    const { sites } = fixture.service.stores;
    const current = (await sites.project("globex"))?.current ?? "";
    expect((await sites.file(current, "large.bin"))?.bytes).toBe(10 * 1024 * 1024);
  });

  test("renews its certificate like any other", async () => {
    const { serialNumber } = await certificateAt(at());
    await fixture.skip(70 * 24 * 3_600_000);
    await eventually(async () => (await certificateAt(at())).serialNumber !== serialNumber);
  });
});

describeWithTestBed("a service with a name of its own that", () => {
  let testBed: TestBed;
  const running: TestService[] = [];
  beforeAll(async () => {
    testBed = await startTestBed();
  });
  afterAll(async () => {
    for (const service of running) await service.stop();
    await testBed?.stop();
  });

  test("is not in DNS is served without it, and says what is missing; then all is well", async () => {
    const service = await startTestService({
      variables: {
        ...settingsFor(testBed),
        PETSTORE_DOMAIN: host,
        PETSTORE_EDGE_HOST: "127.0.0.1",
      },
    });
    running.push(service);
    const own = async () => (await service.stores.domains.holderOf(host))?.domain;
    const finding = await eventually(async () => (await own())?.dns.findings[0]);
    expect(finding).toMatchObject({
      code: "NXDOMAIN",
      message: `${host} has no address in DNS.`,
      next: `Create an A or AAAA record for ${host} with the address of this machine.`,
    });
    expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
    expect((await visitPlain(testBed.httpPort, host)).status).toBe(503);
  });
});
