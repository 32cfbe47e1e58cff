import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../../testkit/eventually.ts";
import { run } from "../../../testkit/testBed/processes.ts";
import {
  startTestBed,
  type TestBed,
  type TestBedOptions,
} from "../../../testkit/testBed/testBed.ts";
import type { Engine } from "../engines.ts";
import { type DomainsFixture, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";
import { codesOf, findingOf, leadAuthorityBack, misleadAuthority, ordersFor } from "./findings.ts";
import { ask, askHttp2, certificateAt, handshake, openHttp2, visit } from "./visits.ts";

let testBed: TestBed;
let fixture: DomainsFixture;
let ca: string;
const project = "acme";
const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000];
const dayMs = 24 * hourMs;

/** The authority offers renewal information from the start: its directory is read only once. */
async function start(engine: Engine, options: TestBedOptions, daysAhead?: number) {
  testBed = await startTestBed(options);
  if (daysAhead !== undefined) {
    const start = new Date(Date.now() + daysAhead * dayMs);
    testBed.ca.setRenewalWindow({ start, end: new Date(start.getTime() + dayMs) });
  }
  fixture = await startDomainsFixture(testBed, engine);
  await fixture.newProject(project);
  ca = await testBed.caRoots();
}

async function end() {
  await fixture?.stop();
  await testBed?.stop();
}

const at = (host: string) => ({ port: testBed.httpsPort, host, ca });
const serialAt = async (host: string) => (await certificateAt(at(host))).serialNumber;

async function goLive(name: string): Promise<string> {
  await testBed.zone(`${name}.test`, { records: `docs CNAME ${testBed.target}.` });
  const host = `docs.${name}.test`;
  await fixture.goLive(project, host);
  return host;
}

describeWithTestBedOnEngines("certificates that live for a minute", (engine) => {
  beforeAll(() => start(engine, { certificateValiditySeconds: 60 }));
  afterAll(end);

  test("are renewed again and again without one failed handshake", async () => {
    const host = await goLive("minute");
    // Half of the lifetime is when they are renewed, so each has five seconds to go.
    await fixture.skip(25 * secondMs);
    const serials = new Set<string>();
    let handshakes = 0;
    const visitUntilRenewed = () =>
      eventually(async () => {
        const { raw, serialNumber } = await certificateAt(at(host));
        const { validFromDate, validToDate } = new X509Certificate(raw);
        expect(validFromDate.getTime()).toBeLessThanOrEqual(Date.now());
        expect(validToDate.getTime()).toBeGreaterThan(Date.now());
        serials.add(serialNumber);
        handshakes++;
        return serials.size > 2;
      });
    await Promise.all([visitUntilRenewed(), visitUntilRenewed()]);
    expect(serials.size).toBe(3);
    // Hundreds, or fewer where the machine is busy: more than those that saw a change.
    expect(handshakes).toBeGreaterThan(3 * serials.size);
    expect((await fixture.show(project, host)).status).toBe("live");
  });
});

