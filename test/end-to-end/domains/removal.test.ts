import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect as connectPlain } from "node:net";
import { eventually } from "../../../testkit/eventually.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { type DomainsFixture, operator, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";
import { ask, handshake, handshakeFailure, openHttp2, visit, visitPlain } from "./visits.ts";

let testBed: TestBed;
let fixture: DomainsFixture;
let ca: string;

describeWithTestBedOnEngines("an attached domain", (engine) => {
  beforeAll(async () => {
    testBed = await startTestBed();
    fixture = await startDomainsFixture(testBed, engine);
    ca = await testBed.caRoots();
    await fixture.newProject("acme");
    await fixture.newProject("rival");
  });
  afterAll(async () => {
    await fixture?.stop();
    await testBed?.stop();
  });

  const at = (host: string) => ({ port: testBed.httpsPort, host, ca });

  async function live(host: string) {
    const zone = host.slice(host.indexOf(".") + 1);
    const made = await testBed.zone(zone, { records: `docs CNAME ${testBed.target}.` });
    await fixture.goLive("acme", host);
    return made;
  }

  test("stops with its removal, for new, resumed and open connections", async () => {
    const host = "docs.leaving.test";
    await live(host);
    const sessions = await Promise.all(
      (["TLSv1.2", "TLSv1.3"] as const).map(async (version) => {
        const socket = await handshake(at(host), { minVersion: version, maxVersion: version });
        let session: Buffer | undefined = socket.getSession();
        socket.on("session", (later: Buffer) => {
          session = later;
        });
        await ask(socket, host);
        socket.destroy();
        return { session, minVersion: version, maxVersion: version };
      }),
    );
    const idle = await handshake(at(host), { ALPNProtocols: ["http/1.1"] });
    await ask(idle, host);
    const http2 = await openHttp2(at(host));
    const closed = Promise.all([
      new Promise((resolve) => idle.once("close", resolve)),
      new Promise((resolve) => http2.once("close", resolve)),
    ]);

    await fixture.domainService.remove(operator, "acme", host, false);
    expect(await handshakeFailure(at(host))).toBeDefined();
    for (const { session, ...version } of sessions) {
      const options = session === undefined ? version : { ...version, session };
      expect(await handshakeFailure(at(host), options)).toBeDefined();
    }
    expect((await visitPlain(testBed.httpPort, host)).status).toBe(404);
    await closed;

    // The edge says so itself, once it has closed what was open.
    await eventually(
      async () => (await fixture.domainService.edgesBehind()).edgesBehind.length === 0,
    );
  });

  for (const days of [0, 31]) {
    test(`that was removed ${days} days ago is nobody else's by the record that is left`, async () => {
      const host = `docs.left${days}.test`;
      await live(host);
      await fixture.domainService.remove(operator, "acme", host, false);
      await fixture.skip(days * 24 * 3_600_000);
      await fixture.service.stores.domains.sweep(fixture.clock.now());
      await fixture.domainService.add(operator, "rival", host);
      const checked = await fixture.verify("rival", host);
      expect(checked.status).toBe("misconfigured");
      expect(checked.findings.map(({ code }) => code)).toEqual(["CNAME_MISMATCH"]);
      expect(await handshakeFailure(at(host))).toBeDefined();
    });
  }

  test("that points here before anybody attached it goes to nobody who does", async () => {
    const host = "docs.early.test";
    await testBed.zone("early.test", { records: "docs CNAME x.sites.platform.test." });
    for (const project of ["acme", "rival"]) {
      await fixture.domainService.add(operator, project, host);
      expect((await fixture.verify(project, host)).status).toBe("misconfigured");
    }
    expect(await handshakeFailure(at(host))).toBeDefined();
  });

  test("returns to its owner without an order, and moves to whose record is there", async () => {
    const host = "docs.returning.test";
    await live(host);
    await fixture.domainService.remove(operator, "acme", host, false);
    const orders = testBed.ca.count("newOrder");
    // The record was never touched.
    await fixture.domainService.add(operator, "acme", host);
    await fixture.verify("acme", host);
    await fixture.until("acme", host, ({ status }) => status === "live");
    expect((await visit(at(host))).body).toContain("<title>acme</title>");

    await fixture.goLive("rival", host);
    expect(testBed.ca.count("newOrder")).toBe(orders);
    expect((await visit(at(host))).body).toContain("<title>rival</title>");
    const lost = await fixture.show("acme", host);
    expect(lost.status).toBe("abandoned");
    expect(lost.findings.map(({ code }) => code)).toEqual(["PROVEN_ELSEWHERE"]);
  });

  test("whose CNAME was deleted is degraded, and goes on being served", async () => {
    const host = "docs.drifting.test";
    const zone = await live(host);
    await zone.set("");
    await testBed.flush();
    for (let looks = 1; looks <= 3; looks++) await fixture.verify("acme", host);
    const details = await fixture.show("acme", host);
    expect(details.status).toBe("degraded");
    expect(details.findings.map(({ code }) => code)).toContain("NXDOMAIN");
    expect((await visit(at(host))).status).toBe(200);
    await zone.set(`docs CNAME ${testBed.target}.`);
    await testBed.flush();
    expect((await fixture.verify("acme", host)).status).toBe("live");
  });

  test("is suspended while the plan lapses, and served again when it is restored", async () => {
    const host = "docs.lapsing.test";
    await live(host);
    const { sites } = fixture.service.stores;
    await sites.setPlan("acme", "free");
    expect((await fixture.show("acme", host)).status).toBe("suspended");
    const suspended = await visit(at(host));
    expect(suspended.status).toBe(503);
    expect(suspended.body).toContain("<h1>This site is not available</h1>");
    await sites.setPlan("acme", "paid");
    expect((await fixture.show("acme", host)).status).toBe("live");
    expect((await visit(at(host))).status).toBe(200);
  });

  test("has no private key in anything that is stored, logged or answered", async () => {
    const host = "docs.secretive.test";
    await live(host);
    const answers = [JSON.stringify(await fixture.show("acme", host)), fixture.service.logged()];
    const all = [await fixture.service.database.storedText(), ...answers].join("\n");
    expect(all).toContain("BEGIN CERTIFICATE");
    expect(all).not.toContain("PRIVATE KEY");
    // Nor the account's key, which is a JWK.
    expect(all).not.toMatch(/"d"\s*:\s*"/);
  });

  // Once is enough: no database has a part in it.
  if (engine.first) {
    test("does not wait for ever for a handshake", async () => {
      const socket = connectPlain(testBed.httpsPort, "127.0.0.1");
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.on("error", () => {});
      socket.write(Buffer.from([0x16, 0x03, 0x01]));
      await closed;
    });
  }
});
