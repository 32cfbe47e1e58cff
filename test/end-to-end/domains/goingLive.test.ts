import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { sampleOf, scraped } from "../../monitoring/scraped.ts";
import { type DomainsFixture, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";
import {
  askHttp2,
  certificateAt,
  handshake,
  handshakeFailure,
  openHttp2,
  visit,
  visitPlain,
} from "./visits.ts";

let testBed: TestBed;
let fixture: DomainsFixture;
let ca: string;
const docs = "docs.acme.test";
const help = "help.globex.test";

describeWithTestBedOnEngines("a domain that is right", (engine) => {
  beforeAll(async () => {
    testBed = await startTestBed();
    fixture = await startDomainsFixture(testBed, engine);
    ca = await testBed.caRoots();
    for (const [project, host] of [
      ["acme", docs],
      ["globex", help],
    ] as const) {
      await fixture.newProject(project);
      await testBed.zone(`${project}.test`, {
        records: `${host.split(".")[0]} CNAME ${testBed.target}.`,
      });
    }
  });
  afterAll(async () => {
    await fixture?.stop();
    await testBed?.stop();
  });

  const at = (host: string) => ({ port: testBed.httpsPort, host, ca });

  test("is live soon after Verify, and shows the project", async () => {
    await fixture.add("acme", docs);
    expect((await visitPlain(testBed.httpPort, docs)).status).toBe(404);
    expect(await handshakeFailure(at(docs))).toBeDefined();
    await fixture.verify("acme", docs);
    await fixture.until("acme", docs, ({ status }) => status === "live");
    const answer = await visit(at(docs));
    expect(answer.status).toBe(200);
    expect(answer.body).toContain("<title>acme</title>");
  });

  test("is among the metrics, with its certificate and what it took", async () => {
    await fixture.skip(15_000);
    const text = await scraped(fixture.service.service.metricsPort);
    // Those of the platform's own names, too.
    const issued = sampleOf(text, "petstore_acme_certificates_issued_total");
    expect(issued).toBeGreaterThan(0);
    expect(sampleOf(text, "petstore_certificates")).toBe(issued);
    expect(sampleOf(text, 'petstore_domains{status="live"}')).toBe(issued);
    expect(sampleOf(text, 'petstore_dns_questions_total{outcome="found"}')).toBeGreaterThan(0);
    expect(sampleOf(text, 'petstore_connections{listener="edge"}')).toBeDefined();
    expect(sampleOf(text, "petstore_edge_tls_handshakes_total")).toBeGreaterThan(0);
  });

  test("goes live by itself when nobody asks", async () => {
    await fixture.add("globex", help);
    await fixture.skip(15_000);
    const live = await fixture.until("globex", help, ({ status }) => status === "live");
    expect(live.timeline.map(({ event }) => event)).not.toContain("verify_requested");
    expect((await visit(at(help))).body).toContain("<title>globex</title>");
  });

  test("has a certificate for exactly its name, whose chain is valid", async () => {
    const { subjectaltname } = await certificateAt(at(docs));
    expect(subjectaltname).toBe(`DNS:${docs}`);
  });

  test("sends visitors from HTTP to HTTPS, but never the authority", async () => {
    const { status, headers } = await visitPlain(testBed.httpPort, docs, "/guide/?q=a%20b&c=1");
    expect([301, 308]).toContain(status);
    expect(headers["location"]).toBe(`https://${docs}:${testBed.httpsPort}/guide/?q=a%20b&c=1`);
    const challenge = await visitPlain(
      testBed.httpPort,
      docs,
      "/.well-known/acme-challenge/unknown",
    );
    expect(challenge.status).toBe(404);
    expect(challenge.headers["location"]).toBeUndefined();
  });

  test("is answered by HTTP/2 and by HTTP/1.1", async () => {
    const socket = await handshake(at(docs), { ALPNProtocols: ["h2", "http/1.1"] });
    expect(socket.alpnProtocol).toBe("h2");
    socket.destroy();
    const session = await openHttp2(at(docs));
    const answer = await askHttp2(session, docs);
    session.destroy();
    expect(answer.status).toBe(200);
    expect(answer.body).toContain("<title>acme</title>");
    expect((await visit(at(docs))).status).toBe(200);
  });

  test("lends its certificate to no other name", async () => {
    for (const options of [{ servername: "unknown.acme.test" }, { servername: "" }]) {
      const failure = await handshakeFailure(at(docs), { ...options, rejectUnauthorized: false });
      expect(failure).toBeDefined();
    }
    expect(await handshakeFailure(at(docs))).toBeUndefined();
  });

  test("is not answered for on a connection that was made for another", async () => {
    const answer = await visit(at(docs), "/", help);
    expect(answer.status).toBe(421);
    expect(answer.body).not.toContain("globex");
    const session = await openHttp2(at(docs));
    expect((await askHttp2(session, help)).status).toBe(421);
    session.destroy();
  });
});
