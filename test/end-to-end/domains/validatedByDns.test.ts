/** Names that are validated by DNS: those that move here, and those behind a proxy. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer as createPlainServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, createServer } from "node:tls";
import type { DomainDetails } from "../../../src/hosting/domains/domainView.ts";
import { eventually } from "../../../testkit/eventually.ts";
import { ask as askDns } from "../../../testkit/testBed/ask.ts";
import { makeApiCertificate } from "../../../testkit/testBed/certificate.ts";
import { updateKey } from "../../../testkit/testBed/knot.ts";
import { startTestBed, type TestBed, type TestBedZone } from "../../../testkit/testBed/testBed.ts";
import { type DomainsFixture, operator, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";
import { findingOf } from "./findings.ts";
import { ask, handshake } from "./visits.ts";

const project = "acme";
const oldAddress = "127.0.0.2";

describeWithTestBedOnEngines("a name that moves", (engine) => {
  let testBed: TestBed;
  let fixture: DomainsFixture;
  let ca: string;
  let folder: string;
  const servers: Server[] = [];

  async function start(updates: boolean) {
    // Half of it may pass at once without an update being signed at a wrong time.
    testBed = await startTestBed(updates ? { certificateValiditySeconds: 240 } : {});
    const variables = {
      PETSTORE_DNS_UPDATE: `${testBed.knotA.address}:${testBed.dnsPort}`,
      PETSTORE_DNS_UPDATE_KEY: `${updateKey.algorithm}:${updateKey.name}:${updateKey.secret}`,
    };
    fixture = await startDomainsFixture(testBed, engine, updates ? variables : {});
    ca = await testBed.caRoots();
    await fixture.newProject(project);
  }
  async function stop() {
    for (const server of servers.splice(0)) server.close();
    await fixture?.stop();
    await testBed?.stop();
  }
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "moving-"));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await stop();
  });

  /** The server that the name comes from. Its certificate is the first that visitors trust. */
  async function oldServer(host: string): Promise<string> {
    const { pem, keyPem } = await makeApiCertificate(folder, host);
    const server = createServer({ cert: pem, key: keyPem }, (socket) => {
      socket.on("error", () => {});
      socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold"));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(testBed.httpsPort, oldAddress, resolve));
    return pem;
  }

  /** A proxy that ends TLS, and goes on by TLS to us if our certificate is right. */
  async function proxyFor(host: string): Promise<string> {
    const { pem, keyPem } = await makeApiCertificate(folder, host);
    const pass = (from: Socket, to: Socket) => {
      for (const socket of [from, to])
        socket.on("error", () => [from, to].map((each) => each.destroy()));
      from.pipe(to).pipe(from);
    };
    const origin = { host: "127.0.0.1", port: testBed.httpsPort, servername: host, ca };
    const encrypted = createServer({ cert: pem, key: keyPem }, (visitor) =>
      pass(visitor, connectTls(origin)),
    );
    const plain = createPlainServer((visitor) =>
      pass(visitor, connect(testBed.httpPort, "127.0.0.1")),
    );
    for (const [server, port] of [
      [encrypted, testBed.httpsPort],
      [plain, testBed.httpPort],
    ] as const) {
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(port, oldAddress, resolve));
    }
    return pem;
  }

  /** As a browser does: asks DNS, connects by TLS to what it says, and reads the page. */
  async function visitByName(host: string, trusted: string): Promise<string> {
    const [address = "", port = ""] = testBed.recursor.split(":");
    const reply = await askDns({ address, port: Number(port), name: host, type: "A" });
    const found = (reply.answers ?? []).flatMap((each) => (each.type === "A" ? [each.data] : []));
    const to = { port: testBed.httpsPort, host, ca: trusted };
    const socket = await handshake(to, { host: found[0] ?? "", ALPNProtocols: ["http/1.1"] });
    try {
      return (await ask(socket, host)).body;
    } finally {
      socket.destroy();
    }
  }

  /** Visits the name again and again from the beginning of the move to its end. */
  async function moved(
    host: string,
    zone: TestBedZone,
    records: (details: DomainDetails) => string,
  ) {
    const trusted = `${await oldServer(host)}${ca}`;
    const seen: string[] = [];
    const visitors = { stay: true };
    // With a pause in between, as those who visit without one leave the rest no processor.
    const visiting = eventually(async () => {
      seen.push(await visitByName(host, trusted).catch((cause) => `failed: ${cause}`));
      return !visitors.stay;
    });
    await fixture.domainService.add(operator, project, host, "prepared");
    const told = await fixture.until(project, host, (each) => each.records.length > 0);
    await zone.set(`docs A ${oldAddress}\n${records(told)}`);
    await testBed.flush(zone.name);
    await fixture.verify(project, host);
    const ready = await fixture.until(
      project,
      host,
      ({ status, findings }) => status === "prepared" && findings.length > 0,
    );
    await eventually(() => seen.length > 3);
    expect(new Set(seen)).toEqual(new Set(["old"]));
    const kept = told.records.filter(({ type }) => type === "CNAME").length > 0;
    await zone.set(`docs CNAME ${ready.records[0]?.value}.\n${kept ? records(told) : ""}`);
    await testBed.flush(zone.name);
    await eventually(() => seen.at(-1) !== "old");
    await fixture.verify(project, host);
    const live = await fixture.until(project, host, ({ status }) => status === "live");
    const enough = seen.length + 3;
    await eventually(() => seen.length > enough);
    visitors.stay = false;
    await visiting;
    for (const server of servers.splice(0)) server.close();
    return { told, ready, live, seen };
  }

  test("by a TXT record has a certificate before its address changes, and no visitor fails", async () => {
    await start(false);
    const zone = await testBed.zone("acme.test", { records: `docs A ${oldAddress}` });
    const { told, ready, live, seen } = await moved("docs.acme.test", zone, ({ records }) =>
      records.map(({ name, value }) => `${name} TXT "${value}"`).join("\n"),
    );
    expect(told.records).toMatchObject([{ type: "TXT", name: "_acme-challenge.docs" }]);
    expect(findingOf(ready, "SWITCH_PENDING")).toMatchObject({
      found: [`A ${oldAddress}`],
      expected: [`CNAME ${ready.records[0]?.value}`],
    });
    expect(live.findings).toEqual([]);
    expect(new Set(seen)).toEqual(new Set(["old", "<!doctype html><title>acme</title>"]));
    const events = live.timeline.map(({ event }) => event);
    expect(events.filter((event) => event === "certificate_issued")).toHaveLength(1);
    const ordered = testBed.ca.hostsOrdered().filter((host) => host === "docs.acme.test");
    expect(ordered).toHaveLength(1);
    await stop();
  });

  test("by a CNAME for the challenge is validated and renewed without its owner", async () => {
    await start(true);
    const zone = await testBed.zone("globex.test", { records: `docs A ${oldAddress}` });
    const host = "docs.globex.test";
    const { told, live, seen } = await moved(host, zone, ({ records }) =>
      records.map(({ name, value }) => `${name} CNAME ${value}.`).join("\n"),
    );
    expect(told.records).toMatchObject([{ type: "CNAME", name: "_acme-challenge.docs" }]);
    expect(new Set(seen)).toEqual(new Set(["old", "<!doctype html><title>acme</title>"]));
    // In so short a life, the recursor still has the response to the challenge before.
    await testBed.flush("platform.test");
    const { renewAtMs = 0 } = live.certificate ?? {};
    await fixture.skip(renewAtMs - fixture.clock.now() + 1);
    const renewed = await fixture.until(project, host, ({ timeline }) => {
      return timeline.filter(({ event }) => event === "certificate_issued").length === 2;
    });
    expect(renewed.status).toBe("live");
    expect(fixture.service.logged()).not.toContain(`"host":"${host}","path":"/.well-known/`);
  });

  test("to a proxy stays behind it: live with its addresses, and renewed through it", async () => {
    await stop();
    await start(false);
    const host = "docs.initech.test";
    const address = `docs A ${oldAddress}`;
    const zone = await testBed.zone("initech.test", { records: address });
    const trusted = await proxyFor(host);
    await fixture.domainService.add(operator, project, host, "proxied");
    const { records } = await fixture.until(project, host, (each) => each.records.length > 0);
    await zone.set(
      `${address}\n${records.map((each) => `${each.name} TXT "${each.value}"`).join("\n")}`,
    );
    await testBed.flush(zone.name);
    await fixture.verify(project, host);
    const live = await fixture.until(project, host, ({ status }) => status === "live");
    expect(live.records).toMatchObject([{ type: "CNAME", fullName: host }]);
    expect(await visitByName(host, trusted)).toBe("<!doctype html><title>acme</title>");
    await zone.set(address);
    for (let checks = 0; checks < 4; checks++) {
      expect((await fixture.verify(project, host)).status).toBe("live");
    }
    const { renewAtMs = 0 } = live.certificate ?? {};
    await fixture.skip(renewAtMs - fixture.clock.now() + 1);
    const renewed = await fixture.until(project, host, ({ timeline }) => {
      return timeline.filter(({ event }) => event === "certificate_issued").length === 2;
    });
    expect([renewed.status, renewed.findings]).toEqual(["live", []]);
    expect(fixture.service.logged()).toContain(`"host":"${host}","path":"/.well-known/`);
  });
});
