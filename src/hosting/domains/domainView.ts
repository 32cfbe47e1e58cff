/** A domain as its owner sees it. Times are Unix time in ms; texts are for people. */
import { domainToUnicode } from "node:url";
import type { Used } from "./budget.ts";
import { currentFindings } from "./currentFindings.ts";
import { challengeRecordFor } from "./dnsValidation.ts";
import {
  type CertificateFact,
  type Domain,
  type HeldCertificate,
  type HstsPolicy,
  isOwnName,
  isReached,
  isValid,
  type Status,
  statusOf,
} from "./domain.ts";
import type { DomainStore, StoredDomain, TimelineEntry } from "./domains.ts";
import {
  type Finding,
  proofFor,
  propagationOverdue,
  type RecordToCreate,
  recordFor,
} from "./finding.ts";
import { likelyZone } from "./hostName.ts";
import { isOverdue, propagatedByMs } from "./lifecycle.ts";
import { type NextStep, nextStepOf } from "./nextStep.ts";
import { type Redirect, type RoutingInEffect, targetsOf } from "./routing.ts";
import { abandonAtMs, nextDueAtMs } from "./schedule.ts";

export interface DomainView {
  readonly id: string;
  readonly host: string;
  readonly unicodeHost: string;
  readonly project: string;
  readonly status: Status;
  /** Whether DNS has shown that the name is its owner's. */
  readonly proven: boolean;
  /** The progress: DNS, certificate, live. */
  readonly step: "dns" | "certificate" | "live" | "none";
  /** What to create at the DNS provider: the record that points here, and a proof if needed. */
  readonly records: readonly RecordToCreate[];
  readonly findings: readonly Finding[];
  readonly nextStep: NextStep;
  /** `held` until the primary domain, or the name it redirects to, is served. */
  readonly role:
    | { readonly kind: "primary"; readonly held: boolean }
    | { readonly kind: "site" }
    | ({ readonly kind: "redirect"; readonly held: boolean } & Pick<Redirect, "to" | "status">);
  readonly certificate:
    | (Pick<HeldCertificate, "issuer" | "notBeforeMs" | "notAfterMs"> &
        Pick<CertificateFact, "renewAtMs" | "window">)
    | undefined;
  readonly hsts: HstsPolicy;
  readonly addedAtMs: number;
  readonly checkedAtMs: number | undefined;
  /** When it is checked next automatically. */
  readonly nextAtMs: number;
  /** When the next attempt to get a certificate is; undefined unless one was refused. */
  readonly retryAtMs: number | undefined;
  /** When the change of DNS that is awaited should be visible everywhere; undefined if none is. */
  readonly propagatedByMs: number | undefined;
  /** When it is given up unless DNS is right by then. */
  readonly abandonAtMs: number | undefined;
}

export interface DomainDetails extends DomainView {
  /** What is used of our own limits; empty where they do not apply. */
  readonly budget: readonly Used[];
  readonly timeline: readonly TimelineEntry[];
}

/** The routing of a project as edges apply it: a name that it does not serve is held. */
export async function routingInEffect(
  domains: Pick<DomainStore, "routing" | "holderOf">,
  project: string,
  nowMs: number,
): Promise<{ readonly routing: RoutingInEffect; readonly version: number }> {
  const { routing, version } = await domains.routing(project);
  const held = new Set<string>();
  for (const host of targetsOf(routing)) {
    const holder = (await domains.holderOf(host))?.domain;
    if (holder?.project !== project || !isReached(holder, nowMs)) held.add(host);
  }
  return { routing: { ...routing, held }, version };
}

export function viewOf(
  { domain, standing }: StoredDomain,
  routing: RoutingInEffect,
  nowMs: number,
): DomainView {
  const { host, ownership, dns, certificate } = domain;
  const status = statusOf(domain, standing, nowMs);
  const { held, issuance, renewAtMs, window } = certificate;
  const awaited = steps[status] === "dns";
  const findings = [
    ...currentFindings(domain, standing, status),
    ...(awaited && isOverdue(domain, nowMs) ? [propagationOverdue] : []),
  ];
  return {
    id: domain.id,
    host,
    unicodeHost: domainToUnicode(host),
    project: domain.project,
    status,
    proven: ownership.kind === "held",
    step: steps[status],
    records: isOwnName(domain) ? [] : recordsOf(domain, nowMs),
    findings,
    nextStep: nextStepOf(status, findings),
    role: roleOf(host, routing),
    certificate: held && {
      issuer: held.issuer,
      notBeforeMs: held.notBeforeMs,
      notAfterMs: held.notAfterMs,
      renewAtMs,
      window,
    },
    hsts: domain.hsts ?? "day",
    addedAtMs: domain.addedAtMs,
    checkedAtMs: dns.checkedAtMs,
    nextAtMs: nextDueAtMs(domain, nowMs),
    retryAtMs: issuance?.refusal === undefined ? undefined : issuance.nextAttemptAtMs,
    propagatedByMs: awaited ? propagatedByMs(domain) : undefined,
    abandonAtMs: awaited ? abandonAtMs(domain, nowMs) : undefined,
  };
}

function recordsOf(domain: Domain, nowMs: number): RecordToCreate[] {
  const { host, target, ownership, dns, certificate, validation, proxied } = domain;
  const { zone = likelyZone(host) } = dns;
  const record = recordFor(host, target, zone);
  const pointing = proxied ? { ...record, note: proxyNote } : record;
  const proof = ownership.kind === "proof_needed" ? [proofFor(host, target, zone)] : [];
  if (validation === undefined) return [pointing, ...(host === zone ? proof : [])];
  const challenge = challengeRecordFor(domain);
  // Its address is changed last. The challenge proves the name, unless it could be another's.
  if (!dns.pointed && !isValid(certificate.held, nowMs)) {
    const proves = dns.challenge === "unproven" ? proof : [];
    return [...(challenge === undefined ? [] : [challenge]), ...proves];
  }
  return [pointing, ...(challenge === undefined ? [] : [challenge])];
}

const proxyNote =
  "Leave the proxy on, and let it connect to us by HTTPS and check our certificate: with Cloudflare, set SSL/TLS to Full (strict).";

const steps: Record<Status, DomainView["step"]> = {
  pending_dns: "dns",
  misconfigured: "dns",
  verified: "certificate",
  issuing: "certificate",
  certificate_delayed: "certificate",
  blocked: "certificate",
  prepared: "dns",
  live: "live",
  degraded: "live",
  renewal_failing: "live",
  suspended: "none",
  abandoned: "none",
  removed: "none",
};

function roleOf(host: string, { primary, redirects, held }: RoutingInEffect): DomainView["role"] {
  const redirect = redirects.find(({ from }) => from === host);
  if (redirect !== undefined) {
    const { to, status } = redirect;
    return { kind: "redirect", to, status, held: held.has(to) };
  }
  return primary === host ? { kind: "primary", held: held.has(host) } : { kind: "site" };
}
