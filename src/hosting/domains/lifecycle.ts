/** The events of a domain as pure functions: each returns the next state. */
import {
  type CertificateFact,
  challengeDueAtMs,
  type DnsFact,
  type Domain,
  type HeldCertificate,
  hasEnded,
  type Issuance,
  isDelayed,
  isPrepared,
  isValid,
  type KeptOrder,
  type OrderFailureReason,
  type Ownership,
  type TimeWindow,
} from "./domain.ts";
import type { Finding } from "./finding.ts";
import {
  checkDelayMs,
  danglingCheckMs,
  issueDelayMs,
  liveCheckMs,
  propagationMs,
  renewalMs,
  verifyWindowMs,
} from "./schedule.ts";
import type { Verdict } from "./verification.ts";

export type NewDomain = Pick<
  Domain,
  "id" | "host" | "project" | "ownerId" | "target" | "validation" | "delegation" | "proxied"
>;

/** A name of the platform itself, which needs no proof: it is in the settings. */
export function addedOwn({ id, host }: Pick<Domain, "id" | "host">, nowMs: number): Domain {
  const named = added({ id, host, project: "", ownerId: "", target: "" }, nowMs);
  return verifyRequested({ ...named, ownership: { kind: "held" } }, nowMs);
}

export function added(named: NewDomain, nowMs: number): Domain {
  const domain: Domain = {
    ...named,
    addedAtMs: nowMs,
    ownership: { kind: "proof_needed" },
    dns: {
      verdict: "unknown",
      lastCheck: undefined,
      everRight: false,
      sinceMs: nowMs,
      failures: 0,
      checks: 0,
      waitingSinceMs: nowMs,
      checkedAtMs: undefined,
      nextCheckAtMs: nowMs + checkDelayMs(0),
      findings: [],
    },
    certificate: noCertificate,
    clicksAtMs: [],
    overdueReported: false,
  };
  const toOrder = challengeDueAtMs(domain) !== undefined;
  return toOrder ? withIssuance(domain, newIssuance(nowMs)) : domain;
}

const noCertificate: CertificateFact = {
  held: undefined,
  issuance: undefined,
  renewAtMs: undefined,
  askWindowAtMs: undefined,
  window: undefined,
};

/** The requests that count against the limit. */
export function recentVerifyRequests({ clicksAtMs }: Domain, nowMs: number): readonly number[] {
  // One in the future was recorded before the clock was set back.
  return clicksAtMs.filter((atMs) => atMs <= nowMs && nowMs - atMs < verifyWindowMs);
}

/** Checks DNS now, and retries the certificate if it was refused. */
export function verifyRequested(domain: Domain, nowMs: number): Domain {
  const { dns, certificate } = domain;
  const { issuance } = certificate;
  // A rate limit, the authority's or our own, still applies; all other delays are our back-off.
  const { reason } = issuance?.refusal ?? {};
  const retry = issuance !== undefined && reason !== "rate_limited" && reason !== "own_limit";
  // Only once the half hour is over: requests within it do not make it longer.
  const waiting =
    issuance && isDelayed(issuance, nowMs) ? { sinceMs: nowMs, delay: undefined } : {};
  return {
    ...domain,
    clicksAtMs: [...recentVerifyRequests(domain, nowMs), nowMs],
    dns: { ...dns, checks: 0, nextCheckAtMs: nowMs, waitingSinceMs: nowMs },
    certificate: retry
      ? {
          ...certificate,
          issuance: { ...issuance, nextAttemptAtMs: nowMs, attempts: 0, ...waiting },
        }
      : certificate,
  };
}

/** DNS was checked. What is right shows whose the name is. */
export function checked(domain: Domain, verdict: Verdict, nowMs: number): Domain {
  const dns = checkedDns(domain, verdict, nowMs);
  const shown = domain.ownership.kind === "proof_needed" && verdict.kind === "right";
  const ownership: Ownership = shown ? { kind: "held" } : domain.ownership;
  const next = { ...domain, dns, ownership };
  const pointsToUs = ownership.kind === "held" && dns.verdict === "right";
  if (!pointsToUs || isValid(domain.certificate.held, nowMs)) return next;
  const { issuance } = domain.certificate;
  // DNS has become right, so the back-off and the waiting time start over.
  const fixed = domain.dns.verdict !== "right" && !isIndependentOfDns(issuance);
  if (issuance !== undefined && !fixed) return next;
  const { ordering = false, order } = issuance ?? {};
  return withIssuance(next, { ...newIssuance(nowMs), ordering, order });
}

