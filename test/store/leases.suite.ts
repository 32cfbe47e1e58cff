/** What every store of domains does for workers that share them, whichever engine it runs on. */
import { describe, expect, test } from "bun:test";
import type { Domain } from "../../src/hosting/domains/domain.ts";
import type { DomainStore, Lease, StoredDomain } from "../../src/hosting/domains/domains.ts";
import type { Stores } from "../../src/storage/stores.ts";
import {
  abandoned,
  addTo,
  changeIn,
  domainFor,
  entry,
  held,
  hourMs,
  nowMs,
  projectIn,
  proofNeeded,
  removed,
  storedIn,
  versionedIn,
} from "./domainSamples.ts";

const host = "docs.example.com";
const untilMs = nowMs + hourMs;
type Taken = StoredDomain & { readonly lease: Lease };

function take(
  { domains }: Stores,
  request: Partial<Parameters<DomainStore["takeDue"]>[0]> = {},
): Promise<readonly Taken[]> {
  return domains.takeDue({ holder: "one", nowMs, untilMs, max: 100, ...request });
}

async function takeOne(stores: Stores, request: Parameters<typeof take>[1] = {}): Promise<Lease> {
  const taken = await take(stores, request);
  if (taken.length !== 1) throw new Error(`One should be due, and ${taken.length} are.`);
  return (taken[0] as Taken).lease;
}

