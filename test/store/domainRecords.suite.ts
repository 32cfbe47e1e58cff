/** What every store of domains keeps beside the domains, and for how long. */
import { describe, expect, test } from "bun:test";
import type { Domain } from "../../src/hosting/domains/domain.ts";
import {
  type CaAttempt,
  noRouting,
  tombstonesPerProjectMax,
} from "../../src/hosting/domains/domains.ts";
import type { Routing } from "../../src/hosting/domains/routing.ts";
import type { Stores } from "../../src/storage/stores.ts";
import {
  abandoned,
  addTo,
  certificateNamed,
  changeIn,
  dayMs,
  domainFor,
  entry,
  held,
  holding,
  hourMs,
  nowMs,
  projectIn,
  proofNeeded,
  removed,
  servedIn,
} from "./domainSamples.ts";

const host = "docs.example.com";
const registrable = "example.com";

function attempt(atMs: number, changes: Partial<CaAttempt> = {}): CaAttempt {
  return { host, registrable, kind: "order", atMs, ...changes };
}

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeDomainRecords(engine: string, open: () => Promise<Stores>): void {
  async function openWithProject(): Promise<Stores> {
    const stores = await open();
    await projectIn(stores, "shop");
    return stores;
  }

  describe(`the timeline on ${engine}`, () => {
    test("keeps the last 200 of each domain, however they came", async () => {
      const stores = await openWithProject();
      const [domain, other] = [domainFor(host), domainFor("other.example")];
      const entries = (count: number) =>
        Array.from({ length: count }, (_, index) => entry(`${index} of ${count}`));
      await stores.domains.add(other, nowMs, [entry("other")]);
      await stores.domains.add(domain, nowMs, entries(199));
      const told = async () =>
        (await stores.domains.timeline(domain.id, 1_000)).map(({ event }) => event);
      expect(await told()).toHaveLength(199);
      await changeIn(stores, domain, { entries: entries(1) });
      expect(await told()).toHaveLength(200);
      expect((await told()).at(-1)).toBe("0 of 199");
      await changeIn(stores, domain, { entries: entries(2) });
      expect((await told()).slice(0, 4)).toEqual(["1 of 2", "0 of 2", "0 of 1", "198 of 199"]);
      expect(await told()).toHaveLength(200);
      expect((await told()).at(-1)).toBe("2 of 199");
      await changeIn(stores, domain, { entries: entries(250) });
      expect(await told()).toHaveLength(200);
      expect((await told()).at(-1)).toBe("50 of 250");
      expect(await stores.domains.timeline(other.id, 1_000)).toEqual([entry("other")]);
    });

    test("keeps every word of an entry", async () => {
      const stores = await openWithProject();
      const full = {
        ...entry("dns_checked"),
        message: 'It says "no".\n\u2028',
        findings: [{ code: "NXDOMAIN", message: "No such name.", next: "Add it.", seconds: 9 }],
        answers: ["ns1.example: docs.example.com. 60 IN CNAME ünï.example.", ""],
      } as const;
      await stores.domains.add(domainFor(host), nowMs, [full]);
      expect(await stores.domains.timeline(domainFor(host).id, 1)).toEqual([full]);
      expect(await stores.domains.timeline("dom_nobody", 1)).toEqual([]);
    });
  });

  describe(`the routing of a project on ${engine}`, () => {
    const routing: Routing = {
      primary: host,
      redirects: [{ from: "www.example.com", to: host, status: 308 }],
    };

    test("is saved only from the version that is stored", async () => {
      const { domains } = await openWithProject();
      const save = (version: number, changed: Routing) =>
        domains.saveRouting({ project: "shop", routing: changed, version });
      expect(await domains.routing("shop")).toEqual({ routing: noRouting, version: 0 });
      expect(await save(1, routing)).toBe("changed");
      expect(await save(0, routing)).toBe("done");
      expect(await domains.routing("shop")).toEqual({ routing, version: 1 });
      expect(await save(0, noRouting)).toBe("changed");
      expect(await save(1, noRouting)).toBe("done");
      expect(await domains.routing("shop")).toEqual({ routing: noRouting, version: 2 });
      expect(await domains.routing("nobody")).toEqual({ routing: noRouting, version: 0 });
    });

    for (const version of [0, 1]) {
      test(`30 times at once from version ${version} through two handles is saved once`, async () => {
        const handles = [await openWithProject(), await open()] as const;
        if (version === 1) {
          await handles[0].domains.saveRouting({ project: "shop", routing, version: 0 });
        }
        const outcomes = await Promise.all(
          Array.from({ length: 30 }, (_, index) => {
            const primary = `${index}.example`;
            const change = { project: "shop", routing: { ...routing, primary }, version };
            return handles[index % 2 === 0 ? 0 : 1].domains.saveRouting(change);
          }),
        );
        expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
        const primary = `${outcomes.indexOf("done")}.example`;
        expect(await handles[0].domains.routing("shop")).toEqual({
          routing: { ...routing, primary },
          version: version + 1,
        });
      });
    }
  });

  describe(`stored certificates on ${engine}`, () => {
    test("the newest that is valid after an instant is found, for exactly the host", async () => {
      const stores = await openWithProject();
      const { domains } = stores;
      const domain = domainFor(host);
      await addTo(stores, domain);
      const made = [
        ["cert_b", nowMs, nowMs + 90],
        ["cert_c", nowMs + 1, nowMs + 50],
        ["cert_a", nowMs + 2, nowMs + 10],
      ] as const;
      const all = made.map(([id, notBeforeMs, notAfterMs]) =>
        certificateNamed(id, host, { notBeforeMs, notAfterMs, renewalName: `renew ${id}` }),
      );
      for (const certificate of all) await changeIn(stores, domain, { certificate });
      const found = async (validAfterMs: number) => domains.certificateFor(host, validAfterMs);
      expect(await found(nowMs + 9)).toEqual(all[2]);
      expect((await found(nowMs + 10))?.id).toBe("cert_c");
      expect((await found(nowMs + 49))?.id).toBe("cert_c");
      expect((await found(nowMs + 50))?.id).toBe("cert_b");
      expect(await found(nowMs + 90)).toBeUndefined();
      for (const other of ["example.com", "x.docs.example.com", "ocs.example.com"]) {
        expect(await domains.certificateFor(other, 0)).toBeUndefined();
      }
    });
  });

  describe(`attempts at the authority on ${engine}`, () => {
    test("are those of the host or its registrable domain since an instant, oldest first", async () => {
      const { domains } = await openWithProject();
      const of = [
        attempt(nowMs + 3, { kind: "certificate" }),
        attempt(nowMs + 1),
        attempt(nowMs + 2, { host: "other.example.com", kind: "failed_authorization" }),
        // As the host was counted before the list of public suffixes had its parent.
        attempt(nowMs + 4, { registrable: host }),
      ];
      const strangers = [
        attempt(nowMs - 1),
        attempt(nowMs + 9, { host: "example.org", registrable: "example.org" }),
      ];
      for (const each of [...of, ...strangers]) await domains.recordAttempt(each);
      const [c, a, b, d] = of as [CaAttempt, CaAttempt, CaAttempt, CaAttempt];
      expect(await domains.attempts({ host, registrable }, nowMs)).toEqual([a, b, c, d]);
      expect(await domains.attempts({ host, registrable }, nowMs + 1)).toEqual([a, b, c, d]);
      expect(await domains.attempts({ host, registrable }, nowMs + 2)).toEqual([b, c, d]);
      expect(await domains.attempts({ host: "x.example.com", registrable }, nowMs)).toEqual([
        a,
        b,
        c,
      ]);
    });

    test("of one instant are in the order in which they were recorded, of whatever kind and host", async () => {
      const { domains } = await openWithProject();
      const kinds = ["order", "settled", "order", "failed_authorization", "order", "certificate"];
      const hosts = ["other.example.com", host];
      const all = kinds.map((kind, index) =>
        attempt(nowMs, { kind: kind as CaAttempt["kind"], host: hosts[index % 2] as string }),
      );
      for (const each of all) await domains.recordAttempt(each);
      expect(await domains.attempts({ host, registrable }, nowMs)).toEqual(all);
    });

    test("of more than 1,000 are the latest", async () => {
      const { domains } = await openWithProject();
      const all = Array.from({ length: 1_003 }, (_, index) => attempt(nowMs + index));
      // Not all at once: a store may refuse a crowd that would have to wait for too long.
      for (let left = all.toReversed(); left.length > 0; left = left.slice(50)) {
        await Promise.all(left.slice(0, 50).map((each) => domains.recordAttempt(each)));
      }
      expect(await domains.attempts({ host, registrable }, 0)).toEqual(all.slice(3));
    });
  });

  describe(`the tombstones of a project on ${engine}`, () => {
    test("are its latest ones and no more, whenever a domain ends", async () => {
      const stores = await openWithProject();
      await projectIn(stores, "blog");
      const { domains } = stores;
      const ended = Array.from({ length: tombstonesPerProjectMax + 2 }, (_, index) =>
        domainFor(`h${index}.example`, "shop", { ownership: removed(nowMs + index) }),
      );
      const other = domainFor("other.example", "blog", { ownership: removed(0) });
      const kept = domainFor("kept.example");
      for (const domain of [other, kept]) await domains.add(domain, 0, []);
      for (let left = ended; left.length > 0; left = left.slice(50)) {
        await Promise.all(left.slice(0, 50).map((each) => domains.add(each, 0, [entry("added")])));
      }
      const last = domainFor("last.example");
      await addTo(stores, last);
      await changeIn(stores, { ...last, ownership: removed(nowMs + 9_999) });

      const isThere = async ({ id }: Domain) => (await domains.get(id)) !== undefined;
      const those = [...ended.slice(0, 5), last, other, kept];
      expect(await Promise.all(those.map(isThere))).toEqual([
        ...[false, false, false, true, true],
        ...[true, true, true],
      ]);
      expect(await domains.timeline((ended[2] as Domain).id, 9)).toEqual([]);
    });
  });

  describe(`the sweep on ${engine}`, () => {
    test("takes tombstones with their timeline when they are older than 30 days", async () => {
      const stores = await openWithProject();
      const { domains } = stores;
      const oldMs = nowMs - 30 * dayMs;
      const cases = [
        ["removed.example", removed(oldMs - 1), false],
        ["abandoned.example", abandoned(oldMs - 1), false],
        ["removed-later.example", removed(oldMs), true],
        ["abandoned-later.example", abandoned(oldMs), true],
        ["held.example", held, true],
        ["proof.example", proofNeeded, true],
      ] as const;
      for (const [name, ownership] of cases) {
        const domain = domainFor(name, "shop", { ownership, addedAtMs: 0 });
        await domains.add(domain, 0, [entry("added", 0), entry("checked", 0)]);
      }
      await domains.sweep(nowMs);
      for (const [name, , stays] of cases) {
        const { id } = domainFor(name);
        expect([name, (await domains.get(id)) !== undefined]).toEqual([name, stays]);
        expect(await domains.timeline(id, 9)).toHaveLength(stays ? 2 : 0);
      }
    });

    test("counts a removal from when it was, not from when the domain was added", async () => {
      const stores = await openWithProject();
      const domain = domainFor(host, "shop", { addedAtMs: 0 });
      await addTo(stores, domain);
      await changeIn(stores, { ...domain, ownership: removed(nowMs) });
      await stores.domains.sweep(nowMs + 30 * dayMs);
      expect(await stores.domains.get(domain.id)).toBeDefined();
      await stores.domains.sweep(nowMs + 30 * dayMs + 1);
      expect(await stores.domains.get(domain.id)).toBeUndefined();
      expect(await stores.domains.claimsOn(host)).toEqual([]);
    });

    test("takes certificates that ended more than 30 days ago and that nobody holds", async () => {
      const stores = await openWithProject();
      const { domains } = stores;
      const oldMs = nowMs - 30 * dayMs;
      const names = ["old.example", "older.example", "holder.example"] as const;
      const ends = { "old.example": oldMs, "older.example": oldMs - 1, "holder.example": 1 };
      for (const name of names) {
        const certificate = certificateNamed(`cert_${name}`, name, { notAfterMs: ends[name] });
        const domain = domainFor(name);
        await addTo(stores, domain);
        const holds = name === "holder.example";
        await changeIn(stores, holds ? holding(domain, certificate) : domain, { certificate });
      }
      await domains.sweep(nowMs);
      const kept = [];
      for (const name of names) kept.push((await domains.certificateFor(name, 0))?.id);
      expect(kept).toEqual(["cert_old.example", undefined, "cert_holder.example"]);
      await changeIn(stores, domainFor("holder.example"));
      await domains.sweep(nowMs);
      expect(await domains.certificateFor("holder.example", 0)).toBeUndefined();
    });

    test("takes attempts that are older than 8 days", async () => {
      const { domains } = await openWithProject();
      const kept = attempt(nowMs - 8 * dayMs);
      await domains.recordAttempt(attempt(kept.atMs - 1));
      await domains.recordAttempt(kept);
      await domains.sweep(nowMs);
      expect(await domains.attempts({ host, registrable }, 0)).toEqual([kept]);
    });

    test("takes challenges that have ended and edges that were not seen for a day", async () => {
      const stores = await openWithProject();
      const { domains, edgeView } = stores;
      await addTo(stores, domainFor(host));
      const request = { holder: "one", nowMs, untilMs: nowMs + hourMs, max: 1 };
      const lease = (await domains.takeDue(request))[0]?.lease ?? { domainId: "none", fence: 0 };
      for (const [token, expiresAtMs] of [
        ["ended", nowMs],
        ["open", nowMs + 1],
      ] as const) {
        const challenge = { lease, host, token, keyAuthorization: `${token}.key`, expiresAtMs };
        expect(await domains.publishChallenge(challenge)).toBe(true);
      }
      const edge = { address: "127.0.0.1", httpPort: 80, revision: 0 };
      await edgeView.reportEdge({ ...edge, id: "gone", seenAtMs: nowMs - dayMs - 1 });
      await edgeView.reportEdge({ ...edge, id: "there", seenAtMs: nowMs - dayMs });
      await domains.sweep(nowMs);
      // Asked as of the beginning, when even what had to go was good.
      expect(await edgeView.challenge(host, "ended", 0)).toBeUndefined();
      expect(await edgeView.challenge(host, "open", 0)).toBe("open.key");
      expect((await edgeView.edges(0)).map(({ id }) => id)).toEqual(["there"]);
    });

    test("takes all of it, however much there is, and leaves what is served", async () => {
      const stores = await openWithProject();
      const { domains } = stores;
      await servedIn(stores, host);
      const oldMs = nowMs - 40 * dayMs;
      const add = async (index: number) => {
        const domain = domainFor(`${index}.example`, "shop", { ownership: removed(oldMs) });
        await domains.add(domain, oldMs, [entry("removed")]);
        await domains.recordAttempt(attempt(oldMs));
      };
      // All at once they would wait for a connection longer than a busy machine allows.
      for (let from = 0; from < 450; from += 30) {
        await Promise.all(Array.from({ length: 30 }, (_, index) => add(from + index)));
      }
      await domains.sweep(nowMs);
      const request = { holder: "one", nowMs, untilMs: nowMs, max: 1_000 };
      expect((await domains.takeDue(request)).map(({ domain }) => domain.host)).toEqual([host]);
      expect(await domains.attempts({ host, registrable }, 0)).toEqual([]);
      expect(await stores.edgeView.certificate(host)).toBeDefined();
    });
  });
}