/** Whether the refusal persists when DNS is right: it is due to the authority or a CAA record. */
function isIndependentOfDns(issuance: Issuance | undefined): boolean {
  const reason = issuance?.refusal?.reason;
  return reason !== undefined && reason !== "unprepared" && reason !== "authorization_failed";
}

function checkedDns(domain: Domain, seen: Verdict, nowMs: number): DnsFact {
  const { dns, certificate } = domain;
  const { kind, findings, zone = dns.zone, pointing = false, challenge } = seen;
  const verdict = kind === "unknown" ? dns.verdict : kind;
  const pointed = pointing || dns.pointed === true;
  const switching = isPrepared(domain) && !pointed;
  const settled = verdict === "right" && isValid(certificate.held, nowMs) && !switching;
  // After a change, the next check is soon.
  const checks = verdict === dns.verdict ? dns.checks + 1 : 1;
  return {
    verdict,
    lastCheck: kind,
    everRight: dns.everRight || kind === "right",
    ...(domain.validation === undefined ? {} : { pointed, challenge }),
    sinceMs: verdict === dns.verdict ? dns.sinceMs : nowMs,
    failures: kind === "right" ? 0 : kind === "wrong" ? dns.failures + 1 : dns.failures,
    checks,
    waitingSinceMs: kind === "right" ? nowMs : dns.waitingSinceMs,
    checkedAtMs: nowMs,
    nextCheckAtMs: nowMs + (settled ? liveCheckMs : checkDelayMs(checks)),
    findings,
    zone,
  };
}

export function withIssuance(domain: Domain, issuance: Issuance): Domain {
  return { ...domain, certificate: { ...domain.certificate, issuance } };
}

function newIssuance(nowMs: number): Issuance {
  return {
    sinceMs: nowMs,
    attempts: 0,
    nextAttemptAtMs: nowMs,
    ordering: false,
    refusal: undefined,
    delay: undefined,
  };
}

/** The lease holder is about to place an order. */
export function ordering(domain: Domain, nowMs: number): Domain {
  const issuance = domain.certificate.issuance ?? newIssuance(nowMs);
  const order = issuance.order && { ...issuance.order, waits: false };
  const attempts = issuance.attempts + 1;
  return withIssuance(domain, { ...issuance, attempts, ordering: true, order });
}

/** The authority has the order. From here on a crash must not lose it. */
export function orderPlaced(domain: Domain, order: KeptOrder): Domain {
  const { issuance } = domain.certificate;
  return issuance === undefined ? domain : withIssuance(domain, { ...issuance, order });
}

/** The order has its outcome, or was never placed. */
export function orderOver(domain: Domain): Domain {
  const { issuance } = domain.certificate;
  if (issuance === undefined) return domain;
  return withIssuance(domain, { ...issuance, ordering: false, order: undefined });
}

/** There is a certificate: a new one, or a stored one that is still valid. */
export function certified(domain: Domain, held: HeldCertificate, nowMs: number): Domain {
  return {
    ...domain,
    dns: isPrepared(domain)
      ? // Its owner may switch at any time now.
        { ...domain.dns, checks: 0, nextCheckAtMs: nowMs }
      : { ...domain.dns, nextCheckAtMs: nowMs + liveCheckMs },
    certificate: {
      held,
      issuance: undefined,
      renewAtMs: renewalMs(held.notBeforeMs, held.notAfterMs),
      askWindowAtMs: held.renewalName === undefined ? undefined : nowMs,
      window: undefined,
    },
  };
}

export interface OrderFailure {
  readonly reason: OrderFailureReason;
  readonly findings: readonly Finding[];
  /** When the authority, or our own limit, allows another attempt. */
  readonly retryAtMs: number | undefined;
}

export function orderFailed(
  domain: Domain,
  { reason, findings, retryAtMs }: OrderFailure,
  nowMs: number,
): Domain {
  const issuance = domain.certificate.issuance ?? newIssuance(nowMs);
  // It is known when to retry, so there is no back-off, and it does not count as an attempt.
  const timed = (reason === "own_limit" || reason === "unavailable") && retryAtMs !== undefined;
  const attempts = issuance.attempts - (issuance.ordering ? 1 : 0) + (timed ? 0 : 1);
  return withIssuance(domain, {
    ...issuance,
    attempts,
    ordering: false,
    nextAttemptAtMs: Math.max(retryAtMs ?? 0, timed ? 0 : nowMs + issueDelayMs(attempts)),
    refusal: { reason, atMs: nowMs, sinceMs: refusedSinceMs(domain, reason), findings },
    // In an outage, nothing is checked again.
    delay: reason === "unavailable" ? issuance.delay : overdueOf(issuance),
  });
}

