/** Domains, projects and certificates to test stores with. */
import type { Domain } from "../../src/hosting/domains/domain.ts";
import type {
  DomainChange,
  StoredCertificate,
  StoredDomain,
  TimelineEntry,
} from "../../src/hosting/domains/domains.ts";
import type { Plan } from "../../src/hosting/sites/site.ts";
import type { Stores } from "../../src/storage/stores.ts";

export const nowMs = Date.UTC(2026, 10, 15, 12);
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

export const held = { kind: "held" } as const;
export const proofNeeded = { kind: "proof_needed", token: "prove-it" } as const;
export const removed = (atMs = nowMs) => ({ kind: "removed", atMs }) as const;
export const abandoned = (atMs = nowMs) => ({ kind: "abandoned", atMs }) as const;

/** An owner of the same name as the project, which shows a deployment `dep_<project>`. */
export async function projectIn(
  { sites }: Stores,
  project: string,
  { plan = "paid", deployed = true }: { plan?: Plan; deployed?: boolean } = {},
): Promise<void> {
  await sites.addOwner({ id: project, name: project, plan });
  await sites.addProject({ slug: project, ownerId: project, nowMs });
  if (deployed) await deployIn({ sites }, project, `dep_${project}`);
}

export async function deployIn(
  { sites }: Pick<Stores, "sites">,
  project: string,
  id: string,
): Promise<void> {
  await sites.beginDeployment({ id, project, nowMs });
  await sites.buildDeployment(id, nowMs);
  const outcome = await sites.finishDeployment(id, { fingerprint: id, unless: "shown", nowMs });
  if (outcome.kind !== "shown") throw new Error(`${id} should be shown, and is ${outcome.kind}.`);
}

/** A claim of a project on a host, just added. */
export function domainFor(host: string, project = "shop", changes: Partial<Domain> = {}): Domain {
  return {
    id: `dom_${project}_${host}`,
    host,
    project,
    ownerId: project,
    target: `edge-${host}`,
    addedAtMs: nowMs,
    ownership: held,
    dns: {
      verdict: "unknown",
      lastCheck: undefined,
      everRight: false,
      sinceMs: nowMs,
      failures: 0,
      checks: 0,
      waitingSinceMs: nowMs,
      checkedAtMs: undefined,
      nextCheckAtMs: nowMs + 15_000,
      findings: [],
    },
    certificate: {
      held: undefined,
      issuance: undefined,
      renewAtMs: undefined,
      askWindowAtMs: undefined,
      window: undefined,
    },
    clicksAtMs: [],
    overdueReported: false,
    ...changes,
  };
}

/** A full one: whatever a domain can have is there. */
export function everything(host: string): Domain {
  const findings = [{ code: "NS_DISAGREE", message: "“ns1” says 'no'. ✗", at: ["ns1"] }] as const;
  const ownership = { kind: "held", proven: true } as const;
  return domainFor(host, "shop", {
    ownership,
    dns: {
      verdict: "wrong",
      lastCheck: "unknown",
      everRight: true,
      sinceMs: nowMs - 3,
      failures: 2,
      checks: 7,
      waitingSinceMs: nowMs - 2,
      checkedAtMs: nowMs - 1,
      nextCheckAtMs: nowMs + 1,
      findings,
    },
    certificate: {
      held: undefined,
      issuance: {
        sinceMs: nowMs,
        attempts: 2,
        nextAttemptAtMs: nowMs + 9,
        ordering: true,
        refusal: { reason: "caa", atMs: nowMs, findings },
        delay: findings,
      },
      renewAtMs: nowMs + 4,
      askWindowAtMs: nowMs + 5,
      window: { startMs: nowMs + 6, endMs: nowMs + 7 },
    },
    clicksAtMs: [nowMs - 9, nowMs - 8],
    overdueReported: true,
  });
}

export function certificateNamed(
  id: string,
  host: string,
  changes: Partial<StoredCertificate> = {},
): StoredCertificate {
  return {
    id,
    host,
    chainPem: `chain of ${id}`,
    sealedKey: `sealed key of ${id}`,
    issuer: "Test authority",
    notBeforeMs: nowMs,
    notAfterMs: nowMs + 90 * dayMs,
    renewalName: undefined,
    ...changes,
  };
}

/** The domain with the certificate. */
export function holding(domain: Domain, certificate: StoredCertificate): Domain {
  const { id, issuer, notBeforeMs, notAfterMs, renewalName } = certificate;
  const heldCertificate = { id, issuer, notBeforeMs, notAfterMs, renewalName };
  return { ...domain, certificate: { ...domain.certificate, held: heldCertificate } };
}

export function entry(event: string, atMs = nowMs): TimelineEntry {
  return { atMs, event, message: `It was ${event}.`, findings: [], answers: [] };
}

export async function storedIn({ domains }: Stores, { id }: Domain): Promise<StoredDomain> {
  const stored = await domains.get(id);
  if (stored === undefined) throw new Error(`${id} should be stored.`);
  return stored;
}

/** The domain and its version as they are stored, without the standing. */
export async function versionedIn(stores: Stores, domain: Domain) {
  const { domain: stored, version } = await storedIn(stores, domain);
  return { domain: stored, version };
}

export async function addTo({ domains }: Stores, domain: Domain, dueAtMs = nowMs): Promise<void> {
  const outcome = await domains.add(domain, dueAtMs, []);
  if (outcome !== "added") throw new Error(`${domain.id} should be added, and is ${outcome}.`);
}

/** Changes a domain from the version that is stored. */
export async function changeIn(
  stores: Stores,
  domain: Domain,
  more: Partial<DomainChange> = {},
): Promise<void> {
  const { version } = await storedIn(stores, domain);
  const change = { domain, version, dueAtMs: nowMs, entries: [], ...more };
  const outcome = await stores.domains.change(change);
  if (outcome !== "done") throw new Error(`${domain.id} should be changed, and it is ${outcome}.`);
}

/** Adds a domain that edges answer for, with a certificate `cert_<host>`. */
export async function servedIn(stores: Stores, host: string, project = "shop"): Promise<Domain> {
  const certificate = certificateNamed(`cert_${host}`, host);
  const domain = domainFor(host, project);
  await addTo(stores, domain);
  const served = holding(domain, certificate);
  await changeIn(stores, served, { certificate });
  return served;
}
