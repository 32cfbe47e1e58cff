/** A domain service with owners, projects and a fake clock. */

import { Problem } from "../../src/core/problems.ts";
import type { Domain } from "../../src/hosting/domains/domain.ts";
import { DomainService } from "../../src/hosting/domains/domainService.ts";
import type { Actor, Plan } from "../../src/hosting/sites/site.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";
import { memoryStores, type SitesAndDomains } from "../../testkit/memoryStores.ts";

export const startMs = Date.UTC(2026, 10, 15, 12);
export const target = "sites.petstore.example";
export const operator: Actor = { kind: "operator" };
export const ownerOf = (id: string): Actor => ({ kind: "owner", id });
export const ann = ownerOf("ann");
export const bob = ownerOf("bob");

export interface DomainServiceFixture extends SitesAndDomains {
  readonly service: DomainService;
  readonly clock: FakeClock;
}

/** Ann has the projects `shop` and `blog`, Bob has `rival`; all are paid for and deployed. */
export async function domainServiceFixture(
  options: { target?: string | undefined; dnsUpdates?: boolean } = {},
): Promise<DomainServiceFixture> {
  const stores = memoryStores();
  const clock = fakeClock(startMs);
  for (const [ownerId, slugs] of [
    ["ann", ["shop", "blog"]],
    ["bob", ["rival"]],
  ] as const) {
    await stores.sites.addOwner({ id: ownerId, name: ownerId, plan: "paid" });
    for (const slug of slugs) await addProject(stores, slug, ownerId);
  }
  const service = new DomainService({
    ...stores,
    clock,
    target: "target" in options ? options.target : target,
    ownLimits: true,
    dnsUpdates: options.dnsUpdates ?? false,
    reserved: ["api.petstore.example"],
  });
  return { ...stores, service, clock };
}

export async function addProject(
  { sites }: SitesAndDomains,
  slug: string,
  ownerId: string,
  deployed = true,
): Promise<void> {
  await sites.addProject({ slug, ownerId, nowMs: startMs });
  if (!deployed) return;
  const id = `dep_${slug}`;
  await sites.beginDeployment({ id, project: slug, nowMs: startMs });
  await sites.buildDeployment(id, startMs);
  await sites.finishDeployment(id, { fingerprint: id, unless: "shown", nowMs: startMs });
}

export async function addOwner(
  { sites }: SitesAndDomains,
  id: string,
  plan: Plan = "paid",
): Promise<void> {
  await sites.addOwner({ id, name: id, plan });
}

/** What the service refuses with. Anything else is a fault. */
export async function refusalOf(promise: Promise<unknown>): Promise<Problem> {
  const outcome = await promise.then(
    () => new Error("This was expected to be refused."),
    (reason: unknown) => reason,
  );
  if (outcome instanceof Problem) return outcome;
  throw outcome;
}

/** Changes the claim of a project as a worker would. */
export async function work(
  { domains }: SitesAndDomains,
  slug: string,
  host: string,
  change: (domain: Domain) => Domain,
): Promise<void> {
  const stored = domains.claimsOn(host).find(({ domain }) => domain.project === slug);
  if (stored === undefined) throw new Error(`${host} is not attached to ${slug}.`);
  const outcome = await domains.change({
    domain: change(stored.domain),
    version: stored.version,
    dueAtMs: startMs,
    entries: [],
  });
  if (outcome !== "done") throw new Error(`It was ${outcome}.`);
}
