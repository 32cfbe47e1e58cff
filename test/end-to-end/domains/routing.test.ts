import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { rejectionOf } from "../../store/rejection.ts";
import { type DomainsFixture, operator, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";
import { visit } from "./visits.ts";

let testBed: TestBed;
let fixture: DomainsFixture;
let ca: string;
const project = "acme";
const docs = "docs.acme.test";
const www = "www.acme.test";
const old = "old.acme.test";

describeWithTestBedOnEngines("the routing of several domains", (engine) => {
  beforeAll(async () => {
    testBed = await startTestBed();
    fixture = await startDomainsFixture(testBed, engine);
    ca = await testBed.caRoots();
    const names = ["docs", "www", "old", "new"];
    const records = names.map((name) => `${name} CNAME ${testBed.target}.`);
    await testBed.zone("acme.test", { records: records.join("\n") });
    await fixture.newProject(project);
    await Promise.all([docs, www, old].map((host) => fixture.goLive(project, host)));
  });
  afterAll(async () => {
    await fixture?.stop();
    await testBed?.stop();
  });

  const at = (host: string) => ({ port: testBed.httpsPort, host, ca });
  const apply = (document: unknown) =>
    fixture.domainService.applyRouting(operator, project, document);
  const refusalOf = async (document: unknown) =>
    ((await rejectionOf(apply(document))) as Error).message;

  test("redirects with the status of the document, and keeps path and query", async () => {
    await apply({
      primary: docs,
      redirects: [
        { from: www, to: docs, status: 301 },
        { from: old, to: docs, status: 308 },
      ],
    });
    const path = "/guide/keys/?a=1&b=%2F..%2F&b=2";
    const permanent = await visit(at(www), path);
    expect(permanent.status).toBe(301);
    expect(permanent.headers["location"]).toBe(`https://${docs}:${testBed.httpsPort}${path}`);
    expect((await visit(at(old), path)).status).toBe(308);
    expect((await visit(at(docs))).status).toBe(200);
  });

  test("leads nobody to a name that is not served, and there as soon as it is", async () => {
    const later = "new.acme.test";
    await fixture.add(project, later);
    await apply({ primary: later, redirects: [{ from: www, to: later, status: 301 }] });
    for (const host of [www, old]) {
      const held = await visit(at(host));
      expect([held.status, held.headers["link"]]).toEqual([200, undefined]);
    }
    await fixture.verify(project, later);
    await fixture.until(project, later, ({ status }) => status === "live");
    expect((await visit(at(www))).headers["location"]).toStartWith(`https://${later}`);
    expect((await visit(at(old))).headers["link"]).toContain(later);

    await fixture.domainService.remove(operator, project, later, true);
    const ended = await visit(at(www));
    expect([ended.status, ended.headers["link"]]).toEqual([200, undefined]);
  });

  test("is exported as the document that was applied", async () => {
    const document = { primary: docs, redirects: [{ from: www, to: docs, status: 302 as const }] };
    await apply(document);
    expect(await fixture.domainService.routing(operator, project)).toEqual(document);
  });

  test("that would lead in a circle, on itself, in a chain or elsewhere is refused as a whole", async () => {
    await apply({ primary: docs, redirects: [{ from: www, to: docs, status: 301 }] });
    const before = await fixture.domainService.routing(operator, project);
    const to = (from: string, target: string) => ({ from, to: target, status: 301 });
    expect(await refusalOf({ redirects: [to(www, old), to(old, www)] })).toContain("in a loop");
    expect(await refusalOf({ redirects: [to(www, www)] })).toContain("to itself");
    expect(await refusalOf({ redirects: [to(www, old), to(old, docs)] })).toContain(
      "which redirects",
    );
    expect(await refusalOf({ redirects: [to(www, "docs.globex.test")] })).toContain("not attached");
    expect(await refusalOf({ redirects: [{ ...to(www, docs), status: 418 }] })).toContain("status");
    expect(await fixture.domainService.routing(operator, project)).toEqual(before);
    expect((await visit(at(www))).status).toBe(301);
  });

  test("asks before a primary domain or the target of a redirect is removed", async () => {
    await apply({ primary: docs, redirects: [{ from: www, to: old, status: 301 }] });
    for (const host of [docs, old]) {
      const refusal = await rejectionOf(
        fixture.domainService.remove(operator, project, host, false),
      );
      expect(refusal).toMatchObject({ code: "confirmation_needed" });
      expect((await fixture.show(project, host)).status).toBe("live");
    }
    await fixture.domainService.remove(operator, project, old, true);
    expect(await fixture.domainService.routing(operator, project)).toEqual({
      primary: docs,
      redirects: [],
    });
    expect((await visit(at(www))).status).toBe(200);
  });
});
