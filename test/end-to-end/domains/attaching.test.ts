import { afterAll, beforeAll, expect, test } from "bun:test";
import { Problem, type ProblemCode } from "../../../src/core/problems.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { rejectionOf } from "../../store/rejection.ts";
import { type DomainsFixture, operator, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";

let testBed: TestBed;
let fixture: DomainsFixture;

async function refusalOf(work: Promise<unknown>): Promise<Problem> {
  const cause = await rejectionOf(work);
  if (cause instanceof Problem) return cause;
  throw cause;
}

describeWithTestBedOnEngines("attaching a domain", (engine) => {
  beforeAll(async () => {
    testBed = await startTestBed();
    fixture = await startDomainsFixture(testBed, engine);
    await fixture.newProject("acme");
  });
  afterAll(async () => {
    await fixture?.stop();
    await testBed?.stop();
  });

  const own = expect.stringMatching(/^edge-[0-9a-f]{20}\.sites\.platform\.test$/);
  const add = (project: string, host: string) => fixture.domainService.add(operator, project, host);

  async function expectRefusal(work: Promise<unknown>, code: ProblemCode, words: RegExp) {
    const refusal = await refusalOf(work);
    expect(refusal.code).toBe(code);
    expect(refusal.message).toMatch(words);
  }

  test("is refused on the free plan, with what to do", async () => {
    await fixture.newProject("thrifty", { plan: "free" });
    await expectRefusal(add("thrifty", "docs.thrifty.test"), "plan_required", /paid plan/);
    expect(await fixture.domainService.list(operator, { project: "thrifty" })).toEqual({
      items: [],
      next: undefined,
    });
  });

  test("is refused before the project was deployed", async () => {
    await fixture.newProject("blank", { deployed: false });
    await expectRefusal(add("blank", "docs.blank.test"), "deployment_required", /Deploy it/);
  });

  test("shows the record to create, with TTL 3600", async () => {
    const { records, status } = await add("acme", "help.acme.test");
    expect(status).toBe("pending_dns");
    expect(records).toEqual([
      {
        type: "CNAME",
        name: "help",
        fullName: "help.acme.test",
        value: own,
        ttlSeconds: 3600,
      },
    ]);
  });

  test("asks for an ALIAS or ANAME record at an apex", async () => {
    const { records } = await add("acme", "acme.test");
    expect(records[0]).toMatchObject({
      type: "ALIAS",
      name: "@",
      value: own,
      ttlSeconds: 3600,
    });
    expect(records[0]?.note).toContain("ANAME");
  });

  test("takes capitals, a final dot and other scripts for the same name", async () => {
    expect((await add("acme", "Bücher.ACME.test.")).host).toBe("xn--bcher-kva.acme.test");
    for (const same of ["bücher.acme.test", "XN--BCHER-KVA.acme.test", "bücher。acme.test"]) {
      await expectRefusal(add("acme", same), "already_attached", /attached to acme/);
    }
  });

  for (const [host, words] of [
    ["192.0.2.7", /IP address/],
    ["[2001:db8::1]", /IP address/],
    ["*.acme.test", /wildcard/],
    ["sites.platform.test", /platform itself/],
    ["mine.platform.test", /platform itself/],
    ["co.uk", /public suffix/],
    ["github.io", /public suffix/],
    ["acme", /not a host name/],
  ] as const) {
    test(`refuses ${host}`, () => expectRefusal(add("acme", host), "host_invalid", words));
  }

  test("is refused for a name that is attached already", async () => {
    await add("acme", "twice.acme.test");
    await expectRefusal(add("acme", "twice.acme.test"), "already_attached", /attached to acme/);
  });

  test("is not refused to another owner, who does not learn that somebody has it", async () => {
    await add("acme", "mine.acme.test");
    await fixture.newProject("rival");
    const claim = await add("rival", "mine.acme.test");
    expect([claim.status, claim.proven]).toEqual(["pending_dns", false]);
    expect(JSON.stringify(claim).replaceAll("mine.acme.test", "")).not.toContain("acme");
  });
});
