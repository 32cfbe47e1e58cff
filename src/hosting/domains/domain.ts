/** A host name attached to a project: its state, and the status derived from it. */
import type { RefusalReason } from "./certificateAuthority.ts";
import type { Finding } from "./finding.ts";

/** Whether the project may use the name. */
export type Ownership =
  /** No record in DNS has shown yet that it is its owner's. Any number of owners may claim a name. */
  | { readonly kind: "proof_needed" }
  /** DNS has shown it, and of no other domain since: one domain at most holds a name. */
  | { readonly kind: "held" }
  /** Nothing right was found for thirty days. */
  | { readonly kind: "abandoned"; readonly atMs: number }
  /** A tombstone, which keeps the target for its owner. */
  | { readonly kind: "removed"; readonly atMs: number };

/** The state of DNS. Only definite answers change the verdict; timeouts and failures never do. */
export interface DnsFact {
  readonly verdict: "unknown" | "right" | "wrong";
  /** The verdict of the last check alone. */
  readonly lastCheck: "right" | "wrong" | "unknown" | undefined;
  /** Whether it was ever found right. */
  readonly everRight: boolean;
  /** Of a domain that is validated by DNS: whether it was ever found to point here, or to its proxy. */
  readonly pointed?: boolean;
  /** How it can be validated by DNS, according to the last check. */
  readonly challenge?: "delegated" | "found" | "unproven" | undefined;
  /** When the current verdict was first reached. */
  readonly sinceMs: number;
  /** Definite wrong answers in a row since it was last right. */
  readonly failures: number;
  /** Checks since the waiting began, which determine the delay of the next one. */
  readonly checks: number;
  readonly waitingSinceMs: number;
  readonly checkedAtMs: number | undefined;
  readonly nextCheckAtMs: number;
  readonly findings: readonly Finding[];
  /** The apex of the zone of the name, as DNS told it last; undefined until it has. */
  readonly zone?: string | undefined;
}

export interface HeldCertificate {
  readonly id: string;
  readonly issuer: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** The directory of the authority that issued it; undefined if that is not known. */
  readonly directory?: string | undefined;
  /** Its identifier for renewal information (RFC 9773); undefined if it has none. */
  readonly renewalName: string | undefined;
}

/** Why there is no certificate: the authority refused, we are not ready, or our own limit is reached. */
export type OrderFailureReason = RefusalReason | "unprepared" | "own_limit";

/** What is needed to resume an order. */
export interface KeptOrder {
  /** The URL of the authority's directory. */
  readonly directory: string;
  readonly url: string;
  /** The private key of the certificate, sealed for `orderSeal(host, url)`. */
  readonly sealedKey: string;
  /**
   * The value of the TXT record that it waits for; empty if the authority trusts an earlier
   * validation.
   */
  readonly challenge?: string;
  /** When the authority said so last: orders expire. */
  readonly askedAtMs?: number;
  /** Nothing can come of it before its owner has created the record, so it counts against no limit. */
  readonly waits?: boolean;
}

/** The progress of issuing a certificate, the first one or a renewal. */
export interface Issuance {
  /** When this certificate was first needed. */
  readonly sinceMs: number;
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  /** The holder of the lease is placing an order. */
  readonly ordering: boolean;
  /** An order without an outcome, which the next attempt resumes; undefined if there is none. */
  readonly order?: KeptOrder | undefined;
  readonly refusal:
    | {
        readonly reason: OrderFailureReason;
        readonly atMs: number;
        /** When it was first refused for this reason, if that was earlier. */
        readonly sinceMs?: number | undefined;
        readonly findings: readonly Finding[];
      }
    | undefined;
  /** The findings that were reported when it took too long; undefined before that. */
  readonly delay: readonly Finding[] | undefined;
}

export interface CertificateFact {
  readonly held: HeldCertificate | undefined;
  /** Undefined while no certificate is needed. */
  readonly issuance: Issuance | undefined;
  /** When to renew the certificate, and when to fetch the renewal window again. */
  readonly renewAtMs: number | undefined;
  readonly askWindowAtMs: number | undefined;
  readonly window: TimeWindow | undefined;
}