/** Since when every attempt was refused for this reason; undefined if the last one was not. */
export function refusedSinceMs({ certificate }: Domain, reason: OrderFailureReason) {
  const refusal = certificate.issuance?.refusal;
  return refusal?.reason === reason ? (refusal.sinceMs ?? refusal.atMs) : undefined;
}

/** The other findings of the delay were checked again for this attempt. */
function overdueOf({ delay }: Issuance): readonly Finding[] | undefined {
  return delay?.filter(({ code }) => code === "CERTIFICATE_OVERDUE");
}

/**
 * DNS does not point to us, so nothing is ordered until the next check. It does not count as an
 * attempt: after a few, the back-off would be a day, even once DNS is right again.
 */
export function notPointing(domain: Domain, nowMs: number): Domain {
  const { dns, certificate } = domain;
  const issuance = certificate.issuance ?? newIssuance(nowMs);
  return withIssuance(domain, {
    ...issuance,
    ordering: false,
    nextAttemptAtMs: Math.max(dns.nextCheckAtMs, nowMs + checkDelayMs(0)),
    refusal: { reason: "unprepared", atMs: nowMs, findings: dns.findings },
    delay: overdueOf(issuance),
  });
}

/** An order is postponed without a refusal: the plan lapsed, or the lease was lost. */
export function postponed(domain: Domain, untilMs: number): Domain {
  const { issuance } = domain.certificate;
  if (issuance === undefined) return domain;
  return withIssuance(domain, { ...issuance, ordering: false, nextAttemptAtMs: untilMs });
}

/** The certificate can no longer be used. */
export function certificateLost(domain: Domain): Domain {
  return { ...domain, certificate: noCertificate };
}

/** It is time to renew the certificate. */
export function renewing(domain: Domain, nowMs: number): Domain {
  return domain.certificate.issuance === undefined
    ? withIssuance(domain, newIssuance(nowMs))
    : domain;
}

interface RenewalWindowUpdate {
  readonly window?: TimeWindow;
  readonly renewAtMs?: number | undefined;
  readonly askAgainAtMs: number | undefined;
}

/** Without a window, the known one is retained. */
export function renewalWindowReceived(domain: Domain, update: RenewalWindowUpdate): Domain {
  const { certificate } = domain;
  return {
    ...domain,
    certificate: {
      ...certificate,
      window: update.window ?? certificate.window,
      renewAtMs: update.renewAtMs ?? certificate.renewAtMs,
      askWindowAtMs: update.askAgainAtMs,
    },
  };
}

/** The findings remain until there is a certificate or the owner verifies again, despite checks. */
export function delayed(domain: Domain, findings: readonly Finding[]): Domain {
  const { issuance } = domain.certificate;
  return issuance === undefined ? domain : withIssuance(domain, { ...issuance, delay: findings });
}

export function overdueReported(domain: Domain): Domain {
  return { ...domain, overdueReported: true };
}

/**
 * When DNS should be right at the latest. Undefined for a name that was right once: propagation does
 * not explain a later change.
 */
export function propagatedByMs(domain: Domain): number | undefined {
  return domain.dns.everRight || hasEnded(domain) ? undefined : domain.addedAtMs + propagationMs;
}

export function isOverdue(domain: Domain, nowMs: number): boolean {
  return nowMs >= (propagatedByMs(domain) ?? Number.POSITIVE_INFINITY);
}

export function abandoned(domain: Domain, nowMs: number): Domain {
  return ended(domain, { kind: "abandoned", atMs: nowMs }, nowMs);
}

/** Another owner proved ownership of the name. */
export function displaced(domain: Domain, nowMs: number): Domain {
  const finding: Finding = {
    code: "PROVEN_ELSEWHERE",
    message: `Another owner proved by DNS that ${domain.host} is theirs, so it was detached here.`,
  };
  const next = abandoned(domain, nowMs);
  return { ...next, dns: { ...next.dns, findings: [finding] } };
}

export function removed(domain: Domain, nowMs: number): Domain {
  return ended(domain, { kind: "removed", atMs: nowMs }, nowMs);
}

function ended(domain: Domain, ownership: Domain["ownership"], nowMs: number): Domain {
  return {
    ...domain,
    ownership,
    // The certificate itself remains in the store, in case the name is attached again.
    certificate: noCertificate,
    dns: { ...domain.dns, nextCheckAtMs: nowMs + danglingCheckMs },
  };
}

/** A removed name still points to us, or no longer does. */
export function watched(domain: Domain, findings: readonly Finding[], nowMs: number): Domain {
  return {
    ...domain,
    dns: { ...domain.dns, findings, checkedAtMs: nowMs, nextCheckAtMs: nowMs + danglingCheckMs },
  };
}
