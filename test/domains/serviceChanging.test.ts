import { describe, expect, test } from "bun:test";
import { noRouting } from "../../src/hosting/domains/domains.ts";
import * as lifecycle from "../../src/hosting/domains/lifecycle.ts";
import {
  ann,
  bob,
  type DomainServiceFixture,
  domainServiceFixture,
  refusalOf,
  startMs,
  work,
} from "./domainServiceFixture.ts";

const host = "docs.example.com";
const www = "www.example.com";
const old = "old.example.com";
const hourMs = 3_600_000;

async function attached(...hosts: readonly string[]): Promise<DomainServiceFixture> {
  const fixture = await domainServiceFixture();
  for (const each of hosts) await fixture.service.add(ann, "shop", each);
  return fixture;
}

/** As a worker does that got a certificate. */
async function serve({ domains }: DomainServiceFixture, host: string): Promise<void> {
  const certificate = {
    id: "crt_1",
    host,
    chainPem: "chain",
    sealedKey: "sealed",
    issuer: "Test authority",
    notBeforeMs: startMs,
    notAfterMs: startMs + 90 * 24 * hourMs,
    renewalName: undefined,
  };
  const stored = domains.claimsOn(host)[0];
  if (stored === undefined) throw new Error("It should be there.");
  const held = lifecycle.checked(stored.domain, { kind: "right", findings: [] }, startMs);
  await domains.change({
    domain: lifecycle.certified(held, certificate, startMs),
    version: stored.version,
    dueAtMs: startMs,
    entries: [],
    certificate,
  });
}

describe("asking for a check", () => {
  test("makes it due at once, and is told in the timeline", async () => {
    const { service, clock, domains } = await attached(host);
    clock.advance(hourMs);
    expect((await service.verify(ann, "shop", "DOCS.example.com.")).nextAtMs).toBe(
      startMs + hourMs,
    );
    const [due] = await domains.takeDue({
      holder: "one",
      nowMs: clock.now(),
      untilMs: clock.now() + 1,
      max: 9,
    });
    expect(due?.domain.host).toBe(host);
    expect((await service.show(ann, "shop", host)).timeline[0]?.event).toBe("verify_requested");
  });

  test("is allowed once in 10 seconds, and the refusal says when again", async () => {
    const { service, clock } = await attached(host);
    await service.verify(ann, "shop", host);
    for (const [passedMs, seconds] of [
      [0, 10],
      [1, 10],
      [3_999, 6],
      [5_999, 1],
    ] as const) {
      clock.advance(passedMs);
      const refusal = await refusalOf(service.verify(ann, "shop", host));
      expect([refusal.code, refusal.retryAfterSeconds]).toEqual(["verify_too_soon", seconds]);
      expect(refusal.message).toEndWith(`in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`);
    }
    clock.advance(1);
    await service.verify(ann, "shop", host);
  });

  test("is allowed 20 times in an hour, and again when the first is an hour ago", async () => {
    const { service, clock } = await attached(host);
    for (let click = 0; click < 20; click++) {
      await service.verify(ann, "shop", host);
      clock.advance(10_000);
    }
    const refusal = await refusalOf(service.verify(ann, "shop", host));
    expect(refusal.retryAfterSeconds).toBe(3_600 - 200);
    clock.advance((3_600 - 200) * 1000 - 1);
    expect((await refusalOf(service.verify(ann, "shop", host))).retryAfterSeconds).toBe(1);
    clock.advance(1);
    await service.verify(ann, "shop", host);
    const next = await refusalOf(service.verify(ann, "shop", host));
    expect(next.retryAfterSeconds).toBe(10);
  });

  test("is not refused for clicks of before the clock was set back", async () => {
    const fixture = await attached(host);
    const laterMs = startMs + 24 * hourMs;
    const clicksAtMs = Array<number>(20).fill(laterMs);
    await work(fixture, "shop", host, (domain) => ({ ...domain, clicksAtMs }));
    await fixture.service.verify(ann, "shop", host);
    expect(fixture.domains.claimsOn(host)[0]?.domain.clicksAtMs).toEqual([startMs]);
  });

  test("counts for each domain by itself", async () => {
    const { service } = await attached(host, www);
    await service.verify(ann, "shop", host);
    await service.verify(ann, "shop", www);
  });

  test("20 times at the same moment is allowed once", async () => {
    const { service, domains } = await attached(host);
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => service.verify(ann, "shop", host)),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(domains.claimsOn(host)[0]?.domain.clicksAtMs).toEqual([startMs]);
  });

  for (const [what, suspend] of [
    ["the plan lapsed", (fixture: DomainServiceFixture) => fixture.sites.setPlan("ann", "free")],
    ["nothing is published", (fixture: DomainServiceFixture) => fixture.sites.unpublish("shop")],
  ] as const) {
    test(`makes no sense while ${what}, and does again afterwards`, async () => {
      const fixture = await attached(host);
      await suspend(fixture);
      expect((await refusalOf(fixture.service.verify(ann, "shop", host))).code).toBe(
        "not_verifiable",
      );
      await fixture.sites.setPlan("ann", "paid");
      await fixture.sites.rollBack("shop", "dep_shop");
      expect((await fixture.service.verify(ann, "shop", host)).status).toBe("pending_dns");
    });
  }

  test("makes no sense of what was removed or given up", async () => {
    const fixture = await attached(host, www);
    await fixture.service.remove(ann, "shop", host, false);
    await work(fixture, "shop", www, (domain) => lifecycle.abandoned(domain, startMs));
    for (const each of [host, www]) {
      const refusal = await refusalOf(fixture.service.verify(ann, "shop", each));
      expect(refusal.code).toBe("not_verifiable");
      expect(refusal.message).toContain("Add it again");
    }
  });

  for (const text of [old, "not a host", ""]) {
    test(`of ${JSON.stringify(text)}, which is not attached, is refused`, async () => {
      const { service } = await attached(host);
      expect((await refusalOf(service.verify(ann, "shop", text))).code).toBe("domain_not_found");
    });
  }
});