const hostsOf = (taken: readonly StoredDomain[]) => taken.map(({ domain }) => domain.host);

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeLeases(engine: string, open: () => Promise<Stores>): void {
  /** With one domain that is due. */
  async function openWithDomain(): Promise<{ stores: Stores; domain: Domain }> {
    const stores = await open();
    await projectIn(stores, "shop");
    const domain = domainFor(host);
    await addTo(stores, domain);
    return { stores, domain };
  }

  describe(`taking what is due on ${engine}`, () => {
    test("gives the longest due first, as they are stored, up to a bound", async () => {
      const stores = await open();
      await projectIn(stores, "shop", { plan: "free" });
      for (const [name, dueAtMs] of [
        ["b.example", nowMs],
        ["c.example", nowMs - 1],
        ["a.example", nowMs - 2],
        ["later.example", nowMs + 1],
      ] as const) {
        await addTo(stores, domainFor(name), dueAtMs);
      }
      const first = await take(stores, { max: 2 });
      expect(hostsOf(first)).toEqual(["a.example", "c.example"]);
      expect(first[0]).toEqual({
        domain: domainFor("a.example"),
        version: 1,
        standing: { paid: false, deployed: true },
        lease: { domainId: domainFor("a.example").id, fence: expect.any(Number) },
      });
      expect(hostsOf(await take(stores))).toEqual(["b.example"]);
      expect(await take(stores)).toEqual([]);
      expect(hostsOf(await take(stores, { nowMs: nowMs + 1 }))).toEqual(["later.example"]);
      // A lease is no change of what is known of the domain.
      expect((await storedIn(stores, domainFor("a.example"))).version).toBe(1);
    });

    test("includes what has ended, which is watched, and leaves out what is never due", async () => {
      const stores = await open();
      await projectIn(stores, "shop");
      for (const [name, ownership] of [
        ["removed.example", removed()],
        ["abandoned.example", abandoned()],
        ["proof.example", proofNeeded],
      ] as const) {
        await addTo(stores, domainFor(name, "shop", { ownership }));
      }
      const never = domainFor("never.example");
      await addTo(stores, never);
      await changeIn(stores, never, { dueAtMs: undefined });
      expect(hostsOf(await take(stores, { nowMs: nowMs + 1_000 * hourMs }))).toEqual([
        "removed.example",
        "abandoned.example",
        "proof.example",
      ]);
    });

    test("leaves out a claim that another one has ended", async () => {
      const { stores, domain } = await openWithDomain();
      await projectIn(stores, "rival");
      const claim = domainFor(host, "rival", { ownership: proofNeeded });
      await addTo(stores, claim, nowMs + 1);
      await changeIn(
        stores,
        { ...claim, ownership: held },
        { displaces: { domain: { ...domain, ownership: abandoned() }, version: 1, entries: [] } },
      );
      const due = await take(stores, { nowMs: nowMs + 1_000 * hourMs });
      expect(due.map(({ domain: { id } }) => id)).toEqual([claim.id]);
    });

    test("by many at once through two handles gives each domain to one of them", async () => {
      const handles = [await open(), await open()] as const;
      await projectIn(handles[0], "shop");
      const hosts = Array.from({ length: 120 }, (_, index) => `${index}.example`);
      await Promise.all(hosts.map((name) => addTo(handles[0], domainFor(name))));
      const takers = Array.from({ length: 60 }, (_, index) =>
        take(handles[index % 2 === 0 ? 0 : 1], { holder: `worker ${index}`, max: 3 }),
      );
      const taken = (await Promise.all(takers)).flat();
      expect(hostsOf(taken).toSorted()).toEqual(hosts.toSorted());
      expect(new Set(taken.map(({ domain }) => domain.id)).size).toBe(hosts.length);
    });

    test("leaves a leased domain alone until the time has passed, even for its holder", async () => {
      const { stores } = await openWithDomain();
      const other = await open();
      const lease = await takeOne(stores);
      for (const holder of ["one", "two"]) {
        expect(await take(other, { holder, nowMs: untilMs - 1 })).toEqual([]);
      }
      const later = await takeOne(other, { holder: "two", nowMs: untilMs, untilMs: untilMs + 5 });
      expect(later.domainId).toBe(lease.domainId);
      expect(later.fence).toBeGreaterThan(lease.fence);
    });
  });

  describe(`a lease on ${engine}`, () => {
    /** A lease that was let pass, and the one by which another worker has taken the domain. */
    async function lostLease() {
      const { stores, domain } = await openWithDomain();
      const other = await open();
      const lost = await takeOne(stores);
      const lease = await takeOne(other, {
        holder: "two",
        nowMs: untilMs,
        untilMs: untilMs + hourMs,
      });
      return { stores, other, domain, lost, lease };
    }

    const changeWith = (domain: Domain, lease: Lease) => ({
      domain,
      version: 1,
      dueAtMs: nowMs,
      entries: [entry("checked")],
      lease,
    });
    const challengeWith = (lease: Lease) => ({
      lease,
      host,
      token: "token",
      keyAuthorization: "token.key",
      expiresAtMs: untilMs,
    });

    test("that is the latest lets its holder change, extend and publish", async () => {
      const { stores, domain } = await openWithDomain();
      const lease = await takeOne(stores);
      expect(await stores.domains.change(changeWith(domain, lease))).toBe("done");
      expect(await stores.domains.publishChallenge(challengeWith(lease))).toBe(true);
      expect(await stores.edgeView.challenge(host, "token", nowMs)).toBe("token.key");
      expect(await stores.domains.extendLease(lease, untilMs + 10)).toBe(true);
      expect(await take(stores, { nowMs: untilMs + 9 })).toEqual([]);
      expect(await take(stores, { nowMs: untilMs + 10 })).toHaveLength(1);
    });

    test("that was lost changes nothing any more", async () => {
      const { stores, other, domain, lost, lease } = await lostLease();
      const changed = { ...domain, overdueTold: true };
      expect(await stores.domains.change(changeWith(changed, lost))).toBe("fenced");
      expect(await stores.domains.publishChallenge(challengeWith(lost))).toBe(false);
      expect(await stores.domains.extendLease(lost, untilMs + 9 * hourMs)).toBe(false);
      await stores.domains.endLease(lost);

      expect(await versionedIn(stores, domain)).toEqual({ domain, version: 1 });
      expect(await stores.domains.timeline(domain.id, 9)).toEqual([]);
      expect(await stores.edgeView.challenge(host, "token", nowMs)).toBeUndefined();
      expect(await take(stores, { nowMs: untilMs + hourMs - 1 })).toEqual([]);
      expect(await other.domains.change(changeWith(changed, lease))).toBe("done");
      expect(await take(stores, { nowMs: untilMs + hourMs })).toHaveLength(1);
    });

    test("that was lost is fenced also where the version has moved on", async () => {
      const { stores, other, domain, lost, lease } = await lostLease();
      expect(await other.domains.change(changeWith(domain, lease))).toBe("done");
      expect(await stores.domains.change(changeWith(domain, lost))).toBe("fenced");
    });

    test("whose time has passed is still the latest while nobody else took the domain", async () => {
      const { stores, domain } = await openWithDomain();
      const lease = await takeOne(stores, { untilMs: nowMs });
      expect(await stores.domains.extendLease(lease, untilMs)).toBe(true);
      expect(await stores.domains.change(changeWith(domain, lease))).toBe("done");
      expect(await take(stores, { nowMs: untilMs - 1 })).toEqual([]);
    });

    test("that ended lets others take the domain at once, and is not extended again", async () => {
      const { stores } = await openWithDomain();
      const lease = await takeOne(stores);
      await stores.domains.endLease(lease);
      expect(await stores.domains.extendLease(lease, untilMs)).toBe(false);
      expect(await stores.domains.publishChallenge(challengeWith(lease))).toBe(false);
      expect((await takeOne(stores, { holder: "two" })).fence).toBeGreaterThan(lease.fence);
    });

    test("of one domain is no lease of another", async () => {
      const { stores, domain } = await openWithDomain();
      const other = domainFor("other.example");
      await addTo(stores, other);
      const taken = await take(stores);
      const lease = taken.find((each) => each.domain.id === other.id)?.lease as Lease;
      expect(await stores.domains.change(changeWith(domain, lease))).toBe("fenced");
      const own = taken.find((each) => each.domain.id === domain.id)?.lease as Lease;
      const borrowed = { ...own, domainId: other.id };
      expect(await stores.domains.change(changeWith(domain, borrowed))).toBe("fenced");
      const forged = { ...lease, domainId: domain.id };
      expect(await stores.domains.extendLease(forged, untilMs)).toBe(false);
      expect(await stores.domains.extendLease({ ...lease, domainId: "x" }, untilMs)).toBe(false);
    });

    test("goes on when the owner changes the domain, whose worker must then read it again", async () => {
      const { stores, domain } = await openWithDomain();
      const lease = await takeOne(stores);
      const clicked = { ...domain, clicksAtMs: [nowMs] };
      await changeIn(stores, clicked, { dueAtMs: nowMs - 5 });
      expect(await take(stores)).toEqual([]);
      expect(await stores.domains.change(changeWith(domain, lease))).toBe("changed");
      const change = { ...changeWith(clicked, lease), version: 2, dueAtMs: nowMs + 5 };
      expect(await stores.domains.change(change)).toBe("done");
      await stores.domains.endLease(lease);
      expect(await take(stores, { nowMs: nowMs + 4 })).toEqual([]);
      expect(await take(stores, { nowMs: nowMs + 5 })).toHaveLength(1);
    });

    test("of a domain that was swept away is lost", async () => {
      const { stores, domain } = await openWithDomain();
      await changeIn(stores, { ...domain, ownership: removed() });
      const lease = await takeOne(stores);
      await stores.domains.sweep(nowMs + 1_000 * hourMs);
      expect(await stores.domains.get(domain.id)).toBeUndefined();
      expect(await stores.domains.change(changeWith(domain, lease))).toBe("fenced");
      expect(await stores.domains.extendLease(lease, untilMs)).toBe(false);
    });

    test("is taken again and again through two handles with numbers that only grow", async () => {
      const { stores } = await openWithDomain();
      const handles = [stores, await open()] as const;
      const fences: number[] = [];
      for (let round = 0; round < 10; round++) {
        const lease = await takeOne(handles[round % 2 === 0 ? 0 : 1]);
        fences.push(lease.fence);
        await handles[0].domains.endLease(lease);
      }
      expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b));
    });
  });
}
