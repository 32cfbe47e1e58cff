/** What is recorded of projects, deployments, domains and certificates, whichever engine they are on. */
import { describe, expect, test } from "bun:test";
import type { Domain } from "../../src/hosting/domains/domain.ts";
import * as lifecycle from "../../src/hosting/domains/lifecycle.ts";
import type { Stores } from "../../src/storage/stores.ts";
import {
  addTo,
  certificateNamed,
  changeIn,
  dayMs,
  deployIn,
  holding,
  projectIn,
  storedIn,
} from "./domainSamples.ts";
import { allEvents } from "./events.suite.ts";
import { recorder } from "./platformEvents.suite.ts";

const host = "docs.example.com";
const named = { id: "dom_1", host, project: "shop", ownerId: "shop", target: "t.example.net" };
const right = { kind: "right", findings: [] } as const;
const wrong = {
  kind: "wrong",
  findings: [{ code: "CONFLICTING_A", message: "It has another address." }],
} as const;
const refused = { reason: "caa", findings: [], retryAtMs: undefined } as const;

/** A domain, and what its life brings, each stored as the worker does it. */
async function living(stores: Stores) {
  await projectIn(stores, "shop");
  await addTo(stores, lifecycle.added(named, Date.now()));
  const change = async (decide: (domain: Domain) => Domain, more = {}) =>
    changeIn(stores, decide((await storedIn(stores, named as Domain)).domain), more);
  const certify = (id: string, leftMs = 60 * dayMs) => {
    const [notBeforeMs, notAfterMs] = [Date.now() - 30 * dayMs, Date.now() + leftMs];
    const certificate = certificateNamed(id, host, { notBeforeMs, notAfterMs });
    const { held } = holding(lifecycle.added(named, 0), certificate).certificate;
    if (held === undefined) throw new Error("It should be held.");
    return change((domain) => lifecycle.certified(domain, held, Date.now()), { certificate });
  };
  return {
    change,
    certify,
    check: (verdict: typeof right | typeof wrong) =>
      change((domain) => lifecycle.checked(domain, verdict, Date.now())),
  };
}

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeHostingEvents(engine: string, open: () => Promise<Stores>): void {
  describe(`events of sites on ${engine}`, () => {
    test("are those of what a project shows", async () => {
      const stores = await open();
      const { sites, domains } = stores;
      const nowMs = Date.now();
      const events = await recorder(stores);
      await projectIn(stores, "shop");
      const [created, published, updated, ...more] = await events.next();
      expect(more).toEqual([]);
      const brief = [created, published, updated].map((each) => `${each?.type} ${each?.resource}`);
      expect(brief).toEqual([
        "project.created projects/shop",
        "deployment.published deployments/dep_shop",
        "project.updated projects/shop",
      ]);
      expect(JSON.parse(published?.data ?? "")).toMatchObject({
        project: "shop",
        state: "ready",
        fingerprint: "dep_shop",
      });
      expect(JSON.parse(updated?.data ?? "")).toMatchObject({ current: "dep_shop", primary: null });

      // What is shown already, or nothing, is no change.
      await sites.publishDeployment("shop", "dep_shop");
      await sites.rollBack("shop", "dep_shop");
      await sites.beginDeployment({ id: "dep_two", project: "shop", nowMs });
      await sites.buildDeployment("dep_two", nowMs);
      await sites.finishDeployment("dep_two", {
        fingerprint: "two",
        unless: "shown",
        nowMs,
        publish: false,
      });
      expect(await events.briefly()).toEqual([]);
      await sites.publishDeployment("shop", "dep_two");
      await sites.rollBack("shop", "dep_shop");
      await sites.unpublish("shop");
      await sites.unpublish("shop");
      const [two, one] = ["dep_two", "dep_shop"].map(
        (id) => `deployment.published deployments/${id}`,
      );
      const shown = "project.updated projects/shop";
      expect(await events.briefly()).toEqual([two, shown, one, shown, shown] as string[]);

      const routing = { primary: host, redirects: [] };
      await domains.saveRouting({ project: "shop", routing, version: 0 });
      await domains.saveRouting({ project: "shop", routing, version: 1 });
      await domains.saveRouting({ project: "shop", routing, version: 1 });
      const [routed, ...others] = await events.next();
      expect(others).toEqual([]);
      expect(JSON.parse(routed?.data ?? "")).toMatchObject({ primary: host, redirects: [] });
    });

    test("say what failed, also if nobody said so", async () => {
      const stores = await open();
      const { sites } = stores;
      const nowMs = Date.now();
      await projectIn(stores, "shop");
      const events = await recorder(stores);
      await sites.beginDeployment({ id: "dep_a", project: "shop", nowMs });
      await sites.failDeployment("dep_a", "A file is too large.", nowMs);
      await sites.failDeployment("dep_a", "Again.", nowMs);
      const [failed, ...more] = await events.next();
      expect([failed?.type, failed?.resource, more]).toEqual([
        ...["deployment.failed", "deployments/dep_a", []],
      ]);
      expect(JSON.parse(failed?.data ?? "")).toMatchObject({ failure: "A file is too large." });
      await sites.beginDeployment({ id: "dep_silent", project: "shop", nowMs });
      expect(await events.briefly()).toEqual([]);
      const laterMs = nowMs + dayMs;
      const limits = { all: 10, perOwner: 10 };
      await stores.uploads.beginUpload({
        id: "dep_b",
        project: "shop",
        files: [],
        limits,
        nowMs: laterMs,
      });
      expect(await events.briefly()).toEqual(["deployment.failed deployments/dep_silent"]);
    });
  });

  describe(`events of domains on ${engine}`, () => {
    const ofIt = (types: readonly string[]) => types.map((type) => `${type} domains/dom_1`);

    test("tell its life, and nothing while nothing changes", async () => {
      const stores = await open();
      const { check, certify, change } = await living(stores);
      const events = await recorder(stores);
      const told = async (...types: string[]) =>
        expect(await events.briefly()).toEqual(ofIt(types));
      await check(wrong);
      await check(wrong);
      await told();
      await check(right);
      await told("domain.verified");
      await check(right);
      await change((domain) => lifecycle.ordering(domain, Date.now()));
      await change((domain) => lifecycle.orderFailed(domain, refused, Date.now()));
      await told();
      await certify("cert_1");
      await told("certificate.issued", "domain.live");
      for (let count = 0; count < 3; count++) await check(wrong);
      await told("domain.degraded");
      await check(right);
      await told("domain.live");
      await change((domain) => lifecycle.orderFailed(domain, refused, Date.now()));
      await change((domain) => lifecycle.orderFailed(domain, refused, Date.now()));
      await told("certificate.renewal_failing");
      await certify("cert_2");
      await told("certificate.renewed");
      await change((domain) => lifecycle.removed(domain, Date.now()));
      await told("domain.removed");
      await change((domain) => lifecycle.watched(domain, [], Date.now()));
      await told();
    });

    test("have the domain as its owner sees it, and no key", async () => {
      const stores = await open();
      const { check, certify } = await living(stores);
      const events = await recorder(stores);
      await check(right);
      await certify("cert_1");
      await check(wrong);
      await check(wrong);
      await check(wrong);
      const degraded = (await events.next()).at(-1);
      expect(JSON.parse(degraded?.data ?? "")).toEqual({
        id: "dom_1",
        host,
        project: "shop",
        ownerId: "shop",
        status: "degraded",
        findings: wrong.findings,
        certificate: {
          issuer: "Test authority",
          notBefore: expect.any(String),
          notAfter: expect.any(String),
        },
        hsts: "day",
        addedAt: expect.any(String),
      });
      expect(JSON.stringify(await allEvents(stores))).not.toMatch(/sealed|chain of/);
    });

    test("follow its owner's plan, and what its project shows", async () => {
      const stores = await open();
      const { sites } = stores;
      const { check, certify } = await living(stores);
      await addTo(
        stores,
        lifecycle.added({ ...named, id: "dom_new", host: "new.example.com" }, Date.now()),
      );
      await check(right);
      await certify("cert_1");
      const events = await recorder(stores);
      await sites.setPlan("shop", "free");
      await sites.setPlan("shop", "free");
      expect(await events.briefly()).toEqual(ofIt(["domain.suspended"]));
      await check(right);
      expect(await events.briefly()).toEqual([]);
      await sites.setPlan("shop", "paid");
      expect(await events.briefly()).toEqual(ofIt(["domain.live"]));
      await sites.unpublish("shop");
      expect((await events.briefly()).at(-1)).toBe("domain.suspended domains/dom_1");
      await sites.rollBack("shop", "dep_shop");
      expect((await events.briefly()).at(-1)).toBe("domain.live domains/dom_1");
      await deployIn(stores, "shop", "dep_next");
      expect((await events.briefly()).filter((each) => each.includes("domain."))).toEqual([]);
    });

    test("say of the one that lost its name that it was removed", async () => {
      const stores = await open();
      const { check } = await living(stores);
      await check(right);
      await projectIn(stores, "other");
      const other = { ...named, id: "dom_2", project: "other", ownerId: "other" };
      await addTo(stores, lifecycle.added(other, Date.now()));
      const events = await recorder(stores);
      const { domain: rival, version } = await storedIn(stores, named as Domain);
      const { domain } = await storedIn(stores, other as Domain);
      const displaced = lifecycle.displaced(rival, Date.now());
      await changeIn(stores, lifecycle.checked(domain, right, Date.now()), {
        displaces: { domain: displaced, version, entries: [] },
      });
      expect((await events.briefly()).toSorted()).toEqual([
        "domain.removed domains/dom_1",
        "domain.verified domains/dom_2",
      ]);
    });

    test("say once that a certificate is expiring, and that it has expired", async () => {
      const stores = await open();
      const { check, certify } = await living(stores);
      await check(right);
      await certify("cert_1", 7 * dayMs + 3_600_000);
      const events = await recorder(stores);
      await stores.domains.recordExpiry(Date.now());
      expect(await events.briefly()).toEqual([]);
      await certify("cert_2", 7 * dayMs - 1);
      expect(await events.briefly()).toEqual(ofIt(["certificate.renewed"]));
      const looking = [stores, await open(), await open()];
      await Promise.all(looking.map(({ domains }) => domains.recordExpiry(Date.now())));
      await stores.domains.recordExpiry(Date.now());
      expect(await events.briefly()).toEqual(ofIt(["certificate.expiring"]));
      await certify("cert_3", -1);
      expect(await events.briefly()).toEqual(ofIt(["certificate.renewed", "domain.degraded"]));
      await stores.domains.recordExpiry(Date.now());
      expect(await events.briefly()).toEqual(ofIt(["certificate.expiring"]));
    });

    test("have what several writers of one domain did, each once", async () => {
      const [stores, other] = [await open(), await open()];
      const { check, certify } = await living(stores);
      await check(right);
      await certify("cert_1");
      const events = await recorder(stores);
      const plans = async () => {
        for (let count = 0; count < 10; count++) {
          await other.sites.setPlan("shop", "free");
          await other.sites.setPlan("shop", "paid");
        }
      };
      const pets = async () => {
        for (let count = 0; count < 30; count++) {
          await other.catalogue.add({ name: "Bella", categoryId: 3n, status: "available" });
        }
      };
      const checks = async () => {
        for (let count = 0; count < 20; count++) await check(right);
      };
      await Promise.all([plans(), checks(), pets()]);
      const types = (await events.next())
        .map(({ type }) => type)
        .filter((type) => /^domain/.test(type));
      expect(types).toHaveLength(20);
      for (const [index, type] of types.entries()) {
        expect(type).toBe(index % 2 === 0 ? "domain.suspended" : "domain.live");
      }
    });
  });
}
