import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DomainDetails } from "../../../src/hosting/domains/domainView.ts";
import { eventually } from "../../../testkit/eventually.ts";
import { type Pebble, startPebble } from "../../../testkit/testBed/pebble.ts";
import { caIdentity } from "../../../testkit/testBed/settings.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { describeWithTestBed } from "../../../testkit/testBed/tools.ts";
import { sqlite } from "../engines.ts";
import { type DomainsFixture, startDomainsFixture } from "./domainsFixture.ts";
import { ordersFor } from "./findings.ts";

const project = "acme";
const minuteMs = 60_000;
const secondIdentity = "second.platform.test";

// Whatever the database: it has no part in this.
describeWithTestBed("a second authority, which requires an external account,", () => {
  let testBed: TestBed;
  let second: Pebble;
  let fixture: DomainsFixture;
  const folder = mkdtempSync(join(tmpdir(), "fallback-"));

  beforeAll(async () => {
    testBed = await startTestBed();
    const { recursor, httpPort, httpsPort } = testBed;
    const hmacKey = Buffer.from("a key that this test shares with pebble").toString("base64url");
    mkdirSync(join(folder, "second"));
    second = await startPebble({
      folder: join(folder, "second"),
      dnsServer: recursor,
      httpPort,
      tlsPort: httpsPort,
      externalAccounts: { "kid-1": hmacKey },
    });
    const trustFile = join(folder, "trust.pem");
    const trusted = [testBed.acmeTrustFile, second.certificate.file];
    writeFileSync(trustFile, trusted.map((file) => readFileSync(file, "utf8")).join("\n"));
    fixture = await startDomainsFixture(testBed, sqlite, {
      PETSTORE_ACME_TRUST: trustFile,
      PETSTORE_ACME_FALLBACK_DIRECTORY: second.directory,
      PETSTORE_ACME_FALLBACK_EAB: `kid-1:${hmacKey}`,
      PETSTORE_ACME_FALLBACK_CAA: secondIdentity,
    });
    await fixture.newProject(project);
  });
  afterEach(() => testBed.ca.faults.clear());
  afterAll(async () => {
    await fixture?.stop();
    await second?.stop();
    await testBed?.stop();
    rmSync(folder, { recursive: true });
  });

  /** Adds a name on a zone of its own, and waits until it is live. */
  async function goLive(name: string, caa = ""): Promise<DomainDetails> {
    const records = `docs CNAME ${testBed.target}.\n${caa}`;
    await testBed.zone(`${name}.test`, { records });
    return fixture.goLive(project, `docs.${name}.test`);
  }

  const directoryOf = async (host: string) => {
    const holder = await fixture.service.stores.domains.holderOf(host);
    return holder?.domain.certificate.held?.directory;
  };

  test("issues nothing while the first one does", async () => {
    await goLive("usual");
    expect(await directoryOf("docs.usual.test")).toBe(testBed.acmeDirectory);
  });

  test("issues what the first one limits", async () => {
    testBed.ca.faults.rateLimit({ host: "docs.limited.test", retryAfter: 3600 });
    await goLive("limited");
    expect(ordersFor(fixture, "docs.limited.test")).toBe(1);
    expect(await directoryOf("docs.limited.test")).toBe(second.directory);
  });

  test("issues at once where CAA records permit only that one", async () => {
    await goLive("second", `@ CAA 0 issue "${secondIdentity}"`);
    expect(ordersFor(fixture, "docs.second.test")).toBe(0);
    expect(await directoryOf("docs.second.test")).toBe(second.directory);
  });

  test("issues nothing where CAA records permit only the first one", async () => {
    await goLive("first", `@ CAA 0 issue "${caIdentity}"`);
    expect(await directoryOf("docs.first.test")).toBe(testBed.acmeDirectory);
    testBed.ca.faults.outage(true);
    await testBed.zone("later.test", {
      records: `docs CNAME ${testBed.target}.\n@ CAA 0 issue "${caIdentity}"`,
    });
    await fixture.add(project, "docs.later.test");
    await fixture.verify(project, "docs.later.test");
    const waiting = await fixture.until(
      project,
      "docs.later.test",
      ({ status }) => status === "blocked",
    );
    expect(waiting.findings.map(({ code }) => code)).toEqual(["CA_UNAVAILABLE"]);
  });

  // The last one: from here on, every certificate is old enough to be renewed.
  test("issues while the first one is down, and renews by the first one once that is back", async () => {
    testBed.ca.faults.outage(true);
    await goLive("down");
    expect(await directoryOf("docs.down.test")).toBe(second.directory);
    testBed.ca.faults.outage(false);
    await fixture.skip(61 * 24 * 60 * minuteMs);
    await eventually(async () => (await directoryOf("docs.down.test")) === testBed.acmeDirectory);
  });
});
