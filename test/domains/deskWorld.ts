/** A desk with owners, projects and a clock to hold in the hand. */
import { type Actor, DomainDesk } from "../../src/domains/desk.ts";
import type { Domain } from "../../src/domains/domain.ts";
import { DeskRefusal } from "../../src/domains/refusal.ts";
import type { Plan } from "../../src/sites/site.ts";
import { type FakeClock, fakeClock } from "../fakes/clock.ts";
import { memoryStores, type SitesAndDomains } from "../fakes/memoryStores.ts";

export const startMs = Date.UTC(2026, 10, 15, 12);
export const target = "sites.petstore.example";
export const operator: Actor = { kind: "operator" };
export const ownerOf = (id: string): Actor => ({ kind: "owner", id });
export const ann = ownerOf("ann");
export const bob = ownerOf("bob");

export interface DeskWorld extends SitesAndDomains {
  readonly desk: DomainDesk;
  readonly clock: FakeClock;
}

/** Ann has the projects `shop` and `blog`, Bob has `rival`; all are paid for and deployed. */
export async function deskWorld(options: { target?: string | undefined } = {}): Promise<DeskWorld> {
  const stores = memoryStores();
  const clock = fakeClock(startMs);
  for (const [ownerId, slugs] of [
    ["ann", ["shop", "blog"]],
    ["bob", ["rival"]],
  ] as const) {
    await stores.sites.addOwner({ id: ownerId, name: ownerId, plan: "paid" });
    for (const slug of slugs) await addProject(stores, slug, ownerId);
  }
  const desk = new DomainDesk({
    ...stores,
    clock,
    target: "target" in options ? options.target : target,
    reserved: ["api.petstore.example"],
  });
  return { ...stores, desk, clock };
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

/** What the desk refuses with. Anything else is a fault. */
export async function refusalOf(promise: Promise<unknown>): Promise<DeskRefusal> {
  const outcome = await promise.then(
    () => new Error("This was expected to be refused."),
    (reason: unknown) => reason,
  );
  if (outcome instanceof DeskRefusal) return outcome;
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
