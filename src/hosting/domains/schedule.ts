/** When each job of a domain is due, and the intervals that follow from. Each says why it is what it is. */
import { certificateMinutesMax, type Domain, hasEnded, isOwnName, isValid } from "./domain.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Most changes to DNS are seen within minutes, so the first checks come close together. */
const firstChecksMs = [15 * second, 30 * second, ...Array<number>(10).fill(minute)];
/** Then with back-off: a record that is missing after ten minutes is often made the next day. */
const checkGrowth = 1.15;
const checkDelayMaxMs = 4 * hour;

export function checkDelayMs(checks: number): number {
  const first = firstChecksMs[checks];
  if (first !== undefined) return first;
  const grown = minute * checkGrowth ** (checks - firstChecksMs.length + 1);
  return Math.min(Math.round(grown), checkDelayMaxMs);
}

/** What is live is looked at often enough to warn long before a renewal would fail. */
export const liveCheckMs = 6 * hour;
/** DNS may take 48 hours to be seen everywhere; after that, something is wrong. */
export const propagationMs = 48 * hour;
export const abandonAfterMs = 30 * day;
/** Whoever had the name may have it back without a proof, and nobody else. */
export const tombstoneMs = 30 * day;
/** Whether a removed name still points to us, which lets another owner take it over. */
export const danglingCheckMs = day;

/** Exponential back-off by a factor of ten, because a refusal rarely resolves on its own. */
const issueDelaysMs = [minute, 10 * minute, 100 * minute, day];

export function issueDelayMs(attempts: number): number {
  return issueDelaysMs[Math.min(attempts, issueDelaysMs.length) - 1] ?? minute;
}

/** A suspended domain orders nothing, and is looked at again for when it is restored. */
export const suspendedRetryMs = hour;

export const verifyIntervalMs = 10 * second;
export const verifiesPerHourMax = 20;
export const verifyWindowMs = hour;

/** How often an authority is asked when it wants a certificate renewed, where it does not say. */
export const askWindowMs = 6 * hour;

const shortLifeMs = 10 * day;

/** With a third of the lifetime left, or half where it is so short that a third is soon gone. */
export function renewalMs(notBeforeMs: number, notAfterMs: number): number {
  const lifeMs = notAfterMs - notBeforeMs;
  return Math.round(notAfterMs - (lifeMs < shortLifeMs ? lifeMs / 2 : lifeMs / 3));
}

/** An instant in the window, so that not everybody comes at its beginning (RFC 9773, 4.2). */
export function instantIn(startMs: number, endMs: number, chance: number): number {
  return Math.round(startMs + (endMs - startMs) * chance);
}

/** Long enough that a slow step does not lose the lease, short enough that a dead worker's work is soon taken up. */
export const leaseMs = 30 * second;
export const workerPollMs = 500;

/** An edge reports every few seconds; one that was silent for this long is counted out. */
export const edgeSilentMaxMs = 30 * second;

export type Job =
  /** Query DNS and verify what it says. */
  | "check"
  /** Nothing right was found for too long. */
  | "abandon"
  /** Report to the owner that the certificate is late, after a fresh look at DNS and CAA. */
  | "report_delay"
  /** Get a certificate: the first one, or a newer one. */
  | "issue"
  /** Ask the authority when it wants the certificate renewed. */
  | "renewal_window"
  /** Check whether a removed name still points to us. */
  | "watch";

interface ScheduledJob {
  readonly job: Job;
  readonly atMs: number;
}

/** Every job of a domain and its due time. Of those that are due, the first in this order runs first. */
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
    // The platform does not give up its own name.
    if (isOwnName(domain)) return [check];
    // Looked at before it is given up: perhaps nobody has, for all that time.
    return [check, { job: "abandon", atMs: dns.waitingSinceMs + abandonAfterMs }];
  }
  const delayedAtMs = issuance.sinceMs + certificateMinutesMax * 60_000;
  return [
    ...(issuance.delay ? [] : [{ job: "report_delay", atMs: delayedAtMs } as const]),
    // Looked at before the order, so that a record that was taken away costs no failed attempt.
    check,
    { job: "issue", atMs: issuance.nextAttemptAtMs },
  ];
}

export function nextDueAtMs(domain: Domain, nowMs: number): number {
  return Math.min(...scheduledJobs(domain, nowMs).map(({ atMs }) => atMs));
}

export function dueJob(domain: Domain, nowMs: number): Job | undefined {
  return scheduledJobs(domain, nowMs).find(({ atMs }) => atMs <= nowMs)?.job;
}
