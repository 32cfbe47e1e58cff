/** What every store tells the edges, whichever engine it runs on. */
import { describe, expect, test } from "bun:test";
import type { Domain } from "../../src/hosting/domains/domain.ts";
import { noRouting } from "../../src/hosting/domains/domains.ts";
import type { Edge } from "../../src/hosting/domains/edgeView.ts";
import { addedOwn } from "../../src/hosting/domains/lifecycle.ts";
import { redirectStatuses } from "../../src/hosting/domains/routing.ts";
import type { Stores } from "../../src/storage/stores.ts";
import {
  abandoned,
  addTo,
  certificateNamed,
  changeIn,
  deployIn,
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

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeEdgeView(engine: string, open: () => Promise<Stores>): void {
  /** Two handles on one database, and a domain that is served. */
  async function openServed() {
    const [stores, other] = [await open(), await open()];
    await projectIn(stores, "shop");
    return { stores, other, domain: await servedIn(stores, host) };
  }

  async function expectServed({ edgeView }: Stores, is: boolean, certified = is): Promise<void> {
    expect((await edgeView.route(host)) !== undefined).toBe(is);
    expect((await edgeView.certificate(host)) !== undefined).toBe(certified);
  }

  describe(`what edges answer for a host on ${engine}`, () => {
    test("is a certificate and no route for a name of the platform itself", async () => {
      const [stores, other] = [await open(), await open()];
      const own = addedOwn({ id: "dom_own", host: "api.example.com" }, nowMs);
      await addTo(stores, own);
      expect(await other.edgeView.certificate(own.host)).toBeUndefined();
      const certificate = certificateNamed("cert_own", own.host);
      await changeIn(stores, holding(own, certificate), { certificate });
      expect(await other.edgeView.certificate(own.host)).toMatchObject({
        id: "cert_own",
        host: own.host,
      });
      expect(await other.edgeView.route(own.host)).toBeUndefined();
      const stored = await other.domains.holderOf(own.host);
      expect(stored?.standing).toEqual({ paid: true, deployed: true });
      expect(stored?.domain).toEqual(holding(own, certificate));
      expect(await other.domains.list()).toEqual([]);
      expect((await other.domains.ownNames()).map(({ domain }) => domain)).toEqual([
        holding(own, certificate),
      ]);
    });

    test("is the project's shown deployment, with the domain's certificate", async () => {
      const { other } = await openServed();
      expect(await other.edgeView.route(host)).toEqual({
        kind: "site",
        project: "shop",
        deployment: "dep_shop",
        primary: undefined,
      });
      expect(await other.edgeView.certificate(host)).toEqual({
        id: `cert_${host}`,
        host,
        chainPem: `chain of cert_${host}`,
        sealedKey: `sealed key of cert_${host}`,
      });
    });

    test("has the chosen policy of HTTPS, whichever it is, from the change on", async () => {
      const { stores, other, domain } = await openServed();
      const before = await other.edgeView.revision();
      await changeIn(stores, { ...domain, hsts: "year" });
      expect(await other.edgeView.route(host)).toMatchObject({ kind: "site", hsts: "year" });
      expect(await other.edgeView.certificate(host)).toMatchObject({ hsts: "year" });
      expect(await other.edgeView.revision()).toBeGreaterThan(before);
    });

    test("is nothing for a name that only resembles it", async () => {
      const { stores } = await openServed();
      for (const name of ["example.com", "Docs.example.com", `${host}.`, `x.${host}`, "%", ""]) {
        expect(await stores.edgeView.route(name)).toBeUndefined();
        expect(await stores.edgeView.certificate(name)).toBeUndefined();
      }
    });

    const withdrawals: Readonly<Record<string, (stores: Stores, domain: Domain) => unknown>> = {
      "the plan is free": ({ sites }) => sites.setPlan("shop", "free"),
      "the project is not published": ({ sites }) => sites.unpublish("shop"),
      "the domain is removed": (stores, domain) =>
        changeIn(stores, { ...domain, ownership: removed() }),
      "the domain is abandoned": (stores, domain) =>
        changeIn(stores, { ...domain, ownership: abandoned() }),
      "the owner must prove it": (stores, domain) =>
        changeIn(stores, { ...domain, ownership: proofNeeded }),
      "it has no certificate": (stores) => changeIn(stores, domainFor(host)),
    };
    /** Visitors are told so, which takes a certificate. */
    const passing = ["the plan is free", "the project is not published"];
    for (const [why, withdraw] of Object.entries(withdrawals)) {
      test(`is no site while ${why}, and the same again afterwards`, async () => {
        const { stores, other, domain } = await openServed();
        const route = await other.edgeView.route(host);
        await expectServed(other, true);
        const before = await other.edgeView.revision();
        await withdraw(stores, domain);
        await expectServed(stores, false, passing.includes(why));
        await expectServed(other, false, passing.includes(why));
        const between = await other.edgeView.revision();
        expect(between).toBeGreaterThan(before);

        await stores.sites.setPlan("shop", "paid");
        await stores.sites.rollBack("shop", "dep_shop");
        await changeIn(stores, domain);
        expect(await other.edgeView.route(host)).toEqual(route);
        await expectServed(other, true);
        expect(await other.edgeView.revision()).toBeGreaterThan(between);
      });
    }

    test("is nothing before there is a plan, a deployment or a certificate", async () => {
      const stores = await open();
      await projectIn(stores, "poor", { plan: "free" });
      await projectIn(stores, "empty", { deployed: false });
      await projectIn(stores, "new");
      await servedIn(stores, "poor.example", "poor");
      await servedIn(stores, "empty.example", "empty");
      await addTo(stores, domainFor("new.example", "new"));
      for (const name of ["poor.example", "empty.example", "new.example"]) {
        expect(await stores.edgeView.route(name)).toBeUndefined();
      }
      expect(await stores.edgeView.certificate("new.example")).toBeUndefined();
    });

    test("goes by the holder of the name, whoever else claims it", async () => {
      const { stores } = await openServed();
      await projectIn(stores, "rival");
      const claim = domainFor(host, "rival", { ownership: proofNeeded });
      await addTo(stores, holding(claim, certificateNamed(`cert_${host}`, host)));
      const old = domainFor(host, "rival", { id: "dom_old", ownership: removed() });
      await addTo(stores, holding(old, certificateNamed(`cert_${host}`, host)));
      expect(await stores.edgeView.route(host)).toMatchObject({ project: "shop" });
      await stores.sites.setPlan("shop", "free");
      await expectServed(stores, false, true);
    });

    test("is the certificate that the domain holds now", async () => {
      const { stores, other, domain } = await openServed();
      const renewed = certificateNamed("cert_renewed", host);
      await changeIn(stores, domain, { certificate: renewed });
      expect((await other.edgeView.certificate(host))?.id).toBe(`cert_${host}`);
      await changeIn(stores, holding(domain, renewed));
      expect((await other.edgeView.certificate(host))?.id).toBe("cert_renewed");
    });

    for (const status of redirectStatuses) {
      test(`is a redirect with ${status} where the routing says so`, async () => {
        const { stores, other } = await openServed();
        await servedIn(stores, "www.example.com");
        await servedIn(stores, "old.example.com");
        const redirects = [
          { from: "www.example.com", to: host, status },
          { from: "unserved.example.com", to: host, status },
        ];
        const routing = { primary: host, redirects };
        await stores.domains.saveRouting({ project: "shop", routing, version: 0 });
        const { edgeView } = other;
        expect(await edgeView.route("www.example.com")).toEqual({
          kind: "redirect",
          to: host,
          status,
        });
        expect(await edgeView.route("unserved.example.com")).toBeUndefined();
        const site = { kind: "site", project: "shop", deployment: "dep_shop", primary: host };
        expect(await edgeView.route(host)).toEqual(site as never);
        expect(await edgeView.route("old.example.com")).toEqual(site as never);
        expect((await edgeView.certificate("www.example.com"))?.id).toBe("cert_www.example.com");
        await stores.sites.setPlan("shop", "free");
        expect(await edgeView.route("www.example.com")).toBeUndefined();
      });
    }

    const www = "www.example.com";
    const site = (primary?: string) =>
      ({ kind: "site", project: "shop", deployment: "dep_shop", primary }) as const;

    /** A served `www`, and a routing that leads from it to a host. */
    async function openRouted(to: string) {
      const [stores, other] = [await open(), await open()];
      await projectIn(stores, "shop");
      await servedIn(stores, www);
      const routing = { primary: to, redirects: [{ from: www, to, status: 301 as const }] };
      await stores.domains.saveRouting({ project: "shop", routing, version: 0 });
      return { stores, edgeView: other.edgeView };
    }

    test("leads to a name while it is served with a valid certificate", async () => {
      const { stores, edgeView } = await openRouted(host);
      expect(await edgeView.route(www)).toEqual(site());
      const domain = domainFor(host);
      await addTo(stores, domain);
      expect(await edgeView.route(www)).toEqual(site());

      const before = await edgeView.revision();
      const certificate = certificateNamed("cert_late", host);
      await changeIn(stores, holding(domain, certificate), { certificate });
      expect(await edgeView.revision()).toBeGreaterThan(before);
      expect(await edgeView.route(www)).toEqual({ kind: "redirect", to: host, status: 301 });
      expect(await edgeView.route(www, certificate.notAfterMs)).toEqual(site());

      const between = await edgeView.revision();
      await changeIn(stores, { ...domain, ownership: removed() });
      expect(await edgeView.revision()).toBeGreaterThan(between);
      expect(await edgeView.route(www)).toEqual(site());
    });

    test("leads to no name that is prepared, though it is served, before its DNS points here", async () => {
      const { stores, edgeView } = await openRouted(host);
      const domain = { ...(await servedIn(stores, host)), validation: "dns-01" } as const;
      await changeIn(stores, domain);
      expect(await edgeView.route(www)).toEqual(site());
      expect(await edgeView.route(host)).toMatchObject({ kind: "site", prepared: true });

      const before = await edgeView.revision();
      await changeIn(stores, { ...domain, dns: { ...domain.dns, pointed: true } });
      expect(await edgeView.revision()).toBeGreaterThan(before);
      expect(await edgeView.route(www)).toEqual({ kind: "redirect", to: host, status: 301 });
    });

    test("leads to no name that another project serves by now", async () => {
      const { stores, edgeView } = await openRouted(host);
      await projectIn(stores, "rival");
      await servedIn(stores, host, "rival");
      expect(await edgeView.route(www)).toEqual(site());
    });

    test("announces the primary domain while a redirect waits for another name", async () => {
      const { stores, edgeView } = await openRouted("later.example.com");
      await servedIn(stores, host);
      const redirects = [{ from: www, to: "later.example.com", status: 301 as const }];
      const routing = { primary: host, redirects };
      await stores.domains.saveRouting({ project: "shop", routing, version: 1 });
      expect(await edgeView.route(www)).toEqual(site(host));
      expect(await edgeView.route(host)).toEqual(site(host));
    });
  });

  describe(`the edges' revision on ${engine}`, () => {
    const changes: Readonly<Record<string, (stores: Stores, domain: Domain) => unknown>> = {
      "a removal": (stores, domain) => changeIn(stores, { ...domain, ownership: removed() }),
      "a lost certificate": (stores) => changeIn(stores, domainFor(host)),
      "a new certificate": (stores, domain) => {
        const certificate = certificateNamed("cert_renewed", host);
        return changeIn(stores, holding(domain, certificate), { certificate });
      },
      "a domain that is added with what it needs": (stores) => {
        const certificate = certificateNamed(`cert_${host}`, host);
        return addTo(stores, holding(domainFor("more.example"), certificate));
      },
      "a routing that is saved": ({ domains }) =>
        domains.saveRouting({ project: "shop", routing: noRouting, version: 0 }),
      "a routing that changes with a domain": (stores, domain) =>
        changeIn(stores, domain, {
          routing: { project: "shop", routing: { ...noRouting, primary: host }, version: 0 },
        }),
      "a plan that ends": ({ sites }) => sites.setPlan("shop", "free"),
      "a deployment that is shown": (stores) => deployIn(stores, "shop", "dep_second"),
      "a project that is taken off": ({ sites }) => sites.unpublish("shop"),
      "a claim that is displaced": async (stores, domain) => {
        const claim = domainFor(host, "rival", { ownership: proofNeeded });
        const version = (await stores.domains.get(domain.id))?.version ?? 0;
        await stores.domains.change({
          domain: { ...claim, ownership: held },
          version: 1,
          dueAtMs: nowMs,
          entries: [],
          displaces: { domain: { ...domain, ownership: removed() }, version, entries: [] },
        });
      },
    };
    for (const [what, change] of Object.entries(changes)) {
      test(`grows with ${what}, in every handle`, async () => {
        const { stores, other, domain } = await openServed();
        await projectIn(stores, "rival");
        await addTo(stores, domainFor(host, "rival", { ownership: proofNeeded }));
        const before = [await stores.edgeView.revision(), await other.edgeView.revision()];
        expect(before[0]).toBe(before[1]);
        await change(stores, domain);
        const after = [await stores.edgeView.revision(), await other.edgeView.revision()];
        expect(after[0]).toBe(after[1]);
        expect(after[0]).toBeGreaterThan(before[0] as number);
        // Not every engine has one.
        expect(other.edgeView.revisionNow?.() ?? after[1]).toBe(after[1]);
      });
    }

    test("stays with what edges need not know, and with what is refused", async () => {
      const { stores, domain } = await openServed();
      const { domains, edgeView } = stores;
      const before = await edgeView.revision();
      const edge = { id: "e", address: "::1", httpPort: 1, revision: 1, seenAtMs: 1 };
      await changeIn(stores, { ...domain, overdueReported: true }, { entries: [entry("checked")] });
      await addTo(stores, domainFor("more.example"));
      await domains.recordAttempt({ host, registrable: "x", kind: "order", atMs: nowMs });
      await domains.takeDue({ holder: "one", nowMs, untilMs: nowMs, max: 9 });
      await edgeView.reportEdge(edge);
      await domains.sweep(nowMs);
      const gone = { ...domain, ownership: removed() };
      await domains.change({ domain: gone, version: 99, dueAtMs: 1, entries: [] });
      await domains.saveRouting({ project: "shop", routing: noRouting, version: 5 });
      expect(await edgeView.revision()).toBe(before);
    });
  });

  describe(`challenges on ${engine}`, () => {
    test("are answered by every handle until they expire, by host and token alone", async () => {
      const { stores, other } = await openServed();
      const { domains } = stores;
      const due = await domains.takeDue({ holder: "one", nowMs, untilMs: nowMs + hourMs, max: 1 });
      const lease = due[0]?.lease ?? { domainId: "none", fence: 0 };
      const publish = (keyAuthorization: string, expiresAtMs: number) =>
        domains.publishChallenge({ lease, host, token: "T", keyAuthorization, expiresAtMs });
      expect(await publish("T.first", nowMs + 10)).toBe(true);
      const { edgeView } = other;
      expect(await edgeView.challenge(host, "T", nowMs + 9)).toBe("T.first");
      expect(await edgeView.challenge(host, "T", nowMs + 10)).toBeUndefined();
      expect(await edgeView.challenge(host, "t", nowMs)).toBeUndefined();
      expect(await edgeView.challenge("example.com", "T", nowMs)).toBeUndefined();
      expect(await publish("T.second", nowMs + 20)).toBe(true);
      expect(await edgeView.challenge(host, "T", nowMs + 19)).toBe("T.second");
    });
  });

  describe(`the edges themselves on ${engine}`, () => {
    test("are known to every handle as they last reported", async () => {
      const [one, two] = [await open(), await open()];
      const edge = (id: string, seenAtMs: number, revision = 3): Edge => ({
        id,
        address: "127.0.0.1",
        httpPort: 8_081,
        revision,
        seenAtMs,
      });
      await one.edgeView.reportEdge(edge("b", nowMs));
      await two.edgeView.reportEdge(edge("a", nowMs + 1));
      expect(await one.edgeView.edges(nowMs)).toEqual([edge("a", nowMs + 1), edge("b", nowMs)]);
      expect(await two.edgeView.edges(nowMs + 1)).toEqual([edge("a", nowMs + 1)]);
      const moved = { ...edge("b", nowMs + 2, 4), address: "::1", httpPort: 9 };
      await one.edgeView.reportEdge(moved);
      expect(await two.edgeView.edges(nowMs + 2)).toEqual([moved]);
      await two.edgeView.forgetEdge("b");
      await two.edgeView.forgetEdge("nobody");
      expect(await one.edgeView.edges(0)).toEqual([edge("a", nowMs + 1)]);
    });
  });

  describe(`accounts at the authority on ${engine}`, () => {
    const account = (url: string, directory = "https://ca.example/directory") => ({
      directory,
      url,
      sealedKey: `sealed key of ${url}`,
    });

    test("of many that are kept at once through two handles, all get the same", async () => {
      const handles = [await open(), await open()] as const;
      const kept = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          handles[index % 2 === 0 ? 0 : 1].acmeAccounts.keepAccount(account(`account ${index}`)),
        ),
      );
      const [first] = kept;
      expect(new Set(kept.map(({ url }) => url)).size).toBe(1);
      expect(first).toEqual(account(first?.url ?? "none"));
      for (const { acmeAccounts } of handles) {
        expect(await acmeAccounts.account("https://ca.example/directory")).toEqual(first);
      }
    });

    test("are one for each directory", async () => {
      const { acmeAccounts } = await open();
      const other = account("b", "https://other.example/directory");
      expect(await acmeAccounts.keepAccount(account("a"))).toEqual(account("a"));
      expect(await acmeAccounts.keepAccount(other)).toEqual(other);
      expect(await acmeAccounts.account(other.directory)).toEqual(other);
      expect(await acmeAccounts.account("https://nobody.example")).toBeUndefined();
    });
  });
}
