/** A second authority without any setting of an account: it makes one for the contact address. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../src/config/config.ts";
import { makeApiCertificate } from "../../../testkit/testBed/certificate.ts";
import { type Pebble, startPebble } from "../../../testkit/testBed/pebble.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { describeWithTestBed } from "../../../testkit/testBed/tools.ts";
import { sqlite } from "../engines.ts";
import { type DomainsFixture, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";

const project = "acme";
const email = "operator@example.com";
const hmacKey = Buffer.from("a key that pebble and the endpoint share").toString("base64url");
const credentials = { success: true, eab_kid: "kid-1", eab_hmac_key: hmacKey };
const invalid = { success: false, error: { code: 2901, type: "invalid_email", info: null } };

describeWithTestBedOnEngines(
  "a second authority with an account for an e-mail address",
  (engine) => {
    let testBed: TestBed;
    let second: Pebble;
    /** As the endpoint of ZeroSSL responds, which no test may ask. */
    let endpoint: Server;
    let answer: unknown = invalid;
    let asked: string[];
    let madeAt: string;
    let fixture: DomainsFixture;
    let settings: Record<string, string>;
    const folder = mkdtempSync(join(tmpdir(), "fallback-"));

    beforeAll(async () => {
      asked = [];
      testBed = await startTestBed();
      const { recursor, httpPort, httpsPort } = testBed;
      mkdirSync(join(folder, "second"));
      mkdirSync(join(folder, "endpoint"));
      second = await startPebble({
        folder: join(folder, "second"),
        dnsServer: recursor,
        httpPort,
        tlsPort: httpsPort,
        externalAccounts: { "kid-1": hmacKey },
      });
      const { pem, keyPem, file } = await makeApiCertificate(join(folder, "endpoint"));
      endpoint = createServer({ cert: pem, key: keyPem }, (request, response) => {
        let body = "";
        request.on("data", (chunk) => {
          body += chunk;
        });
        request.on("end", () => {
          asked.push(`${request.method} ${request.url} ${body}`);
          response.end(JSON.stringify(answer));
        });
      });
      await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
      const { port } = endpoint.address() as AddressInfo;
      madeAt = `https://127.0.0.1:${port}/acme/eab-credentials-email`;
      const trustFile = join(folder, "trust.pem");
      const trusted = [testBed.acmeTrustFile, second.certificate.file, file];
      writeFileSync(trustFile, trusted.map((each) => readFileSync(each, "utf8")).join("\n"));
      settings = {
        PETSTORE_ACME_TRUST: trustFile,
        PETSTORE_ACME_CONTACT: email,
        PETSTORE_ACME_FALLBACK_DIRECTORY: second.directory,
      };
      fixture = await startDomainsFixture(testBed, engine, settings, configure);
      await fixture.newProject(project);
      testBed.ca.faults.outage(true);
    });
    afterAll(async () => {
      await fixture?.stop();
      await second?.stop();
      endpoint?.closeAllConnections();
      endpoint?.close();
      await testBed?.stop();
      rmSync(folder, { recursive: true });
    });

    /** What `config` is for ZeroSSL, for the authority of this test. */
    function configure(config: Config): Config {
      const { domains } = config;
      const [first, fallback] = domains?.acme.authorities ?? [];
      if (domains === undefined || first === undefined || fallback === undefined) return config;
      const authorities = [first, { ...fallback, externalAccount: { madeAt, email } }];
      return { ...config, domains: { ...domains, acme: { ...domains.acme, authorities } } };
    }

    async function begin(name: string): Promise<string> {
      await testBed.zone(`${name}.test`, { records: `docs CNAME ${testBed.target}.` });
      const host = `docs.${name}.test`;
      await fixture.add(project, host);
      await fixture.verify(project, host);
      return host;
    }
    const isLive = (host: string) =>
      fixture.until(project, host, ({ status }) => status === "live");
    const directoryOf = async (host: string) =>
      (await fixture.service.stores.domains.holderOf(host))?.domain.certificate.held?.directory;

    test("says why there is none, and issues once it gets one while the first is down", async () => {
      const host = await begin("down");
      const { findings } = await fixture.until(project, host, ({ status }) => status === "blocked");
      expect(findings.map(({ code }) => code)).toEqual(["CA_UNAVAILABLE"]);
      expect(findings[0]?.message).toMatch(
        /The second authority: No account could be obtained from 127\.0\.0\.1:\d+: invalid_email \(2901\)\.$/,
      );
      answer = credentials;
      await fixture.skip(2 * 60_000);
      await isLive(host);
      expect(await directoryOf(host)).toBe(second.directory);
      expect(new Set(asked)).toEqual(
        new Set(["POST /acme/eab-credentials-email email=operator%40example.com"]),
      );
      expect(fixture.service.logged()).toContain("authority.external_account_created");
    });

    test("is asked once: the account is stored sealed, and survives a restart", async () => {
      const { stores, database, service } = fixture.service;
      const stored = await stores.acmeAccounts.account(`${madeAt}?email=operator%40example.com`);
      expect(stored?.url).toBe("kid-1");
      expect(await database.storedText()).not.toContain(hmacKey);
      const askedBefore = asked.length;
      await service.stop();
      const same = { ...engine, newDatabase: async () => database };
      fixture = await startDomainsFixture(testBed, same, settings, configure);
      const host = await begin("restarted");
      await isLive(host);
      expect(await directoryOf(host)).toBe(second.directory);
      expect(asked).toHaveLength(askedBefore);
    });
  },
);

describeWithTestBed("a public authority without a contact address", () => {
  test("has no second one, and the log says how to get it", async () => {
    const testBed = await startTestBed();
    const missing = (config: Config): Config => {
      const { domains } = config;
      if (domains === undefined) return config;
      const acme = { ...domains.acme, fallbackNeedsContact: true };
      return { ...config, domains: { ...domains, acme } };
    };
    const fixture = await startDomainsFixture(testBed, sqlite, {}, missing);
    const lines = fixture.service.logged().split("\n");
    const said = lines.filter((line) => line.includes("authority.fallback_omitted"));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain("Set PETSTORE_ACME_CONTACT, or PETSTORE_ACME_FALLBACK=off.");
    await fixture.stop();
    await testBed.stop();
  });
});