export interface TimeWindow {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * What browsers are told by Strict-Transport-Security (RFC 6797), and for how long they insist on
 * HTTPS: not at all, for a day, for a year, or for a year with every name below it.
 */
export const hstsPolicies = ["off", "day", "year", "subdomains"] as const;
export type HstsPolicy = (typeof hstsPolicies)[number];

export interface Domain {
  readonly id: string;
  readonly host: string;
  /** Empty for the name of the platform itself, as is the owner. */
  readonly project: string;
  readonly ownerId: string;
  /**
   * What the owner's record points to. No other domain ever has it, so the record says which one is
   * meant. Empty for the name of the platform itself.
   */
  readonly target: string;
  readonly addedAtMs: number;
  readonly ownership: Ownership;
  readonly dns: DnsFact;
  readonly certificate: CertificateFact;
  /** Verify requests of the last hour. */
  readonly clicksAtMs: readonly number[];
  /** Whether it was reported that DNS takes longer than it should. */
  readonly overdueReported: boolean;
  /** `day` unless the owner chose another. */
  readonly hsts?: HstsPolicy;
  /** Validated by DNS as long as it does not point here; by HTTP if undefined. */
  readonly validation?: "dns-01";
  /** The value of a CNAME record by which we respond to challenges; without it, by a TXT record. */
  readonly delegation?: string;
  /**
   * The last TXT record that one of its orders waited for, even if that is over: it proves no other
   * claim, for which the authority may want the same.
   */
  readonly lastChallenge?: string;
  /** Its owner has put a proxy in front of it, so that its addresses are not ours. */
  readonly proxied?: true;
}

/** What a domain needs of its owner to be served; read whenever it matters. */
export interface Standing {
  readonly paid: boolean;
  readonly deployed: boolean;
}

export const statuses = [
  "pending_dns",
  "misconfigured",
  "verified",
  "issuing",
  "certificate_delayed",
  "blocked",
  "prepared",
  "live",
  "degraded",
  "renewal_failing",
  "suspended",
  "abandoned",
  "removed",
] as const;
export type Status = (typeof statuses)[number];

export const definiteFailuresMax = 3;
export const certificateMinutesMax = 30;

export function statusOf(domain: Domain, standing: Standing, nowMs: number): Status {
  const { ownership, dns, certificate } = domain;
  if (ownership.kind === "removed" || ownership.kind === "abandoned") return ownership.kind;
  if (!standing.paid || !standing.deployed) return "suspended";
  if (isValid(certificate.held, nowMs)) {
    if (isPrepared(domain)) return "prepared";
    if (dns.failures >= definiteFailuresMax) return "degraded";
    return certificate.issuance?.refusal === undefined ? "live" : "renewal_failing";
  }
  if (dns.verdict === "wrong") return "misconfigured";
  if (dns.verdict === "unknown" || ownership.kind !== "held") return "pending_dns";
  return issuingStatus(certificate.issuance, nowMs);
}

function issuingStatus(issuance: Issuance | undefined, nowMs: number): Status {
  if (issuance === undefined) return "verified";
  const { refusal, ordering } = issuance;
  // A new order may end a refusal.
  const reason = ordering ? undefined : refusal?.reason;
  if (reason !== undefined && unhurried.includes(reason)) return "blocked";
  if (isDelayed(issuance, nowMs)) return "certificate_delayed";
  if (reason !== undefined && reason !== "authorization_failed") return "blocked";
  return refusal === undefined && !ordering ? "verified" : "issuing";
}

/** What another attempt would not help against, however long it takes. */
const unhurried: readonly OrderFailureReason[] = ["rate_limited", "own_limit", "policy"];

export function isDelayed({ sinceMs }: Issuance, nowMs: number): boolean {
  return nowMs - sinceMs >= certificateMinutesMax * 60_000;
}

/** Its DNS is not to point here, or to a proxy, before it has a certificate, and has not done so. */
export function isPrepared({ validation, dns }: Domain): boolean {
  return validation === "dns-01" && dns.pointed !== true;
}

/** Prepared, and waiting for its certificate. */
export function isUncertified(domain: Domain): boolean {
  return isPrepared(domain) && domain.certificate.held === undefined;
}

/** An order expires after some days, and the TXT record that its owner was told is then of no use. */
const challengeAgeMaxMs = 24 * 3_600_000;

/**
 * When to place or poll the order that yields the TXT record for validating the domain;
 * undefined if there is none.
 */
export function challengeDueAtMs(domain: Domain): number | undefined {
  const { validation, delegation, proxied, dns, certificate } = domain;
  const switched = dns.pointed === true && proxied !== true;
  if (validation !== "dns-01" || delegation !== undefined || switched) return undefined;
  const { challenge, askedAtMs = 0 } = certificate.issuance?.order ?? {};
  return challenge === undefined ? 0 : askedAtMs + challengeAgeMaxMs;
}

/** Whether its owner has proven control of its DNS. */
export function isProven({ ownership }: Pick<Domain, "ownership">): boolean {
  return ownership.kind === "held";
}

export function isValid(held: HeldCertificate | undefined, nowMs: number): held is HeldCertificate {
  return held !== undefined && nowMs < held.notAfterMs;
}

/** The name of the platform itself, which serves no project. */
export function isOwnName({ project }: Pick<Domain, "project">): boolean {
  return project === "";
}

/** Removed or abandoned: only its tombstone is left. */
export function hasEnded({ ownership }: Pick<Domain, "ownership">): boolean {
  return ownership.kind === "removed" || ownership.kind === "abandoned";
}

/** Whether edges may serve it, apart from the owner's standing. */
export function isServed({ ownership, certificate }: Domain): boolean {
  return ownership.kind === "held" && certificate.held !== undefined;
}

/** Whether visitors may be led to it: it is served securely, and its DNS has brought them here. */
export function isReached(domain: Domain, nowMs: number): boolean {
  return isServed(domain) && isValid(domain.certificate.held, nowMs) && !isPrepared(domain);
}
