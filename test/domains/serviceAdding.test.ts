import { describe, expect, test } from "bun:test";
import { domainFor } from "../store/domainSamples.ts";
import {
  addProject,
  ann,
  bob,
  domainServiceFixture,
  operator,
  refusalOf,
  startMs,
  target,
} from "./domainServiceFixture.ts";

const host = "docs.example.com";

/** A target of its own, which nobody can guess. */
const own = expect.stringMatching(/^edge-[0-9a-f]{20}\.sites\.petstore\.example$/);

describe("adding a domain", () => {
  test("shows the CNAME to create, with a TTL of 3600, and waits for DNS", async () => {
    const { service } = await domainServiceFixture();
    expect(await service.add(ann, "shop", "Docs.Example.COM.")).toMatchObject({
      host,
      project: "shop",
      status: "pending_dns",
      step: "dns",
      records: [{ type: "CNAME", name: "docs", fullName: host, value: own, ttlSeconds: 3600 }],
      role: { kind: "site" },
      addedAtMs: startMs,
      nextAtMs: startMs + 15_000,
      retryAtMs: undefined,
    });
    expect((await service.show(ann, "shop", host)).timeline.map(({ event }) => event)).toEqual([
      "added",
    ]);
  });

  test("shows an ALIAS for an apex, and the TXT record that proves whose it is", async () => {
    const { service } = await domainServiceFixture();
    const { records } = await service.add(ann, "shop", "example.co.uk");
    expect(records).toMatchObject([
      { type: "ALIAS", name: "@", value: own, ttlSeconds: 3600 },
      { type: "TXT", name: "_petstore-proof", value: `petstore-proof=${records[0]?.value}` },
    ]);
  });

  test("gives each domain a target of its own, and the same one to who comes back", async () => {
    const { service } = await domainServiceFixture();
    const targetOf = async (slug: string, name: string) =>
      (await service.add(ann, slug, name)).records[0]?.value;
    const first = await targetOf("shop", host);
    expect(await targetOf("shop", "www.example.com")).not.toBe(first);
    await service.remove(ann, "shop", host, false);
    expect(await targetOf("blog", host)).toBe(first);
    await service.remove(ann, "blog", host, false);
    const [theirs] = (await service.add(bob, "rival", host)).records;
    expect(theirs?.value).not.toBe(first);
  });

  test("gives a target to who comes back from before there were targets", async () => {
    const { service, domains } = await domainServiceFixture();
    await service.add(ann, "shop", host);
    await service.remove(ann, "shop", host, false);
    const [ended] = domains.claimsOn(host);
    if (ended === undefined) throw new Error("It should have a tombstone.");
    const domain = { ...ended.domain, target: "" };
    await domains.change({ ...ended, domain, dueAtMs: undefined, entries: [] });
    expect((await service.add(ann, "shop", host)).records[0]?.value).toEqual(own);
  });

  test("needs the paid plan", async () => {
    const fixture = await domainServiceFixture();
    await fixture.sites.setPlan("ann", "free");
    const refusal = await refusalOf(fixture.service.add(ann, "shop", host));
    expect(refusal.code).toBe("plan_required");
    expect(fixture.domains.list()).toEqual([]);
  });

  test("needs the owner's plan also when the operator does it", async () => {
    const fixture = await domainServiceFixture();
    await fixture.sites.setPlan("ann", "free");
    const refusal = await refusalOf(fixture.service.add(operator, "shop", host));
    expect(refusal.code).toBe("plan_required");
  });

  test("needs a deployment", async () => {
    const fixture = await domainServiceFixture();
    await addProject(fixture, "empty", "ann", false);
    const refusal = await refusalOf(fixture.service.add(ann, "empty", host));
    expect(refusal.code).toBe("deployment_required");
    expect(fixture.domains.list()).toEqual([]);
  });

  for (const text of [
    target,
    `x.${target}`,
    "api.petstore.example",
    "*.example.com",
    "co.uk",
    "",
  ]) {
    test(`refuses ${JSON.stringify(text)} with what is wrong with it`, async () => {
      const { service } = await domainServiceFixture();
      const refusal = await refusalOf(service.add(ann, "shop", text));
      expect(refusal.code).toBe("host_invalid");
      expect(refusal.message).not.toBe("");
    });
  }

  test("is refused a second time, in this project and in another of the same owner", async () => {
    const { service } = await domainServiceFixture();
    await service.add(ann, "shop", host);
    for (const slug of ["shop", "blog"]) {
      const refusal = await refusalOf(service.add(ann, slug, host));
      expect(refusal.code).toBe("already_attached");
      expect(refusal.message).toContain("attached to shop");
    }
  });

  test("50 times at once succeeds once", async () => {
    const { service, domains } = await domainServiceFixture();
    const all = await Promise.allSettled(
      Array.from({ length: 50 }, () => service.add(ann, "shop", host)),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(domains.claimsOn(host)).toHaveLength(1);
  });

  test("with www adds both and the redirect to the one that was typed, or nothing", async () => {
    const { service, domains, sites } = await domainServiceFixture();
    const withWww = (actor: typeof ann, slug: string, name: string) =>
      service.add(actor, slug, name, "directly", true);
    expect((await withWww(ann, "shop", "Example.com")).host).toBe("example.com");
    expect((await withWww(ann, "shop", "www.example.org")).host).toBe("www.example.org");
    const hosts = ["example.com", "example.org", "www.example.com", "www.example.org"];
    expect(domains.list("shop").map(({ domain }) => domain.host)).toEqual(hosts);
    const { redirects } = await service.routing(ann, "shop");
    expect(redirects).toEqual([
      { from: "www.example.com", to: "example.com", status: 301 },
      { from: "example.org", to: "www.example.org", status: 301 },
    ]);

    for (const name of ["docs.example.net", "www.co.uk", "no_host"]) {
      expect((await refusalOf(withWww(ann, "shop", name))).code).toBe("host_invalid");
    }
    const { message } = await refusalOf(withWww(ann, "shop", "docs.example.net"));
    expect(message).toContain("docs.example.net has no www name");
    await sites.setPlan("ann", "free");
    expect((await refusalOf(withWww(ann, "shop", "more.com"))).code).toBe("plan_required");
    expect(domains.list("shop").map(({ domain }) => domain.host)).toEqual(hosts);
    expect((await service.routing(ann, "shop")).redirects).toEqual(redirects);
  });

  test("with www asks nobody who claims one of the names already", async () => {
    const { service } = await domainServiceFixture();
    await service.add(bob, "rival", "www.example.com");
    await service.add(ann, "shop", "example.com", "directly", true);
    expect((await service.routing(ann, "shop")).redirects).toHaveLength(1);
  });

  test("with www, 20 times at once, adds each name once", async () => {
    const { service, domains } = await domainServiceFixture();
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, count) =>
        service.add(ann, "shop", `${count % 2 === 0 ? "www." : ""}example.com`, "directly", true),
      ),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(domains.list("shop")).toHaveLength(2);
    expect((await service.routing(ann, "shop")).redirects).toHaveLength(1);
  });

  test("is refused to a project that has 2,000 already", async () => {
    const { service, domains } = await domainServiceFixture();
    for (let n = 0; n < 2_000; n++) {
      const domain = domainFor(`n${n}.example.com`, "shop", { ownerId: "ann" });
      await domains.add(domain, startMs, []);
    }
    const refusal = await refusalOf(service.add(ann, "shop", host));
    expect([refusal.code, /at most 2,000/.test(refusal.message)]).toEqual([
      "too_many_domains",
      true,
    ]);
    await service.add(ann, "blog", host);
    await service.remove(ann, "shop", "n0.example.com", false);
    await service.add(ann, "shop", "more.example.com");
  });

  test("is refused where 50 prepared ones of the owner wait for their certificates", async () => {
    const { service } = await domainServiceFixture();
    for (let n = 0; n < 49; n++) await service.add(ann, "shop", `n${n}.example.com`, "prepared");
    const both = service.add(ann, "blog", "example.com", "prepared", true);
    expect((await refusalOf(both)).message).toStartWith("At most 50 prepared domains of an owner");
    await service.add(ann, "blog", "proxied.example.com", "proxied");
    const refusal = await refusalOf(service.add(ann, "blog", host, "prepared"));
    expect(refusal.code).toBe("too_many_domains");
    await service.add(ann, "blog", host);
    await service.add(bob, "rival", host, "prepared");
    await service.remove(ann, "shop", "n0.example.com", false);
    await service.add(ann, "shop", "more.example.com", "prepared");
  });

  test("is off while the operator has set no target", async () => {
    const { service } = await domainServiceFixture({ target: undefined });
    expect((await refusalOf(service.add(ann, "shop", host))).code).toBe("domains_off");
  });
});

