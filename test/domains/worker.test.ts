/** What a worker does to the stores, where the rules of several domains or projects meet. */
import { describe, expect, test } from "bun:test";
import { Vault } from "../../src/core/vault.ts";
import { noRouting } from "../../src/hosting/domains/domains.ts";
import { nextDueAtMs } from "../../src/hosting/domains/schedule.ts";
import type { JobContext } from "../../src/hosting/domains/updates.ts";
import { DomainWorker } from "../../src/hosting/domains/worker.ts";
import { rejectionOf } from "../store/rejection.ts";
import { found, missing, ns1, nxdomain, record, zoneOf } from "./answers.ts";
import {
  ann,
  bob,
  type DomainServiceFixture,
  domainServiceFixture,
  startMs,
  target,
  work,
} from "./domainServiceFixture.ts";
import { type Script, ScriptedResolver } from "./scriptedResolver.ts";
import { logTo, targetOf } from "./workerFixture.ts";

const host = "docs.example.com";
const www = "www.example.com";
const dayMs = 24 * 3_600_000;

const absent = missing(60).cname;
const nowhere: Script = {
  [`ns ${host}`]: zoneOf("example.com", [ns1]),
  [`${host} CNAME @`]: absent,
  [`${host} A @`]: absent,
  [`${host} AAAA @`]: absent,
  [`${host} CNAME`]: absent,
  [`${host} A`]: absent,
  [`${host} AAAA`]: absent,
};

/** A worker to whom DNS answers by a script, and who orders nothing. */
function workerIn(
  { domains, edgeView, clock }: DomainServiceFixture,
  script: Script,
): DomainWorker {
  const orderNothing = () => {
    throw new Error("Nobody expected an order.");
  };
  const parts: JobContext = {
    store: domains,
    edgeView,
    resolver: new ScriptedResolver(script),
    authority: {
      reach: orderNothing,
      order: orderNothing,
      renewalWindow: orderNothing,
    },
    probe: orderNothing,
    now: () => clock.now(),
    ownLimits: true,
    vault: new Vault("secret", clock),
    clock,
    target,
    renewalNameOf: () => undefined,
    log: logTo((event, { cause }) => {
      if (event === "domain.failed") failures.push(cause);
    }),
  };
  return new DomainWorker(parts, { holder: "one" });
}

const failures: unknown[] = [];

async function takeAll(worker: DomainWorker): Promise<number> {
  const taken = await worker.takeDue();
  await worker.settled();
  expect(failures.splice(0)).toEqual([]);
  return taken;
}

/** Ann's shop has both names; the one is primary, and the other redirects to it. */
async function routedFixture(): Promise<DomainServiceFixture> {
  const fixture = await domainServiceFixture();
  for (const each of [host, www]) await fixture.service.add(ann, "shop", each);
  const redirects = [{ from: www, to: host }];
  await fixture.service.applyRouting(ann, "shop", { primary: host, redirects });
  return fixture;
}

/** Lets nobody look at a domain. */
async function putOff(
  { domains }: DomainServiceFixture,
  project: string,
  name: string,
): Promise<void> {
  const stored = domains.list(project).find(({ domain }) => domain.host === name);
  if (stored === undefined) throw new Error(`${name} should be attached.`);
  const { domain, version } = stored;
  await domains.change({ domain, version, dueAtMs: undefined, entries: [] });
}

describe("a domain that ends by itself", () => {
  test("takes what leads to it out of the routing, when it is given up", async () => {
    const fixture = await routedFixture();
    await putOff(fixture, "shop", www);
    fixture.clock.advance(31 * dayMs);
    await takeAll(workerIn(fixture, nowhere));
    expect((await fixture.service.show(ann, "shop", host)).status).toBe("abandoned");
    expect(await fixture.service.routing(ann, "shop")).toEqual(noRouting);
  });

  test("takes what leads to it out of the routing, when another owner proved it", async () => {
    const fixture = await routedFixture();
    const { service, domains, clock } = fixture;
    const claim = await service.add(bob, "rival", host);
    // So that nothing is ordered for it.
    await fixture.sites.setPlan("bob", "free");
    const pointing = found(record(host, "CNAME", claim.records[0]?.value ?? ""));
    await work(fixture, "shop", host, (domain) => ({ ...domain, ownership: { kind: "held" } }));
    for (const each of [host, www]) await putOff(fixture, "shop", each);
    clock.advance(15_000);
    const shown = { ...nowhere, [`${host} CNAME @`]: pointing, [`${host} CNAME`]: pointing };
    expect(await takeAll(workerIn(fixture, shown))).toBe(1);
    const held = domains.list().filter(({ domain }) => domain.ownership.kind === "held");
    expect(held.map(({ domain }) => [domain.host, domain.project])).toEqual([[host, "rival"]]);
    expect(await service.routing(ann, "shop")).toEqual(noRouting);
    const lost = await service.show(ann, "shop", host);
    expect(lost.findings.map(({ code }) => code)).toEqual(["PROVEN_ELSEWHERE"]);
  });
});

test("a domain with nothing to do is taken once, and then not before its next appointment", async () => {
  const fixture = await domainServiceFixture();
  await fixture.service.add(ann, "shop", host);
  const [stored] = fixture.domains.list();
  if (stored === undefined) throw new Error("It should be there.");
  const { domain, version } = stored;
  await fixture.domains.change({ domain, version, dueAtMs: startMs, entries: [] });
  const worker = workerIn(fixture, {});
  expect(await takeAll(worker)).toBe(1);
  expect(await takeAll(worker)).toBe(0);
  fixture.clock.advance(nextDueAtMs(domain, startMs) - startMs - 1);
  expect(await takeAll(worker)).toBe(0);
});

test("what is no longer needed is removed soon after a start, so that frequent reloads do not prevent it", async () => {
  const fixture = await domainServiceFixture();
  await fixture.service.add(ann, "shop", host);
  await fixture.service.remove(ann, "shop", host, false);
  fixture.clock.advance(31 * dayMs);
  const worker = workerIn(fixture, { [`${host} CNAME`]: nxdomain(60) });
  const shown = () => fixture.service.show(ann, "shop", host);
  worker.start();
  expect((await shown()).status).toBe("removed");
  fixture.clock.advance(10 * 60_000);
  await worker.settled();
  await worker.stop(0);
  expect((await rejectionOf(shown())).message).toContain("not attached");
});

test("a removed name that still points here is told of, day by day", async () => {
  const fixture = await domainServiceFixture();
  await fixture.service.add(ann, "shop", host);
  await fixture.service.remove(ann, "shop", host, false);
  const events = async () =>
    (await fixture.service.show(ann, "shop", host)).timeline.map(({ event }) => event);
  fixture.clock.advance(dayMs);
  const dangling = { [`${host} CNAME`]: found(record(host, "CNAME", targetOf(fixture, host))) };
  expect(await takeAll(workerIn(fixture, dangling))).toBe(1);
  expect(await events()).toEqual(["dangling", "removed", "added"]);
  fixture.clock.advance(dayMs);
  expect(await takeAll(workerIn(fixture, { [`${host} CNAME`]: nxdomain(60) }))).toBe(1);
  expect(await events()).toEqual(["dangling", "removed", "added"]);
  expect((await fixture.service.show(ann, "shop", host)).findings).toEqual([]);
});
