/** When each job of a domain is due, and the intervals, with their reasons. */
import {
  certificateMinutesMax,
  challengeDueAtMs,
  type Domain,
  hasEnded,
  isOwnName,
  isPrepared,
  isValid,
} from "./domain.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Most changes to DNS are visible within minutes, so the first checks are close together. */
const firstChecksMs = [15 * second, 30 * second, ...Array<number>(10).fill(minute)];
/** Then with back-off: a record that is missing after ten minutes is often created the next day. */
const checkGrowth = 1.15;
const checkDelayMaxMs = 4 * hour;

export function checkDelayMs(checks: number): number {
  const first = firstChecksMs[checks];
  if (first !== undefined) return first;
  const grown = minute * checkGrowth ** (checks - firstChecksMs.length + 1);
  return Math.min(Math.round(grown), checkDelayMaxMs);
}

/** Often enough to warn about a live domain long before its renewal would fail. */
export const liveCheckMs = 6 * hour;
/** DNS may take 48 hours to propagate; after that, something is wrong. */
export const propagationMs = 48 * hour;
export const abandonAfterMs = 30 * day;
/** How long only the last owner of a removed name may attach it again without a proof. */
export const tombstoneMs = 30 * day;
/** How often to check whether a removed name still points to us, which allows a takeover. */
export const danglingCheckMs = day;

/** Exponential back-off by a factor of ten, because a refusal rarely resolves on its own. */
const issueDelaysMs = [minute, 10 * minute, 100 * minute, day];

export function issueDelayMs(attempts: number): number {
  return issueDelaysMs[Math.min(attempts, issueDelaysMs.length) - 1] ?? minute;
}

/** An outage of the authority is temporary, so retries are frequent, with jitter to spread the load. */
export function outageDelayMs(chance: number): number {
  return Math.round(minute + minute * chance);
}

/** A suspended domain orders nothing; how often to check whether it was restored. */
export const suspendedRetryMs = hour;

export const verifyIntervalMs = 10 * second;
const verifiesPerHourMax = 20;
export const verifyWindowMs = hour;

/** When a check may be requested again, from the requests of the last hour. */
export function verifyFreeAtMs(clicksAtMs: readonly number[]): number {
  const last = clicksAtMs.at(-1);
  const oldest = clicksAtMs.at(-verifiesPerHourMax);
  return Math.max(
    last === undefined ? 0 : last + verifyIntervalMs,
    oldest === undefined ? 0 : oldest + verifyWindowMs,
  );
}

/** How often the renewal window is fetched if the authority does not specify it. */
export const askWindowMs = 6 * hour;

const shortLifeMs = 10 * day;

/** With a third of the lifetime left, or half of a short one. */
export function renewalMs(notBeforeMs: number, notAfterMs: number): number {
  const lifeMs = notAfterMs - notBeforeMs;
  return Math.round(notAfterMs - (lifeMs < shortLifeMs ? lifeMs / 2 : lifeMs / 3));
}

/** A random instant in the window, which spreads the load of the authority (RFC 9773, section 4.2). */
export function instantIn(startMs: number, endMs: number, chance: number): number {
  return Math.round(startMs + (endMs - startMs) * chance);
}

/** Long enough for a slow step, short enough that the work of a crashed worker is soon taken over. */
export const leaseMs = 30 * second;
export const workerPollMs = 500;

/** An edge reports every few seconds; one that has not for this long is considered gone. */
export const edgeSilentMaxMs = 30 * second;

export type Job =
  /** Query DNS and evaluate the answers. */
  | "check"
  /** Stop checking: nothing right was found for too long. */
  | "abandon"
  /** Report to the owner that the certificate is late, after another check of DNS and CAA. */
  | "report_delay"
  /** Get a certificate: the first one, or a renewal. */
  | "issue"
  /** Fetch the renewal window from the authority. */
  | "renewal_window"
  /** Check whether a removed name still points to us. */
  | "watch";

interface ScheduledJob {
  readonly job: Job;
  readonly atMs: number;
}

/** Every job of a domain and its due time, by priority: of those that are due, the first runs. */
export function scheduledJobs(domain: Domain, nowMs: number): ScheduledJob[] {
  const { ownership, dns, certificate } = domain;
  if (hasEnded(domain)) {
    return [{ job: "watch", atMs: dns.nextCheckAtMs }];
  }
  const check: ScheduledJob = { job: "check", atMs: dns.nextCheckAtMs };
  const { held, issuance, renewAtMs, askWindowAtMs } = certificate;
  if (isValid(held, nowMs)) {
    const issueAtMs = issuance?.nextAttemptAtMs ?? renewAtMs;
    return [
      ...(issueAtMs === undefined ? [] : [{ job: "issue", atMs: issueAtMs } as const]),
      check,
      ...(askWindowAtMs === undefined
        ? []
        : [{ job: "renewal_window", atMs: askWindowAtMs } as const]),
    ];
  }
  if (ownership.kind !== "held" || issuance === undefined || dns.verdict !== "right") {
    // The platform's own name is never abandoned.
    if (isOwnName(domain)) return [check];
    const orderAtMs = challengeDueAtMs(domain);
    // One that has lost its certificate has no issuance.
    const { nextAttemptAtMs = dns.nextCheckAtMs } = issuance ?? {};
    return [
      ...(orderAtMs === undefined
        ? []
        : [{ job: "issue", atMs: Math.max(nextAttemptAtMs, orderAtMs) } as const]),
      // Checked before it is abandoned: there may have been no check in all that time.
      check,
      { job: "abandon", atMs: dns.waitingSinceMs + abandonAfterMs },
    ];
  }
  const delayedAtMs = issuance.sinceMs + certificateMinutesMax * 60_000;
  return [
    ...(issuance.delay ? [] : [{ job: "report_delay", atMs: delayedAtMs } as const]),
    // Checked before the order, so that a deleted record does not cause a failed attempt.
    check,
    { job: "issue", atMs: issuance.nextAttemptAtMs },
  ];
}

/** When it is given up unless DNS is right by then; undefined if it is not. */
export function abandonAtMs(domain: Domain, nowMs: number): number | undefined {
  const { dns, certificate } = domain;
  // One that was never switched is kept for as long as its certificate is valid.
  if (isPrepared(domain) && isValid(certificate.held, nowMs)) {
    return Math.max(certificate.held.notAfterMs, dns.waitingSinceMs + abandonAfterMs);
  }
  return scheduledJobs(domain, nowMs).find(({ job }) => job === "abandon")?.atMs;
}

export function nextDueAtMs(domain: Domain, nowMs: number): number {
  return Math.min(...scheduledJobs(domain, nowMs).map(({ atMs }) => atMs));
}

export function dueJob(domain: Domain, nowMs: number): Job | undefined {
  return scheduledJobs(domain, nowMs).find(({ atMs }) => atMs <= nowMs)?.job;
}
