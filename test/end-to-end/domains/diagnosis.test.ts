import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DomainDetails } from "../../../src/hosting/domains/domainView.ts";
import type { FindingCode } from "../../../src/hosting/domains/finding.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { signedZone } from "../../../testkit/testBed/unbound.ts";
import { type DomainsFixture, operator, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";

let testBed: TestBed;
let fixture: DomainsFixture;
const project = "acme";

describeWithTestBedOnEngines("the diagnosis of a domain", (engine) => {
  beforeAll(async () => {
    testBed = await startTestBed();
    fixture = await startDomainsFixture(testBed, engine);
    await fixture.newProject(project);
  });
  afterAll(async () => {
    await fixture?.stop();
    await testBed?.stop();
  });

  async function diagnose(host: string): Promise<DomainDetails> {
    await fixture.add(project, host);
    return fixture.verify(project, host);
  }

  const valueIn = ({ records }: DomainDetails) => records[0]?.value;

  function findingOf({ findings }: DomainDetails, code: FindingCode) {
    const finding = findings.find((each) => each.code === code);
    if (finding === undefined) throw new Error(`No ${code} in ${JSON.stringify(findings)}`);
    return finding;
  }

  test("a name that does not exist is told with the seconds of the SOA", async () => {
    await testBed.zone("gone.test", { minimum: 777, ttl: 3600 });
    const details = await diagnose("docs.gone.test");
    expect(details.status).toBe("misconfigured");
    expect(findingOf(details, "NXDOMAIN").seconds).toBe(777);
  });

  test("an A record in the place of the CNAME is named", async () => {
    await testBed.zone("olda.test", { records: "docs A 192.0.2.7" });
    const details = await diagnose("docs.olda.test");
    const finding = findingOf(details, "CONFLICTING_A");
    expect(finding.found).toEqual(["A 192.0.2.7"]);
    expect(finding.expected).toEqual([`CNAME ${valueIn(details)}`]);
    expect(finding.next).toContain("Delete the A record");
  });

  test("a stray AAAA record is named", async () => {
    await testBed.zone("stray.test", { records: "docs AAAA 2001:db8::7" });
    expect(findingOf(await diagnose("docs.stray.test"), "CONFLICTING_AAAA").found).toEqual([
      "AAAA 2001:db8::7",
    ]);
  });

  test("a wrong CNAME is shown beside the right one", async () => {
    await testBed.zone("wrong.test", { records: "docs CNAME pages.other.test." });
    const details = await diagnose("docs.wrong.test");
    const finding = findingOf(details, "CNAME_MISMATCH");
    expect(finding.found).toEqual(["CNAME pages.other.test"]);
    expect(finding.expected).toEqual([`CNAME ${valueIn(details)}`]);
  });

  test("a value that was completed with the zone is recognised", async () => {
    await testBed.zone("suffix.test", { records: `docs CNAME ${testBed.target}` });
    const details = await diagnose("docs.suffix.test");
    const finding = findingOf(details, "CNAME_SUFFIXED");
    expect(finding.found).toEqual([`CNAME ${valueIn(details)}.suffix.test`]);
    expect(finding.next).toContain(`${valueIn(details)}.`);
  });

  test("a chain that ends with us is not the record that was asked for", async () => {
    const zone = await testBed.zone("chain.test");
    const { records } = await fixture.add(project, "docs.chain.test");
    await zone.set(`docs CNAME middle\nmiddle CNAME ${records[0]?.value}.`);
    const details = await fixture.verify(project, "docs.chain.test");
    expect(details.status).toBe("misconfigured");
    expect(findingOf(details, "CNAME_CHAINED").message).toContain("middle.chain.test");
  });

  test("a circle is recognised without going round in it", async () => {
    await testBed.zone("loop.test", { records: "docs CNAME other\nother CNAME docs" });
    const details = await diagnose("docs.loop.test");
    expect(findingOf(details, "CNAME_LOOP").message).toContain(
      "docs.loop.test to other.loop.test to docs.loop.test",
    );
  });

  test("a wildcard verifies the name whose target it has, and no other", async () => {
    await testBed.zone("wild.test", { records: `* CNAME ${testBed.target}.` });
    const { records } = await fixture.goLive(project, "docs.wild.test");
    expect(records.map(({ type }) => type)).toEqual(["CNAME"]);
    await fixture.domainService.add(operator, project, "www.wild.test");
    const other = await fixture.verify(project, "www.wild.test");
    expect(findingOf(other, "CNAME_MISMATCH").found).toEqual([`CNAME ${records[0]?.value}`]);
    expect(findingOf(other, "WILDCARD_MATCH").next).toContain("www.wild.test itself");
  });

  test("an apex with an ALIAS to us verifies, once the TXT record is there", async () => {
    const zone = await testBed.zone("apex.test", { servers: [testBed.powerDns] });
    const { records } = await fixture.domainService.add(operator, project, "apex.test");
    const [alias, proof] = records;
    await zone.set(`@ ALIAS ${alias?.value}.`);
    const asked = await fixture.verify(project, "apex.test");
    expect(asked.status).toBe("pending_dns");
    expect(findingOf(asked, "PROOF_MISSING").expected).toEqual([`TXT ${proof?.value}`]);
    await zone.set(`@ ALIAS ${alias?.value}.\n${proof?.name} TXT "${proof?.value}"`);
    await fixture.verify(project, "apex.test");
    const live = await fixture.until(project, "apex.test", ({ status }) => status === "live");
    expect(live.findings).toEqual([]);
  });

  test("the zone of a name is found by asking DNS, and the record shown is that of the zone", async () => {
    const shown = ({ records }: DomainDetails) =>
      records.map(({ type, name }) => `${type} ${name}`)[0];
    await testBed.zone("team.test");
    await testBed.zone("dev.team.test", { records: "@ A 192.0.2.9\ndocs A 192.0.2.9" });
    expect(shown(await fixture.add(project, "dev.team.test"))).toBe("CNAME dev");
    const apex = await fixture.verify(project, "dev.team.test");
    expect(shown(apex)).toBe("ALIAS @");
    expect(findingOf(apex, "CONFLICTING_A").expected).toEqual([`ALIAS ${valueIn(apex)}`]);
    const below = await diagnose("docs.dev.team.test");
    expect(shown(below)).toBe("CNAME docs");
    expect(findingOf(below, "CONFLICTING_A").expected).toEqual([`CNAME ${valueIn(below)}`]);

    await testBed.zone("acme.uk.com", { records: "@ A 192.0.2.9" });
    expect(shown(await fixture.add(project, "acme.uk.com"))).toBe("ALIAS @");
    const suffixed = await fixture.verify(project, "acme.uk.com");
    expect(shown(suffixed)).toBe("ALIAS @");
    expect(findingOf(suffixed, "CONFLICTING_A").expected).toEqual([`ALIAS ${valueIn(suffixed)}`]);
  });

  test("an apex with one foreign address among ours fails", async () => {
    await testBed.zone("partly.test", { records: "@ A 127.0.0.1\n@ A 192.0.2.9" });
    const details = await diagnose("partly.test");
    expect(details.status).toBe("misconfigured");
    expect(findingOf(details, "ALIAS_STALE").message).toContain("192.0.2.9");
  });

  test("name servers that disagree are named", async () => {
    const zone = await testBed.zone("split.test", {
      servers: [testBed.knotA, testBed.knotB],
      records: `docs CNAME ${testBed.target}.`,
    });
    await fixture.add(project, "docs.split.test");
    await zone.setOn(testBed.knotB, "docs A 192.0.2.8");
    const details = await fixture.verify(project, "docs.split.test");
    expect(details.status).toBe("misconfigured");
    const finding = findingOf(details, "NS_DISAGREE");
    expect(finding.at?.join()).toContain(testBed.knotB.address);
    expect(finding.at?.join()).not.toContain(testBed.knotA.address);
  });

  test("neither SERVFAIL nor silence flips a live domain", async () => {
    const server = await testBed.silentServer("answer", []);
    await testBed.zone("shaky.test", { records: `docs CNAME ${testBed.target}.` });
    await fixture.goLive(project, "docs.shaky.test");
    // The zone moves to a name server that fails, and then to silence.
    await testBed.zone("shaky.test", {
      records: `docs CNAME ${testBed.target}.`,
      servers: [],
      furtherServers: [server],
      recursorAsks: [server],
    });
    await testBed.flush();
    for (const mode of ["servfail", "silent", "servfail", "silent"] as const) {
      server.mode = mode;
      const details = await fixture.verify(project, "docs.shaky.test");
      expect(details.status).toBe("live");
      expect(details.findings.map(({ code }) => code)).toContain("SERVFAIL");
    }
  });

  test("signatures that do not verify are told from a failure, with the DS record", async () => {
    await testBed.zone(signedZone, { records: `docs CNAME ${testBed.target}.` });
    const details = await diagnose(`docs.${signedZone}`);
    expect(details.status).toBe("pending_dns");
    expect(details.findings.map(({ code }) => code)).toEqual(["DNSSEC_BROKEN"]);
    expect(findingOf(details, "DNSSEC_BROKEN").next).toContain("DS record");
  });

  test("what caches still remember gives a countdown", async () => {
    const zone = await testBed.zone("stale.test", { records: "docs 600 CNAME old.other.test." });
    await diagnose("docs.stale.test");
    await zone.set(`docs 600 CNAME ${testBed.target}.`);
    const details = await fixture.verify(project, "docs.stale.test");
    expect(details.status).not.toBe("live");
    const { seconds = 0 } = findingOf(details, "STALE_CACHE");
    expect(seconds).toBeGreaterThan(500);
    expect(seconds).toBeLessThanOrEqual(600);
    await testBed.flush();
    await fixture.verify(project, "docs.stale.test");
    await fixture.until(project, "docs.stale.test", ({ status }) => status === "live");
  });
});
