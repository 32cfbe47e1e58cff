import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { caIdentity } from "../../../testkit/testBed/settings.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { type DomainsFixture, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";
import {
  atRest,
  codesOf,
  findingOf,
  leadAuthorityBack,
  misleadAuthority,
  ordersFor,
} from "./findings.ts";

let testBed: TestBed;
let fixture: DomainsFixture;
const project = "acme";
const minuteMs = 60_000;

describeWithTestBedOnEngines("CAA records", (engine) => {
  beforeAll(async () => {
    testBed = await startTestBed();
    fixture = await startDomainsFixture(testBed, engine);
    await fixture.newProject(project);
  });
  afterEach(() => testBed.ca.faults.clear());
  afterAll(async () => {
    await fixture?.stop();
    await testBed?.stop();
  });

  const pointing = () => `docs CNAME ${testBed.target}.`;

  /** Adds it, asks for a check, and waits until all that follows from it is done. */
  async function attempt(host: string) {
    await fixture.add(project, host);
    await fixture.verify(project, host);
    return atRest(fixture, project, host);
  }

  /** Asks for another check, after which it must go live. */
  async function verifyToLive(host: string) {
    await fixture.verify(project, host);
    const live = await fixture.until(project, host, ({ status }) => status === "live");
    expect(live.findings).toEqual([]);
  }

  test("for another authority are named with what to add, and no order is placed", async () => {
    await testBed.zone("apex.test", { records: '@ A 127.0.0.1\n@ CAA 0 issue "other-ca.test"' });
    const details = await attempt("apex.test");
    expect(details.status).toBe("blocked");
    const finding = findingOf(details, "CAA_BLOCKS");
    expect(finding.found).toEqual(['apex.test CAA 0 issue "other-ca.test"']);
    expect(finding.expected).toEqual([`apex.test CAA 0 issue "${caIdentity}"`]);
    expect(finding.next).toContain(`Add this record at apex.test: CAA 0 issue "${caIdentity}"`);
    await fixture.verify(project, "apex.test");
    expect((await atRest(fixture, project, "apex.test")).status).toBe("blocked");
    expect(ordersFor(fixture, "apex.test")).toBe(0);
  });

  test("of the parent block until the parent permits us too", async () => {
    const zone = await testBed.zone("parent.test", {
      records: `docs.team CNAME ${testBed.target}.\n@ CAA 0 issue ";"`,
    });
    const blocked = await attempt("docs.team.parent.test");
    expect(blocked.status).toBe("blocked");
    expect(findingOf(blocked, "CAA_BLOCKS").found).toEqual(['parent.test CAA 0 issue ";"']);
    expect(ordersFor(fixture, "docs.team.parent.test")).toBe(0);
    await zone.set(
      `docs.team CNAME ${testBed.target}.\n@ CAA 0 issue ";"\n@ CAA 0 issue "${caIdentity}"`,
    );
    await verifyToLive("docs.team.parent.test");
  });

  test("of the parent do not matter where a nearer name has its own", async () => {
    await testBed.zone("nearer.test", {
      records: [
        `docs.team CNAME ${testBed.target}.`,
        `team CAA 0 issue "${caIdentity}"`,
        '@ CAA 0 issue "other-ca.test"',
      ].join("\n"),
    });
    expect((await attempt("docs.team.nearer.test")).status).toBe("live");
  });

  test("with an unknown tag block when it is critical, and only then", async () => {
    const record = (flags: number) =>
      `${pointing()}\n@ CAA ${flags} futuretag "anything"\n@ CAA 0 issue "${caIdentity}"`;
    const zone = await testBed.zone("strange.test", { records: record(128) });
    const blocked = await attempt("docs.strange.test");
    expect(blocked.status).toBe("blocked");
    const finding = findingOf(blocked, "CAA_BLOCKS");
    expect(finding.found).toContain('strange.test CAA 128 futuretag "anything"');
    expect(finding.message).toContain("futuretag");
    expect(finding.next).toContain("critical flag");
    expect(ordersFor(fixture, "docs.strange.test")).toBe(0);
    await zone.set(record(0));
    await verifyToLive("docs.strange.test");
  });

  test("are looked at again when there is no certificate after 30 minutes", async () => {
    const zone = await testBed.zone("late.test", { records: pointing() });
    testBed.ca.faults.outage(true);
    const host = "docs.late.test";
    const before = await attempt(host);
    expect(before.status).toBe("blocked");
    expect(codesOf(before)).toEqual(["CA_UNAVAILABLE"]);
    await zone.set(`${pointing()}\n@ CAA 0 issue "other-ca.test"`);
    await fixture.skip(30 * minuteMs);
    await fixture.until(project, host, (each) => codesOf(each).includes("CERTIFICATE_OVERDUE"));
    // After the retry that is due too, so that the next one comes after the end of the outage.
    const overdue = await atRest(fixture, project, host);
    expect(overdue.status).toBe("certificate_delayed");
    expect(codesOf(overdue)).toEqual(["CERTIFICATE_OVERDUE", "CAA_BLOCKS", "CA_UNAVAILABLE"]);
    expect(findingOf(overdue, "CERTIFICATE_OVERDUE").message).toContain("30 minutes");
    expect(findingOf(overdue, "CAA_BLOCKS").found).toEqual([
      'late.test CAA 0 issue "other-ca.test"',
    ]);
    testBed.ca.faults.outage(false);
    await zone.set(pointing());
    await verifyToLive(host);
  });

  test("and DNS are said to be right when neither is why it takes 30 minutes", async () => {
    await testBed.zone("slow.test", { records: pointing() });
    await misleadAuthority(fixture);
    try {
      expect((await attempt("docs.slow.test")).status).toBe("issuing");
      await fixture.skip(30 * minuteMs);
      const overdue = await atRest(fixture, project, "docs.slow.test");
      expect(overdue.status).toBe("certificate_delayed");
      const finding = findingOf(overdue, "CERTIFICATE_OVERDUE");
      expect(finding.message).toContain("DNS is right and no CAA record stands in the way");
      expect(codesOf(overdue)).toContain("AUTHORIZATION_FAILED");
      expect(overdue.nextStep.text).toContain("reaches us from everywhere");
      const told = overdue.timeline.filter(({ event }) => event === "certificate_overdue");
      expect(told).toHaveLength(1);
      expect(told[0]?.answers.join()).toContain(overdue.records[0]?.value);
    } finally {
      await leadAuthorityBack(fixture);
    }
    await verifyToLive("docs.slow.test");
  });

  test("and DNS are looked at again after 30 minutes also when DNS has gone wrong", async () => {
    const zone = await testBed.zone("moved.test", { records: pointing() });
    testBed.ca.faults.outage(true);
    await attempt("docs.moved.test");
    await zone.set("docs CNAME pages.other.test.");
    await fixture.skip(30 * minuteMs);
    const overdue = await atRest(fixture, project, "docs.moved.test");
    expect(overdue.status).toBe("misconfigured");
    expect(findingOf(overdue, "CNAME_MISMATCH").found).toEqual(["CNAME pages.other.test"]);
    testBed.ca.faults.outage(false);
    await zone.set(pointing());
    await testBed.flush("moved.test");
    await verifyToLive("docs.moved.test");
  });
});