describeWithTestBedOnEngines("a renewal", (engine) => {
  beforeAll(() => start(engine, {}, 50));
  afterEach(() => testBed.ca.faults.clear());
  afterAll(end);

  /** The name of the served certificate by RFC 9773, section 4.1, as openssl reads it. */
  async function renewalNameAt(host: string): Promise<string> {
    const { raw } = await certificateAt(at(host));
    const file = join(fixture.service.database.folder, "served.der");
    writeFileSync(file, raw);
    const args = ["x509", "-inform", "DER", "-in", file, "-noout"];
    const text = await run("openssl", [...args, "-serial", "-ext", "authorityKeyIdentifier"]);
    const [, serial = ""] = /serial=([0-9A-F]+)/.exec(text) ?? [];
    const [, key = ""] = /((?:[0-9A-F]{2}:){19}[0-9A-F]{2})/.exec(text) ?? [];
    // A first bit that is set would be a sign, so DER puts a zero before it.
    const positive = /^[89A-F]/.test(serial) ? `00${serial}` : serial;
    return [key.replaceAll(":", ""), positive]
      .map((hex) => Buffer.from(hex, "hex").toString("base64url"))
      .join(".");
  }

  /** The authority wants this host's certificate replaced, and is asked about it every 6 hours. */
  async function wantedWithin(host: string, fromMs: number, toMs: number): Promise<string> {
    const name = await renewalNameAt(host);
    const nowMs = fixture.clock.now();
    const window = { start: new Date(nowMs + fromMs), end: new Date(nowMs + toMs) };
    testBed.ca.setRenewalWindow(window, name);
    return name;
  }

  const renewedFrom = (host: string, serial: string) =>
    eventually(async () => (await serialAt(host)) !== serial);

  /** The edge has closed whatever it means to close for the latest change. */
  async function edgeActed(): Promise<void> {
    const { edgeView } = fixture.service.stores;
    const revision = await edgeView.revision();
    const behind = async () => (await edgeView.edges(0)).some((edge) => edge.revision < revision);
    await eventually(async () => !(await behind()));
  }

  test("comes when the authority wants it, long before its time, and says what it replaces", async () => {
    const host = await goLive("early");
    const before = await serialAt(host);
    const usual = await fixture.until(
      project,
      host,
      (each) => each.certificate?.window !== undefined,
    );
    expect(usual.certificate?.renewAtMs).toBeGreaterThan(fixture.clock.now() + 49 * dayMs);

    const name = await wantedWithin(host, 7 * hourMs, 8 * hourMs);
    const windowStartMs = fixture.clock.now() + 7 * hourMs;
    await fixture.skip(6 * hourMs);
    const told = await fixture.until(
      project,
      host,
      ({ certificate }) => (certificate?.renewAtMs ?? 0) < fixture.clock.now() + dayMs,
    );
    expect(told.certificate?.renewAtMs).toBeGreaterThanOrEqual(windowStartMs - secondMs);
    expect(told.certificate?.renewAtMs).toBeLessThanOrEqual(windowStartMs + hourMs);
    expect(await serialAt(host)).toBe(before);
    expect(ordersFor(fixture, host)).toBe(1);

    await fixture.skip(2 * hourMs);
    await renewedFrom(host, before);
    expect(ordersFor(fixture, host)).toBe(2);
    expect(testBed.ca.replaced()).toEqual([name]);
    const after = await fixture.until(project, host, ({ status }) => status === "live");
    expect(after.certificate?.notBeforeMs).toBeGreaterThan(usual.certificate?.notBeforeMs ?? 0);
  });

  test("that fails leaves the old certificate in use, is told, and succeeds by itself later", async () => {
    const host = await goLive("failing");
    const before = await serialAt(host);
    await wantedWithin(host, -hourMs, 0);
    await misleadAuthority(fixture);
    try {
      await fixture.skip(6 * hourMs);
      const failing = await fixture.until(
        project,
        host,
        ({ status }) => status === "renewal_failing",
      );
      expect(codesOf(failing)).toEqual(["AUTHORIZATION_FAILED"]);
      expect(failing.certificate?.notAfterMs).toBeGreaterThan(fixture.clock.now());
      expect(await serialAt(host)).toBe(before);
      expect((await visit(at(host))).status).toBe(200);
    } finally {
      await leadAuthorityBack(fixture);
    }
    await fixture.skip(minuteMs);
    await renewedFrom(host, before);
    const recovered = await fixture.until(project, host, ({ status }) => status === "live");
    expect(recovered.findings).toEqual([]);
    expect(recovered.timeline.filter(({ event }) => event === "verify_requested")).toHaveLength(1);
  });

  test("outlasts an outage of the authority", async () => {
    const host = await goLive("outage");
    const before = await serialAt(host);
    await wantedWithin(host, -hourMs, 0);
    testBed.ca.faults.refuse({ kind: "newOrder", type: "serverInternal", status: 503, times: 2 });
    await fixture.skip(6 * hourMs);
    const failing = await fixture.until(
      project,
      host,
      ({ status }) => status === "renewal_failing",
    );
    expect(findingOf(failing, "CA_UNAVAILABLE").next).toContain("every one to two minutes");
    expect((await visit(at(host))).status).toBe(200);
    expect(await serialAt(host)).toBe(before);
    const orders = ordersFor(fixture, host);
    await fixture.skip(2 * minuteMs);
    await eventually(
      () => ordersFor(fixture, host) === orders + 1,
      () => "no second attempt",
    );
    await fixture.skip(2 * minuteMs);
    await renewedFrom(host, before);
    await fixture.until(project, host, ({ status }) => status === "live");
  });

  test("drops no open connection, and new ones get the new certificate", async () => {
    const host = await goLive("open");
    const before = await serialAt(host);
    const socket = await handshake(at(host), { ALPNProtocols: ["http/1.1"] });
    const session = await openHttp2(at(host));
    try {
      expect((await ask(socket, host)).status).toBe(200);
      expect((await askHttp2(session, host)).status).toBe(200);
      await wantedWithin(host, -hourMs, 0);
      await fixture.skip(6 * hourMs);
      await renewedFrom(host, before);
      await edgeActed();
      expect([socket.destroyed, session.destroyed]).toEqual([false, false]);
      expect((await ask(socket, host)).body).toContain("<title>acme</title>");
      expect((await askHttp2(session, host)).body).toContain("<title>acme</title>");
      expect(socket.getPeerCertificate().serialNumber).toBe(before);
    } finally {
      socket.destroy();
      session.destroy();
    }
  });
});
