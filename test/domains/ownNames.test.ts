import { beforeEach, expect, test } from "bun:test";
import { orderFailed } from "../../src/hosting/domains/lifecycle.ts";
import { keepOwnNames, retryOwnNames } from "../../src/hosting/domains/ownName.ts";
import { updateWithRetry } from "../../src/hosting/domains/updates.ts";
import { type DomainServiceFixture, domainServiceFixture, work } from "./domainServiceFixture.ts";

const host = "pets.example.com";
let fixture: DomainServiceFixture;
beforeEach(async () => {
  fixture = await domainServiceFixture();
});
const context = () => ({
  store: fixture.domains,
  clock: fixture.clock,
  now: () => fixture.clock.now(),
});
const names = async () => (await fixture.domains.ownNames()).map(({ domain }) => domain.host);

test("the names of the platform are exactly those of the settings", async () => {
  expect(await keepOwnNames([host, "*.sites.example.net"], context())).toEqual([]);
  expect((await names()).sort()).toEqual(["*.sites.example.net", host]);
  await keepOwnNames([host], context());
  expect(await names()).toEqual([host]);
});

test("processes that start together agree, and none of them complains", async () => {
  // The other one adds it after this one has looked.
  const { domains } = fixture;
  const holderOf = domains.holderOf.bind(domains);
  let meanwhile = async () => {};
  const store = Object.assign(Object.create(domains), {
    ownNames: () => domains.ownNames(),
    async holderOf(name: string) {
      await meanwhile();
      return holderOf(name);
    },
    add: domains.add.bind(domains),
  });
  meanwhile = async () => {
    meanwhile = async () => {};
    await keepOwnNames([host], context());
  };
  expect(await keepOwnNames([host], { ...context(), store })).toEqual([]);
  expect(await names()).toEqual([host]);
});

test("a name that an owner has shown to be theirs stays theirs, and is reported", async () => {
  await fixture.service.add({ kind: "operator" }, "shop", host);
  await work(fixture, "shop", host, (domain) => ({ ...domain, ownership: { kind: "held" } }));
  expect(await keepOwnNames([host], context())).toEqual([host]);
  expect(await names()).toEqual([]);
});

test("a name that an owner only claims is ours", async () => {
  await fixture.service.add({ kind: "operator" }, "shop", host);
  expect(await keepOwnNames([host], context())).toEqual([]);
  expect(await names()).toEqual([host]);
});

test("a name that goes leaves a tombstone, also where two processes end it", async () => {
  await keepOwnNames([host], context());
  const [stored] = await fixture.domains.ownNames();
  await Promise.all([keepOwnNames([], context()), keepOwnNames([], context())]);
  const ended = await fixture.domains.get(stored?.domain.id ?? "");
  expect(ended?.domain.ownership).toEqual({ kind: "removed", atMs: fixture.clock.now() });
});

test("a restart retries what was refused, and nothing else", async () => {
  await keepOwnNames([host], context());
  const [stored] = await fixture.domains.ownNames();
  if (stored === undefined) throw new Error("It was not added.");
  const refusal = { reason: "policy", findings: [], retryAtMs: undefined } as const;
  await updateWithRetry(context(), stored, (domain) => ({
    domain: orderFailed(domain, refusal, fixture.clock.now()),
    entries: [],
  }));
  fixture.clock.advance(1_000);
  await retryOwnNames(context());
  const [retried] = await fixture.domains.ownNames();
  expect(retried?.domain.certificate.issuance?.nextAttemptAtMs).toBe(fixture.clock.now());
});
