/** What every store of domains does, whichever engine it runs on. */
import { describe, expect, test } from "bun:test";
import type { Domain } from "../../src/hosting/domains/domain.ts";
import { type DomainChange, noRouting } from "../../src/hosting/domains/domains.ts";
import type { Stores } from "../../src/storage/stores.ts";
import {
  abandoned,
  addTo,
  certificateNamed,
  changeIn,
  domainFor,
  entry,
  everything,
  held,
  holding,
  nowMs,
  projectIn,
  proofNeeded,
  removed,
  storedIn,
  versionedIn,
} from "./domainSamples.ts";
import { rejectionOf } from "./rejection.ts";

const host = "docs.example.com";

/** How often each outcome came about. */
function counted(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeDomains(engine: string, open: () => Promise<Stores>): void {
  /** The projects `shop` and `rival`, each shown and paid for. */
  async function openWithProjects(): Promise<Stores> {
    const stores = await open();
    await projectIn(stores, "shop");
    await projectIn(stores, "rival");
    return stores;
  }

  describe(`adding a domain on ${engine}`, () => {
    test("keeps everything that is known of it, at version 1", async () => {
      const stores = await openWithProjects();
      const { domains } = stores;
      const domain = everything(host);
      expect(await domains.add(domain, nowMs, [entry("added")])).toBe("added");
      const stored = { domain, version: 1, standing: { paid: true, deployed: true } };
      expect(await domains.get(domain.id)).toEqual(stored);
      expect(await domains.list()).toEqual([stored]);
      expect(await domains.list("shop")).toEqual([stored]);
      expect(await domains.claimsOn(host)).toEqual([stored]);
      expect(await domains.timeline(domain.id, 10)).toEqual([entry("added")]);
      expect(await domains.holderOf(host)).toEqual(stored);
      expect(await domains.get("dom_nobody")).toBeUndefined();
      expect(await domains.list("rival")).toEqual([]);
      expect(await domains.claimsOn("DOCS.example.com")).toEqual([]);
    });

    for (const [first, second, outcome] of [
      [held, held, "taken"],
      [held, proofNeeded, "added"],
      [proofNeeded, held, "added"],
      [proofNeeded, proofNeeded, "added"],
      [removed(), held, "added"],
      [abandoned(), held, "added"],
    ] as const) {
      test(`${second.kind} where another project has it ${first.kind}: ${outcome}`, async () => {
        const stores = await openWithProjects();
        await addTo(stores, domainFor(host, "rival", { ownership: first }));
        const domain = domainFor(host, "shop", { ownership: second });
        expect(await stores.domains.add(domain, nowMs, [entry("added")])).toBe(outcome);
        expect(await stores.domains.get(domain.id)).toEqual(
          outcome === "added" ? expect.anything() : undefined,
        );
        expect(await stores.domains.timeline(domain.id, 9)).toHaveLength(
          outcome === "added" ? 1 : 0,
        );
      });
    }

    for (const [first, second, outcome] of [
      [held, held, "taken"],
      [held, proofNeeded, "taken"],
      [proofNeeded, held, "taken"],
      [proofNeeded, proofNeeded, "taken"],
      [removed(), held, "added"],
      [removed(), proofNeeded, "added"],
      [abandoned(), held, "added"],
    ] as const) {
      test(`${second.kind} where the same project has it ${first.kind}: ${outcome}`, async () => {
        const stores = await openWithProjects();
        await addTo(stores, domainFor(host, "shop", { ownership: first }));
        const again = domainFor(host, "shop", { id: "dom_again", ownership: second });
        expect(await stores.domains.add(again, nowMs, [])).toBe(outcome);
      });
    }

    test("with another one beside it adds both and the routing, or nothing", async () => {
      const stores = await openWithProjects();
      const { domains } = stores;
      const www = `www.${host}`;
      const redirects = [{ from: www, to: host, status: 301 } as const];
      const beside = (version: number) => ({
        domain: domainFor(www),
        dueAtMs: nowMs,
        entries: [entry("added beside")],
        routing: { project: "shop", routing: { primary: undefined, redirects }, version },
      });
      const add = (version: number) =>
        domains.add(domainFor(host), nowMs, [entry("added")], beside(version));
      expect(await add(3)).toBe("taken");
      await addTo(stores, domainFor(www, "rival"));
      expect(await add(0)).toBe("taken");
      expect(await domains.list("shop")).toEqual([]);
      await changeIn(stores, domainFor(www, "rival", { ownership: removed() }));
      expect(await add(0)).toBe("added");
      expect((await domains.list("shop")).map(({ domain }) => domain.host)).toEqual([host, www]);
      expect((await domains.routing("shop")).routing.redirects).toEqual(redirects);
      expect(await domains.timeline(domainFor(www).id, 9)).toEqual([entry("added beside")]);
    });

    for (const ownership of [held, proofNeeded]) {
      test(`${ownership.kind} 50 times at once through two handles succeeds once`, async () => {
        const handles = [await openWithProjects(), await open()] as const;
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, index) => {
            const domain = domainFor(host, "shop", { id: `dom_${index}`, ownership });
            return handles[index % 2 === 0 ? 0 : 1].domains.add(domain, nowMs, [entry("added")]);
          }),
        );
        expect(counted(outcomes)).toEqual({ added: 1, taken: 49 });
        expect(await handles[0].domains.claimsOn(host)).toHaveLength(1);
      });
    }

    test("for a project that is not there is a fault and leaves nothing", async () => {
      const stores = await openWithProjects();
      await rejectionOf(stores.domains.add(domainFor(host, "nobody"), nowMs, []));
      expect(await stores.domains.claimsOn(host)).toEqual([]);
    });
  });

  describe(`changing a domain on ${engine}`, () => {
    test("replaces it, grows the version and adds to the timeline", async () => {
      const stores = await openWithProjects();
      await stores.domains.add(domainFor(host), nowMs, [entry("added")]);
      const other = domainFor("other.example");
      await stores.domains.add(other, nowMs, [entry("other")]);
      const domain = { ...everything(host), overdueTold: false };
      for (const version of [1, 2, 3]) {
        const entries = [entry(`checked ${version}`), entry(`judged ${version}`)];
        const change = { domain, version, dueAtMs: nowMs, entries };
        expect(await stores.domains.change(change)).toBe("done");
      }
      expect(await versionedIn(stores, domain)).toEqual({ domain, version: 4 });
      const told = await stores.domains.timeline(domain.id, 100);
      expect(told.map(({ event }) => event)).toEqual([
        "judged 3",
        "checked 3",
        "judged 2",
        "checked 2",
        "judged 1",
        "checked 1",
        "added",
      ]);
      expect(await stores.domains.timeline(domain.id, 2)).toEqual(told.slice(0, 2));
      expect(await versionedIn(stores, other)).toEqual({ domain: other, version: 1 });
      expect(await stores.domains.timeline(other.id, 9)).toEqual([entry("other")]);
    });

    test("is refused from any version but the one that is stored", async () => {
      const stores = await openWithProjects();
      const domain = domainFor(host);
      await addTo(stores, domain);
      await changeIn(stores, domain);
      const changed = { ...domain, overdueTold: true };
      for (const version of [0, 1, 3]) {
        const change = { domain: changed, version, dueAtMs: nowMs, entries: [] };
        expect(await stores.domains.change(change)).toBe("changed");
      }
      expect(await versionedIn(stores, domain)).toEqual({ domain, version: 2 });
      const stranger = { domain: domainFor("x.example"), version: 1, dueAtMs: 1, entries: [] };
      expect(await stores.domains.change(stranger)).toBe("changed");
    });

    test("50 times at once from one version through two handles succeeds once", async () => {
      const handles = [await openWithProjects(), await open()] as const;
      const domain = domainFor(host);
      await addTo(handles[0], domain);
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          handles[index % 2 === 0 ? 0 : 1].domains.change({
            domain: { ...domain, clicksAtMs: [index] },
            version: 1,
            dueAtMs: nowMs,
            entries: [entry(`${index}`)],
          }),
        ),
      );
      expect(counted(outcomes)).toEqual({ done: 1, changed: 49 });
      const winner = outcomes.indexOf("done");
      const { domain: stored, version } = await storedIn(handles[1], domain);
      expect([stored.clicksAtMs, version]).toEqual([[winner], 2]);
      expect(await handles[1].domains.timeline(domain.id, 99)).toEqual([entry(`${winner}`)]);
    });

    test("nothing of a refused change is kept", async () => {
      const stores = await openWithProjects();
      const { domains } = stores;
      const [domain, rival] = [
        domainFor(host, "shop", { ownership: proofNeeded }),
        domainFor(host, "rival"),
      ];
      for (const each of [domain, rival]) await addTo(stores, each);
      const certificate = certificateNamed("cert_new", host);
      const attempt = { host, registrable: "example.com", kind: "order", atMs: nowMs } as const;
      const routing = { project: "shop", routing: { ...noRouting, primary: host }, version: 0 };
      const ends = { domain: { ...rival, ownership: removed() }, version: 1, entries: [] };
      const full: DomainChange = {
        domain: holding({ ...domain, ownership: held }, certificate),
        version: 1,
        dueAtMs: nowMs,
        entries: [entry("changed")],
        certificate,
        attempts: [attempt],
        routing,
        displaces: ends,
      };
      const refusals = [
        [{ version: 2 }, "changed"],
        [{ lease: { domainId: domain.id, fence: 1 } }, "fenced"],
        [{ routing: { ...routing, version: 1 } }, "changed"],
        [{ displaces: { ...ends, version: 2 } }, "changed"],
      ] as const;
      for (const [spoilt, outcome] of refusals) {
        expect(await domains.change({ ...full, ...spoilt })).toBe(outcome);
      }
      const { displaces: _ends, ...undisplaced } = full;
      expect(await domains.change(undisplaced)).toBe("taken");

      expect(await versionedIn(stores, domain)).toEqual({ domain, version: 1 });
      expect(await versionedIn(stores, rival)).toEqual({ domain: rival, version: 1 });
      expect(await domains.timeline(domain.id, 9)).toEqual([]);
      expect(await domains.certificateFor(host, nowMs)).toBeUndefined();
      expect(await domains.attempts(attempt, 0)).toEqual([]);
      expect(await domains.routing("shop")).toEqual({ routing: noRouting, version: 0 });

      expect(await domains.change(full)).toBe("done");
      expect(await versionedIn(stores, domain)).toEqual({ domain: full.domain, version: 2 });
      expect(await domains.timeline(domain.id, 9)).toHaveLength(1);
      expect(await domains.certificateFor(host, nowMs)).toEqual(certificate);
      expect(await domains.attempts(attempt, 0)).toEqual([attempt]);
      expect(await domains.routing("shop")).toEqual({ routing: routing.routing, version: 1 });
    });

    test("an ended claim cannot come back while the project has a newer one", async () => {
      const stores = await openWithProjects();
      const ended = domainFor(host, "shop", { id: "dom_old", ownership: removed() });
      await addTo(stores, ended);
      await addTo(stores, domainFor(host, "shop", { ownership: proofNeeded }));
      const change = { version: 1, dueAtMs: nowMs, entries: [] };
      for (const ownership of [held, proofNeeded]) {
        const revived = { ...ended, ownership };
        expect(await stores.domains.change({ ...change, domain: revived })).toBe("taken");
      }
    });
  });

  describe(`a claim that ends another on ${engine}`, () => {
    test("takes the name from it in one step", async () => {
      const stores = await openWithProjects();
      const holder = domainFor(host, "rival");
      const claim = domainFor(host, "shop", { ownership: proofNeeded });
      await addTo(stores, holder);
      await addTo(stores, claim);
      const ended = { ...holder, ownership: removed() };
      const proven = { ...claim, ownership: held };
      const displaces = { domain: ended, version: 1, entries: [entry("displaced")] };
      await changeIn(stores, proven, { displaces });
      expect(await versionedIn(stores, claim)).toEqual({ domain: proven, version: 2 });
      expect(await versionedIn(stores, holder)).toEqual({ domain: ended, version: 2 });
      expect(await stores.domains.timeline(holder.id, 1)).toEqual([entry("displaced")]);
      expect((await stores.domains.holderOf(host))?.domain.id).toBe(claim.id);
    });

    test("of two provers at once through two handles, one has it", async () => {
      const handles = [await openWithProjects(), await open()] as const;
      await projectIn(handles[0], "third");
      const holder = domainFor(host, "third");
      const claims = ["shop", "rival"].map((project) =>
        domainFor(host, project, { ownership: proofNeeded }),
      );
      for (const domain of [holder, ...claims]) await addTo(handles[0], domain);
      const displaces = { domain: { ...holder, ownership: removed() }, version: 1, entries: [] };
      const outcomes = await Promise.all(
        claims.map((claim, index) =>
          handles[index === 0 ? 0 : 1].domains.change({
            domain: { ...claim, ownership: held },
            version: 1,
            dueAtMs: nowMs,
            entries: [],
            displaces,
          }),
        ),
      );
      expect(outcomes.toSorted()).toEqual(["changed", "done"]);
      const holders = (await handles[0].domains.claimsOn(host)).filter(
        ({ domain }) => domain.ownership.kind === "held",
      );
      expect(holders).toHaveLength(1);
    });

    test("gives way to a third that holds the name already", async () => {
      const stores = await openWithProjects();
      await projectIn(stores, "third");
      const [claim, other] = ["shop", "rival"].map((project) =>
        domainFor(host, project, { ownership: proofNeeded }),
      ) as [Domain, Domain];
      for (const domain of [claim, other, domainFor(host, "third")]) await addTo(stores, domain);
      const outcome = await stores.domains.change({
        domain: { ...claim, ownership: held },
        version: 1,
        dueAtMs: nowMs,
        entries: [],
        displaces: { domain: { ...other, ownership: removed() }, version: 1, entries: [] },
      });
      expect(outcome).toBe("taken");
      expect(await versionedIn(stores, other)).toEqual({ domain: other, version: 1 });
    });
  });
}
