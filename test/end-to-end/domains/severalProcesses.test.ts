import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { DomainService } from "../../../src/hosting/domains/domainService.ts";
import { publish } from "../../../src/hosting/sites/publish.ts";
import type { Stores } from "../../../src/storage/stores.ts";
import { eventually } from "../../../testkit/eventually.ts";
import { freePort } from "../../../testkit/freePorts.ts";
import { rounds } from "../../../testkit/rounds.ts";
import { testSeed } from "../../../testkit/seed.ts";
import { SeededRandom } from "../../../testkit/seededRandom.ts";
import { type Running, startProcess } from "../../../testkit/serviceProcess.ts";
import { settingsFor } from "../../../testkit/testBed/settings.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { sourcesOf } from "../../sites/sources.ts";
import type { TestDatabase } from "../engines.ts";
import { operator } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";
import { handshakeFailure, visit } from "./visits.ts";

let testBed: TestBed;
let ca: string;
let database: TestDatabase;
let stores: Stores;
let domainService: DomainService;
const running = new Set<Running>();
const secret = "a secret that only tests ever use, of good length";

async function start(roles: string, variables: Record<string, string> = {}): Promise<Running> {
  const process = await startProcess({
    ...settingsFor(testBed),
    ...database.variables,
    PETSTORE_SECRET: secret,
    PETSTORE_ROLES: roles,
    PETSTORE_LEASE_SECONDS: "2",
    ...variables,
  });
  running.add(process);
  return process;
}

async function end(process: Running, signal: NodeJS.Signals): Promise<void> {
  running.delete(process);
  await process.end(signal);
}

const until = (what: string, holds: () => Promise<boolean>) =>
  eventually(holds, () => `It did not come to this: ${what}.`);

const statusOf = async (host: string) => (await domainService.show(operator, "acme", host)).status;
const isLive = (host: string) =>
  until(`${host} is live`, async () => (await statusOf(host)) === "live");
const certificatesIssued = () =>
  testBed.ca.requests.filter(({ kind, status }) => kind === "finalize" && status === 200).length;
const ordersFor = (host: string) =>
  testBed.ca.hostsOrdered().filter((each) => each === host).length;