describe("the routing of a project", () => {
  const document = {
    primary: host,
    redirects: [
      { from: www, to: host, status: 301 },
      { from: old, to: host, status: 308 },
    ],
  };

  test("is what was applied, and can be applied again as it is read", async () => {
    const { service } = await attached(host, www, old);
    expect(await service.routing(ann, "shop")).toEqual(noRouting);
    await service.applyRouting(ann, "shop", document);
    const exported = JSON.parse(JSON.stringify(await service.routing(ann, "shop")));
    expect(exported).toEqual(document);
    expect(await service.applyRouting(ann, "shop", exported)).toEqual(document as never);
    const roles = (await service.list(ann, { project: "shop" })).items.map(({ role }) => role);
    expect(roles).toEqual([
      { kind: "primary", held: true },
      { kind: "redirect", to: host, status: 308, held: true },
      { kind: "redirect", to: host, status: 301, held: true },
    ]);
  });

  test("is held where it leads to a name that is not served, and seen to be in effect at once", async () => {
    const fixture = await attached(host, www);
    const { service } = fixture;
    await service.applyRouting(ann, "shop", { redirects: [{ from: www, to: host }] });
    const shown = () => service.show(ann, "shop", www);
    expect((await shown()).role).toMatchObject({ kind: "redirect", held: true });
    const before = await service.versionOf(ann, await shown());
    await serve(fixture, host);
    expect(await service.versionOf(ann, await shown())).not.toBe(before);
    expect((await shown()).role).toMatchObject({ kind: "redirect", held: false });
    expect((await service.list(ann)).items.map(({ role }) => role)).toContainEqual(
      (await shown()).role,
    );
  });

  test("is taken wholly or not at all", async () => {
    const { service } = await attached(host, www);
    await service.applyRouting(ann, "shop", { primary: host });
    const refusal = await refusalOf(service.applyRouting(ann, "shop", document));
    expect(refusal.code).toBe("routing_invalid");
    expect(refusal.message).toBe(`${old} is not attached to this project. Add it first.`);
    expect(await service.routing(ann, "shop")).toEqual({ primary: host, redirects: [] });
  });

  test("is changed from what it is, or not at all", async () => {
    const { service } = await attached(host, www);
    await service.applyRouting(ann, "shop", { primary: host });
    const redirects = [{ from: www, to: host, status: 302 as const }];
    await service.changeRouting(ann, "shop", (before) => ({ ...before, redirects }));
    expect(await service.routing(ann, "shop")).toEqual({ primary: host, redirects });
    const both = await Promise.allSettled([
      service.changeRouting(ann, "shop", (before) => ({ ...before, primary: null })),
      service.changeRouting(ann, "shop", (before) => ({ ...before, redirects: [] })),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("knows nothing of the names of another project, or of what was removed", async () => {
    const { service } = await attached(host, www);
    await service.add(ann, "blog", old);
    await service.remove(ann, "shop", www, false);
    for (const primary of [old, www]) {
      const refusal = await refusalOf(service.applyRouting(ann, "shop", { primary }));
      expect(refusal.message).toContain(`${primary} is not attached to this project`);
    }
  });

  test("that is not even a document is refused", async () => {
    const { service } = await attached(host);
    expect((await refusalOf(service.applyRouting(ann, "shop", "x"))).code).toBe("routing_invalid");
  });

  test("never names a host that is removed at the same moment", async () => {
    const fixture = await attached(host, www);
    const { service, domains } = fixture;
    await Promise.allSettled([
      service.applyRouting(ann, "shop", { primary: www }),
      service.remove(ann, "shop", www, true),
      service.applyRouting(ann, "shop", { redirects: [{ from: host, to: www }] }),
    ]);
    const here = new Set(domains.list("shop").map(({ domain }) => domain.host));
    const { primary, redirects } = await service.routing(ann, "shop");
    const named = [primary ?? host, ...redirects.flatMap(({ from, to }) => [from, to])];
    expect(named.every((each) => here.has(each))).toBe(true);
  });
});

describe("HTTPS only", () => {
  test("is for a day unless another choice was made, and only of an attached name", async () => {
    const { service } = await domainServiceFixture();
    expect((await service.add(ann, "shop", host)).hsts).toBe("day");
    const { hsts, timeline } = await service.setHsts(ann, "shop", host, "subdomains");
    expect([hsts, timeline[0]?.event]).toEqual(["subdomains", "hsts_set"]);
    await service.setHsts(ann, "shop", host, "subdomains");
    expect((await service.show(ann, "shop", host)).timeline).toHaveLength(2);
    expect((await refusalOf(service.setHsts(bob, "shop", host, "off"))).code).toBe(
      "project_not_found",
    );
    await service.remove(ann, "shop", host, false);
    expect((await refusalOf(service.setHsts(ann, "shop", host, "off"))).code).toBe(
      "domain_not_found",
    );
    expect((await service.add(ann, "shop", host)).hsts).toBe("day");
  });
});

describe("removing a domain", () => {
  const document = { primary: host, redirects: [{ from: www, to: host }] };

  test("asks first where it is the primary or the end of a redirect", async () => {
    const { service } = await attached(host, www);
    await service.applyRouting(ann, "shop", document);
    const refusal = await refusalOf(service.remove(ann, "shop", host, false));
    expect(refusal.code).toBe("confirmation_needed");
    expect(refusal.message).toContain("it is the primary domain");
    expect(refusal.message).toContain(`${www} redirects to it`);
    expect((await service.show(ann, "shop", host)).status).toBe("pending_dns");
    expect((await service.routing(ann, "shop")).primary).toBe(host);
  });

  test("that is confirmed takes those settings with it", async () => {
    const { service } = await attached(host, www);
    await service.applyRouting(ann, "shop", document);
    await service.remove(ann, "shop", host, true);
    expect(await service.routing(ann, "shop")).toEqual(noRouting);
    const { items } = await service.list(ann, { project: "shop" });
    expect(items.map((view) => view.host)).toEqual([www]);
  });

  test("does not ask where it only redirects, and takes that redirect with it", async () => {
    const { service } = await attached(host, www);
    await service.applyRouting(ann, "shop", document);
    await service.remove(ann, "shop", www, false);
    expect(await service.routing(ann, "shop")).toEqual({ primary: host, redirects: [] });
  });

  test("stops serving it at once, and tells the edges that are behind", async () => {
    const fixture = await attached(host);
    const { service, domains, edgeView, clock } = fixture;
    await serve(fixture, host);
    expect(edgeView.route(host)).toBeDefined();
    const edge = { address: "127.0.0.1", httpPort: 80, revision: edgeView.revision() };
    await edgeView.reportEdge({ ...edge, id: "one", seenAtMs: clock.now() });
    await edgeView.reportEdge({ ...edge, id: "two", revision: 9_999, seenAtMs: clock.now() });
    await edgeView.reportEdge({ ...edge, id: "silent", seenAtMs: clock.now() - 30_001 });
    await edgeView.reportEdge({ ...edge, id: "future", seenAtMs: clock.now() + 30_001 });
    const removal = await service.remove(ann, "shop", host, false);
    expect(removal).toEqual({ host, removedAtMs: startMs, edges: 2, edgesBehind: ["one"] });
    await edgeView.reportEdge({ ...edge, id: "one", revision: 9_999, seenAtMs: clock.now() });
    expect(await service.edgesBehind()).toEqual({ edges: 2, edgesBehind: [] });
    expect(edgeView.route(host)).toBeUndefined();
    expect(edgeView.certificate(host)).toBeUndefined();
    expect(domains.certificateFor(host, startMs)?.id).toBe("crt_1");
  });

  test("twice is refused the second time, and changes nothing", async () => {
    const { service, clock, domains } = await attached(host);
    await service.remove(ann, "shop", host, false);
    clock.advance(hourMs);
    expect((await refusalOf(service.remove(ann, "shop", host, false))).code).toBe(
      "domain_not_found",
    );
    expect(domains.claimsOn(host)[0]?.domain.ownership).toMatchObject({
      kind: "removed",
      atMs: startMs,
    });
  });

  test("of a name that is not attached is refused", async () => {
    const { service } = await attached(host);
    expect((await refusalOf(service.remove(ann, "shop", www, true))).code).toBe("domain_not_found");
  });
});
