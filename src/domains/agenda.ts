/** What a domain needs next, and when. */
import { certificateMinutesMax, type Domain, hasEnded, isValid } from "./domain.ts";
import { abandonAfterMs } from "./schedule.ts";

export type Work =
  /** Ask DNS and judge. */
  | "check"
  /** Nothing right was found for too long. */
  | "abandon"
  /** Tell the owner that the certificate takes long, with DNS and CAA looked at again. */
  | "tell_delay"
  /** Get a certificate: the first one, or a newer one. */
  | "issue"
  /** Ask the authority when it wants the certificate renewed. */
  | "ask_window"
  /** See whether a removed name still points to us. */
  | "watch";

export interface Appointment {
  readonly work: Work;
  readonly atMs: number;
}

/** Every appointment of a domain. Of those that are due, the first in this order is kept first. */
export function agendaOf(domain: Domain, nowMs: number): Appointment[] {
  const { ownership, dns, certificate } = domain;
  if (hasEnded(domain)) {
    return [{ work: "watch", atMs: dns.nextCheckAtMs }];
  }
  const check: Appointment = { work: "check", atMs: dns.nextCheckAtMs };
  const { held, issuance, renewAtMs, askWindowAtMs } = certificate;
  if (isValid(held, nowMs)) {
    const issueAtMs = issuance?.nextAttemptAtMs ?? renewAtMs;
    return [
      ...(issueAtMs === undefined ? [] : [{ work: "issue", atMs: issueAtMs } as const]),
      check,
      ...(askWindowAtMs === undefined
        ? []
        : [{ work: "ask_window", atMs: askWindowAtMs } as const]),
    ];
  }
  if (ownership.kind !== "held" || issuance === undefined || dns.verdict !== "right") {
    // Looked at before it is given up: perhaps nobody has, for all that time.
    return [check, { work: "abandon", atMs: dns.waitingSinceMs + abandonAfterMs }];
  }
  const delayedAtMs = issuance.sinceMs + certificateMinutesMax * 60_000;
  return [
    ...(issuance.delay ? [] : [{ work: "tell_delay", atMs: delayedAtMs } as const]),
    // Looked at before the order, so that a record that was taken away costs no failed attempt.
    check,
    { work: "issue", atMs: issuance.nextAttemptAtMs },
  ];
}

export function dueAtMs(domain: Domain, nowMs: number): number {
  return Math.min(...agendaOf(domain, nowMs).map(({ atMs }) => atMs));
}

export function workFor(domain: Domain, nowMs: number): Work | undefined {
  return agendaOf(domain, nowMs).find(({ atMs }) => atMs <= nowMs)?.work;
}
