/** What keeps a name from going to somebody who only says that it is theirs. */
import { describe, expect, test } from "bun:test";
import type { DomainView } from "../../src/hosting/domains/domainView.ts";
import type { Actor } from "../../src/hosting/sites/site.ts";
import { found, record } from "./answers.ts";
import {
  ann,
  bob,
  type DomainServiceFixture,
  domainServiceFixture,
  refusalOf,
  target as sitesHost,
} from "./domainServiceFixture.ts";
import { recordsOf, resolverOf, workerWith, workOff } from "./workerFixture.ts";

const host = "docs.example.com";
const apex = "example.com";
const dayMs = 24 * 3_600_000;
/** Where the host of the sites and every target leads to. */
const address = "192.0.2.10";

const typesOf = ({ records }: DomainView) => records.map(({ type }) => type);
const codesOf = ({ findings }: DomainView) => findings.map(({ code }) => code);

/** The records that an owner was told to create, as they stand in DNS. */
function recordsIn({ records }: DomainView): Record<string, string> {
  return Object.fromEntries(
    records.map(({ type, fullName, value }) =>
      // A provider that has ALIAS answers with the addresses of what it names.
      type === "ALIAS" ? [`${fullName} A`, address] : [`${fullName} ${type}`, value],
    ),
  );
}

/** Lets a check fall due, and has it done while DNS has these records. */
async function look(
  fixture: DomainServiceFixture,
  lines: Readonly<Record<string, string>>,
): Promise<void> {
  fixture.clock.advance(61_000);
  const inZone = recordsOf(lines);
  const told = resolverOf(inZone);
  const resolver = {
    ...told,
    lookUp: async (...[name, type]: Parameters<typeof told.lookUp>) =>
      name.endsWith(`.${sitesHost}`) && type === "A"
        ? found(record(name, "A", address))
        : told.lookUp(name, type),
  };
  await workOff(workerWith(fixture, resolver));
}

const routed = (fixture: DomainServiceFixture, name: string) =>
  fixture.edgeView.route(name) as { project?: string } | undefined;

/** Ann had the name, and removed it. Its record is still there. */
async function leftBehind(name: string) {
  const fixture = await domainServiceFixture();
  const records = recordsIn(await fixture.service.add(ann, "shop", name));
  await look(fixture, records);
  expect(routed(fixture, name)?.project).toBe("shop");
  await fixture.service.remove(ann, "shop", name, true);
  return { fixture, records };
}

describe("a record that was left behind", () => {
  for (const days of [1, 31]) {
    test(`verifies no claim of another owner, ${days} days after the removal`, async () => {
      const { fixture, records } = await leftBehind(host);
      fixture.clock.advance(days * dayMs);
      await fixture.domains.sweep(fixture.clock.now());
      await fixture.service.add(bob, "rival", host);
      for (let looks = 0; looks < 3; looks++) await look(fixture, records);
      const claim = await fixture.service.show(bob, "rival", host);
      expect([claim.status, ...codesOf(claim)]).toEqual(["misconfigured", "CNAME_MISMATCH"]);
      expect(claim.findings[0]?.found).toEqual([`CNAME ${records[`${host} CNAME`]}`]);
      expect(claim.findings[0]?.expected).toEqual([`CNAME ${claim.records[0]?.value}`]);
      expect(routed(fixture, host)).toBeUndefined();
    });

    test(`at an apex verifies none without the TXT record, ${days} days after`, async () => {
      const { fixture, records } = await leftBehind(apex);
      fixture.clock.advance(days * dayMs);
      await fixture.domains.sweep(fixture.clock.now());
      await fixture.service.add(bob, "rival", apex);
      for (let looks = 0; looks < 3; looks++) await look(fixture, records);
      const claim = await fixture.service.show(bob, "rival", apex);
      expect([claim.status, ...codesOf(claim)]).toEqual(["pending_dns", "PROOF_MISSING"]);
      expect(routed(fixture, apex)).toBeUndefined();
    });
  }

  for (const name of [host, apex]) {
    test(`verifies ${name} again for its owner, in any of their projects`, async () => {
      const { fixture, records } = await leftBehind(name);
      fixture.clock.advance(29 * dayMs);
      const back = await fixture.service.add(ann, "blog", name);
      expect(recordsIn(back)).toEqual(records);
      await look(fixture, records);
      expect(routed(fixture, name)?.project).toBe("blog");
    });
  }

  test("is nobody's after 30 days, and its owner gets a new one", async () => {
    const { fixture, records } = await leftBehind(host);
    fixture.clock.advance(31 * dayMs);
    await fixture.domains.sweep(fixture.clock.now());
    expect(recordsIn(await fixture.service.add(ann, "shop", host))).not.toEqual(records);
  });
});

