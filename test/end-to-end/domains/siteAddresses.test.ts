import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/core/clock.ts";
import { setTxtRecords } from "../../../src/hosting/dns/update.ts";
import { deploymentLabel } from "../../../src/hosting/sites/deployment.ts";
import { publish } from "../../../src/hosting/sites/publish.ts";
import { eventually } from "../../../testkit/eventually.ts";
import { updateKey } from "../../../testkit/testBed/knot.ts";
import { run } from "../../../testkit/testBed/processes.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { describeWithTestBed } from "../../../testkit/testBed/tools.ts";
import { sourcesOf } from "../../sites/sources.ts";
import { type DomainsFixture, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";
import { certificateAt, handshakeFailure, visit, visitPlain } from "./visits.ts";

const records = "sites A 127.0.0.1\n*.sites A 127.0.0.1";
const updates = (testBed: TestBed) => ({
  PETSTORE_DNS_UPDATE: `${testBed.knotA.address}:${testBed.dnsPort}`,
  PETSTORE_DNS_UPDATE_KEY: `${updateKey.algorithm}:${updateKey.name}:${updateKey.secret}`,
});

describeWithTestBedOnEngines("public addresses with one certificate for all", (engine) => {
  let testBed: TestBed;
  let fixture: DomainsFixture;
  let ca: string;
  beforeAll(async () => {
    testBed = await startTestBed();
    await testBed.platform.set(records);
    fixture = await startDomainsFixture(testBed, engine, updates(testBed));
    ca = await testBed.caRoots();
    await fixture.newProject("acme", { plan: "free" });
    await fixture.newProject("globex", { plan: "free" });
    await eventually(async () => (await handshakeFailure(at("acme"))) === undefined);
  });
  afterAll(async () => {
    await fixture?.stop();
    await testBed?.stop();
  });
  const nameOf = (label: string) => `${label}.${testBed.target}`;
  const at = (label: string) => ({ port: testBed.httpsPort, host: nameOf(label), ca });

  test("are there for every project, on the free plan too", async () => {
    for (const project of ["acme", "globex"]) {
      const { status, body, headers } = await visit(at(project));
      expect([status, body]).toEqual([200, `<!doctype html><title>${project}</title>`]);
      expect(headers["x-robots-tag"]).toBeUndefined();
    }
    expect((await certificateAt(at("acme"))).subjectaltname).toBe(`DNS:*.${testBed.target}`);
  });

  test("lead from HTTP to HTTPS", async () => {
    const { status, headers } = await visitPlain(testBed.httpPort, nameOf("acme"), "/a?b=c");
    expect(status).toBe(301);
    expect(headers["location"]).toBe(`https://${nameOf("acme")}:${testBed.httpsPort}/a?b=c`);
  });

  test("are there for every deployment, unchanged by later ones, and not for search engines", async () => {
    const { sites } = fixture.service.stores;
    const first = (await sites.project("acme"))?.current ?? "";
    const files = sourcesOf({ "index.html": "the second" });
    await publish("acme", files, { store: sites, clock: fixture.clock, unless: "newest" });
    const second = (await sites.project("acme"))?.current ?? "";
    const preview = await visit(at(deploymentLabel(first)));
    expect(preview.body).toContain("<title>acme</title>");
    expect(preview.headers["x-robots-tag"]).toBe("noindex");
    expect((await visit(at(deploymentLabel(second)))).body).toBe("the second");
    expect((await visit(at("acme"))).body).toBe("the second");
  });

  test("are refused where nothing is", async () => {
    for (const label of ["nobody", "dep-00000000000000000000"]) {
      const { status, body } = await visit(at(label));
      expect(status).toBe(404);
      expect(body).toContain("<h1>There is no site here</h1>");
    }
  });

  test("name the primary domain as the canonical one, once it works", async () => {
    await fixture.service.stores.sites.setPlan("globex", "paid");
    await testBed.zone("globex.test", { records: `docs CNAME ${testBed.target}.` });
    await fixture.add("globex", "docs.globex.test");
    const routing = { primary: "docs.globex.test", redirects: [] };
    await fixture.domainService.applyRouting({ kind: "operator" }, "globex", routing);
    expect((await visit(at("globex"))).headers["link"]).toBeUndefined();
    await fixture.verify("globex", "docs.globex.test");
    await fixture.until("globex", "docs.globex.test", ({ status }) => status === "live");
    const link = `<https://docs.globex.test:${testBed.httpsPort}/>; rel="canonical"`;
    expect((await visit(at("globex"))).headers["link"]).toBe(link);
  });
});

describeWithTestBed("public addresses", () => {
  let testBed: TestBed;
  let folder: string;
  beforeAll(async () => {
    testBed = await startTestBed();
    await testBed.platform.set(records);
    folder = mkdtempSync(join(tmpdir(), "addresses-"));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await testBed?.stop();
  });

  test("have a certificate each where no other way is set up", async () => {
    const fixture = await startDomainsFixture(testBed);
    const ca = await testBed.caRoots();
    const host = `initech.${testBed.target}`;
    await fixture.newProject("initech", { plan: "free" });
    const at = { port: testBed.httpsPort, host, ca };
    await eventually(async () => {
      fixture.clock.skip(1_000);
      return (await handshakeFailure(at)) === undefined;
    });
    expect((await certificateAt(at)).subjectaltname).toBe(`DNS:${host}`);
    expect((await visit(at)).body).toContain("<title>initech</title>");
    await fixture.stop();
  });

  test("have the operator's certificate where there is one, also after it was replaced", async () => {
    const [certificate, key] = [join(folder, "chain.pem"), join(folder, "key.pem")];
    const make = async () => {
      await run("openssl", [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
        ...["-days", "2", "-subj", "/CN=sites", "-keyout", key, "-out", certificate],
        ...["-addext", `subjectAltName=DNS:*.${testBed.target}`],
      ]);
      return readFileSync(certificate, "utf8");
    };
    const first = await make();
    const fixture = await startDomainsFixture(testBed, undefined, {
      PETSTORE_SITES_CERTIFICATE: certificate,
      PETSTORE_SITES_CERTIFICATE_KEY: key,
    });
    await fixture.newProject("hooli", { plan: "free" });
    const at = { port: testBed.httpsPort, host: `hooli.${testBed.target}` };
    expect((await visit({ ...at, ca: first })).body).toContain("hooli");
    const second = await make();
    fixture.clock.skip(10_000);
    expect((await visit({ ...at, ca: second })).body).toContain("hooli");
    expect(await handshakeFailure({ ...at, ca: first })).toBeDefined();
    await fixture.stop();
  });

  test("an update with a key that is not known is refused with the reason", async () => {
    const { address } = testBed.knotA;
    const wrong = { algorithm: "hmac-sha256", name: "nobody", secret: Buffer.alloc(32) } as const;
    const target = {
      zone: "platform.test",
      name: "_acme-challenge.sites.platform.test",
      values: [],
    };
    const server = { address, port: testBed.dnsPort, key: wrong };
    await expect(setTxtRecords(server, target, systemClock)).rejects.toThrow(
      `The name server ${address} port ${testBed.dnsPort} refused to update ${target.name} (NOTAUTH).`,
    );
  });
});