describeWithTestBedOnEngines("several processes on one database", (engine) => {
  beforeAll(async () => {
    testBed = await startTestBed();
    ca = await testBed.caRoots();
    database = await engine.newDatabase();
    stores = await database.open();
    const { sites, domains, edgeView } = stores;
    domainService = new DomainService({
      sites,
      domains,
      edgeView,
      clock,
      target: testBed.target,
      ownLimits: true,
      reserved: [],
    });
    await sites.addOwner({ id: "acme", name: "acme", plan: "paid" });
    await sites.addProject({ slug: "acme", ownerId: "acme", nowMs: clock.now() });
    const files = sourcesOf({ "index.html": "<!doctype html><title>acme</title>" });
    await publish("acme", files, { store: sites, clock, unless: "newest" });
    const names = ["one", "two", "three", "four", "held", "away"];
    await testBed.zone("acme.test", {
      records: names.map((name) => `${name} CNAME ${testBed.target}.`).join("\n"),
    });
  });
  afterAll(async () => {
    for (const process of running) await process.end("SIGKILL");
    await stores?.close();
    await database?.remove();
    await testBed?.stop();
  });

  async function attach(host: string) {
    const { records } = await domainService.add(operator, "acme", host);
    await testBed.point(host, records[0]?.value ?? "");
    await domainService.verify(operator, "acme", host);
  }

  test("three workers place one order for each name", async () => {
    const edge = await start("edge");
    const workers = await Promise.all([start("worker"), start("worker"), start("worker")]);
    const hosts = ["one", "two", "three", "four"].map((name) => `${name}.acme.test`);
    await Promise.all(hosts.map(attach));
    for (const host of hosts) await isLive(host);
    expect(hosts.map(ordersFor)).toEqual([1, 1, 1, 1]);
    for (const process of [edge, ...workers]) await end(process, "SIGTERM");
  });

  test("a worker that is killed while it orders is replaced, and changes nothing any more", async () => {
    const host = "held.acme.test";
    const edge = await start("edge");
    const doomed = await start("worker");
    const hold = testBed.ca.faults.hold("newOrder");
    await attach(host);
    await hold.arrived();
    const replacement = await start("worker");
    expect(await statusOf(host)).toBe("issuing");
    await end(doomed, "SIGKILL");
    testBed.ca.faults.clear();
    hold.release();
    await isLive(host);
    expect(await handshakeFailure({ port: testBed.httpsPort, host, ca })).toBeUndefined();
    const { timeline } = await domainService.show(operator, "acme", host);
    expect(timeline.filter(({ event }) => event === "certificate_issued").length).toBe(1);
    for (const process of [edge, replacement]) await end(process, "SIGTERM");
  });

  const names = rounds(15, 30);
  test(`${names} names of one zone get as many certificates, however often the worker is killed meanwhile`, async () => {
    const random = new SeededRandom(testSeed);
    const labels = Array.from({ length: names }, (_, n) => `part${n}`);
    const records = labels.map((label) => `${label} CNAME ${testBed.target}.`).join("\n");
    await testBed.zone("family.test", { records });
    const hosts = labels.map((label) => `${label}.family.test`);
    const edge = await start("edge");
    await Promise.all(hosts.map(attach));
    const { ca: authority } = testBed;
    const issuedBefore = certificatesIssued();
    // One list: to show each of them, as often as this is asked, took more than the workers did.
    const areLive = async () => {
      const { items } = await domainService.list(operator, { project: "acme", search: "family" });
      const live = items.filter(({ status }) => status === "live").map(({ host }) => host);
      return hosts.every((host) => live.includes(host));
    };
    let kills = 0;
    for (; kills < rounds(5, 8) && !(await areLive()); kills++) {
      const doomed = await start("worker");
      const enough = authority.requests.length + random.between(5, 2 * names);
      await until(
        "the authority was asked more, or all are live",
        async () => authority.requests.length >= enough || (await areLive()),
      );
      await end(doomed, "SIGKILL");
    }
    expect(kills).toBeGreaterThan(3);
    const last = await start("worker");
    await until("all are live", areLive);
    expect(certificatesIssued() - issuedBefore).toBe(names);
    const { budget } = await domainService.show(operator, "acme", "part0.family.test");
    expect(budget.map(({ used }) => used)).toEqual([0, 1, names]);
    for (const process of [edge, last]) await end(process, "SIGTERM");
  });

  test("an edge answers a challenge and serves a certificate that another process got, and stops with a removal elsewhere", async () => {
    const host = "away.acme.test";
    const ports = { http: await freePort(), https: await freePort() };
    const edge = await start("edge");
    const second = await start("edge", {
      PETSTORE_EDGE_HTTP_PORT: String(ports.http),
      PETSTORE_EDGE_HTTPS_PORT: String(ports.https),
    });
    const worker = await start("worker");
    await attach(host);
    await isLive(host);
    for (const process of [edge, second]) {
      expect(process.stderr()).toContain(`"host":"${host}","path":"/.well-known/acme-challenge/`);
    }
    for (const port of [testBed.httpsPort, ports.https]) {
      expect((await visit({ port, host, ca })).body).toContain("<title>acme</title>");
    }
    const { edges } = await domainService.remove(operator, "acme", host, false);
    expect(edges).toBe(2);
    for (const port of [testBed.httpsPort, ports.https]) {
      expect(await handshakeFailure({ port, host, ca })).toBeDefined();
    }
    await until(
      "both edges acted",
      async () => (await domainService.edgesBehind()).edgesBehind.length === 0,
    );
    for (const process of [edge, second, worker]) await end(process, "SIGTERM");
  });
});