describe("a name that was never attached", () => {
  const pointing = { [`${host} CNAME`]: `pages.${sitesHost}`, [`${apex} A`]: address };

  test("goes to nobody who claims it because its record points here", async () => {
    for (const [actor, project] of [
      [ann, "shop"],
      [bob, "rival"],
    ] as const) {
      const fixture = await domainServiceFixture();
      for (const name of [host, apex]) await fixture.service.add(actor, project, name);
      for (let looks = 0; looks < 3; looks++) await look(fixture, pointing);
      expect(routed(fixture, host)).toBeUndefined();
      expect(routed(fixture, apex)).toBeUndefined();
      expect(codesOf(await fixture.service.show(actor, project, host))).toEqual(["CNAME_MISMATCH"]);
    }
  });

  for (const name of [host, apex]) {
    test(`can be claimed by several: ${name} goes to whose records are there`, async () => {
      const fixture = await domainServiceFixture();
      const { service } = fixture;
      const squatter = await service.add(ann, "shop", name);
      const owner = await service.add(bob, "rival", name);
      expect(typesOf(owner)).toEqual(typesOf(squatter));
      expect(recordsIn(owner)).not.toEqual(recordsIn(squatter));
      await look(fixture, recordsIn(owner));
      expect(routed(fixture, name)?.project).toBe("rival");
      expect((await service.show(ann, "shop", name)).status).not.toBe("live");
    });
  }
});

describe("a name that another owner has", () => {
  async function annsName(name: string) {
    const fixture = await domainServiceFixture();
    const records = recordsIn(await fixture.service.add(ann, "shop", name));
    await look(fixture, records);
    return { fixture, records };
  }

  test("can be claimed without a word about whose it is, and stays theirs", async () => {
    const { fixture, records } = await annsName(host);
    const claim = await fixture.service.add(bob, "rival", host);
    expect(JSON.stringify(claim)).not.toMatch(/shop|ann\b/);
    await look(fixture, records);
    expect(routed(fixture, host)?.project).toBe("shop");
    expect((await fixture.service.show(ann, "shop", host)).status).toBe("live");
  });

  for (const name of [host, apex]) {
    test(`moves when ${name} has the records of the claim, and not before`, async () => {
      const { fixture, records } = await annsName(name);
      const { service } = fixture;
      const claim = recordsIn(await service.add(bob, "rival", name));
      const txt = Object.entries(claim).filter(([line]) => line.endsWith(" TXT"));
      // An apex has the TXT records of both; a CNAME cannot stand beside another one.
      await look(fixture, { ...records, ...(name === host ? Object.fromEntries(txt) : {}) });
      expect(routed(fixture, name)?.project).toBe("shop");
      await look(fixture, { ...records, ...claim });
      expect(routed(fixture, name)?.project).toBe("rival");
      const lost = await service.show(ann, "shop", name);
      expect([lost.status, ...codesOf(lost)]).toEqual(["abandoned", "PROVEN_ELSEWHERE"]);
      const refusal = await refusalOf(service.verify(ann, "shop", name));
      expect(refusal.message).toContain("Another owner proved by DNS");
    });
  }

  test("and that is suspended stays theirs, and can be claimed", async () => {
    const { fixture, records } = await annsName(host);
    await fixture.sites.setPlan("ann", "free");
    await fixture.service.add(bob, "rival", host);
    await look(fixture, records);
    await fixture.sites.setPlan("ann", "paid");
    expect(routed(fixture, host)?.project).toBe("shop");
  });

  test("is not lost by who is only claimed against, however often", async () => {
    const { fixture, records } = await annsName(host);
    for (let round = 0; round < 101; round++) {
      await fixture.service.add(bob, "rival", host);
      await fixture.service.remove(bob, "rival", host, true);
    }
    await look(fixture, records);
    expect((await fixture.service.show(ann, "shop", host)).status).toBe("live");
    expect((await fixture.service.remove(ann, "shop", host, false)).host).toBe(host);
  });
});

describe("a wildcard", () => {
  const wild = (to: string | undefined) => ({ "*.example.com CNAME": to ?? "" });

  async function added(actor: Actor, project: string) {
    const fixture = await domainServiceFixture();
    const view = await fixture.service.add(actor, project, host);
    return { fixture, value: view.records[0]?.value };
  }

  test("with the target of a domain verifies that one, as a record of its own does", async () => {
    const { fixture, value } = await added(ann, "shop");
    await look(fixture, wild(value));
    expect((await fixture.service.show(ann, "shop", host)).status).toBe("live");
  });

  test("with the target of one domain verifies no other name below it, of any owner", async () => {
    const { fixture, value } = await added(ann, "shop");
    for (const [actor, project, name] of [
      [ann, "shop", "www.example.com"],
      [bob, "rival", "api.example.com"],
    ] as const) {
      await fixture.service.add(actor, project, name);
      await look(fixture, wild(value));
      const view = await fixture.service.show(actor, project, name);
      expect(view.status).toBe("misconfigured");
      expect(codesOf(view)).toEqual(["WILDCARD_MATCH", "CNAME_MISMATCH"]);
      expect(routed(fixture, name)).toBeUndefined();
    }
  });

  test("elsewhere does not keep a name with its own record from being right", async () => {
    const { fixture, value } = await added(ann, "shop");
    await look(fixture, { ...wild("other.example"), [`${host} CNAME`]: value ?? "" });
    expect((await fixture.service.show(ann, "shop", host)).status).toBe("live");
  });
});