describe("a name that was removed", () => {
  test("is still removed to who had it, and says so", async () => {
    const { service } = await domainServiceFixture();
    await service.add(ann, "shop", host);
    await service.remove(ann, "shop", host, false);
    expect((await service.show(ann, "shop", host)).status).toBe("removed");
    expect((await service.list(ann, { project: "shop" })).items).toEqual([]);
  });
});

describe("owners", () => {
  test("see only their own projects, and another's as one that is not there", async () => {
    const fixture = await domainServiceFixture();
    const { service } = fixture;
    await service.add(ann, "shop", host);
    const asked = (slug: string) => [
      service.list(bob, { project: slug }),
      service.show(bob, slug, host),
      service.add(bob, slug, "other.example.com"),
      service.verify(bob, slug, host),
      service.routing(bob, slug),
      service.applyRouting(bob, slug, {}),
      service.remove(bob, slug, host, true),
    ];
    const refusals = await Promise.all([...asked("shop"), ...asked("nowhere")].map(refusalOf));
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(["project_not_found"]));
    const words = refusals.map(({ message }) => message.replace(/shop|nowhere/, "…"));
    expect(new Set(words).size).toBe(1);
    expect(fixture.domains.claimsOn(host)[0]?.domain.ownership.kind).toBe("proof_needed");
  });

  test("see the domains of one project in the order of their names; the operator sees all", async () => {
    const { service } = await domainServiceFixture();
    for (const name of ["b.example.com", "a.example.com"]) await service.add(ann, "shop", name);
    await service.add(ann, "blog", "c.example.com");
    const hosts = async (actor: typeof ann, project: string) =>
      (await service.list(actor, { project })).items.map((view) => view.host);
    expect(await hosts(ann, "shop")).toEqual(["a.example.com", "b.example.com"]);
    expect(await hosts(operator, "blog")).toEqual(["c.example.com"]);
    expect((await refusalOf(service.show(ann, "blog", host))).code).toBe("domain_not_found");
  });
});
