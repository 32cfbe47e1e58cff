/** Domains in every status, made by the events that lead there. */
import {
  type Domain,
  type HeldCertificate,
  type OrderFailureReason,
  type Standing,
  type Status,
  statusOf,
} from "../../src/hosting/domains/domain.ts";
import type { Finding } from "../../src/hosting/domains/finding.ts";
import * as lifecycle from "../../src/hosting/domains/lifecycle.ts";
import type { Verdict } from "../../src/hosting/domains/verification.ts";

export const startMs = Date.UTC(2026, 10, 15, 12);
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export const good: Standing = { paid: true, deployed: true };
export const finding: Finding = { code: "NO_CNAME", message: "It has none.", next: "Add it." };

export const verdictOf = (kind: Verdict["kind"]): Verdict => ({
  kind,
  findings: kind === "right" ? [] : [finding],
});

export const certificateOf = (nowMs: number, lifeMs = 90 * dayMs): HeldCertificate => ({
  id: `crt_${nowMs}`,
  issuer: "Test authority",
  notBeforeMs: nowMs,
  notAfterMs: nowMs + lifeMs,
  renewalName: "renewal.name",
});

export const isNew = (validation?: "dns-01"): Domain =>
  lifecycle.added(
    {
      id: "dom_1",
      host: "docs.example.com",
      project: "shop",
      ownerId: "ann",
      target: "edge-1.sites.petstore.example",
      ...(validation && { validation }),
    },
    startMs,
  );

/** The record by which the authority validates a name was found, and nothing that points here. */
export const shown: Verdict = { kind: "right", findings: [], proven: true, challenge: "found" };

export type Event = (domain: Domain, nowMs: number) => Domain;

export const refusedBy =
  (reason: OrderFailureReason, retryAtMs?: number): Event =>
  (domain, nowMs) =>
    lifecycle.orderFailed(domain, { reason, findings: [finding], retryAtMs }, nowMs);

const checked =
  (kind: Verdict["kind"]): Event =>
  (domain, nowMs) =>
    lifecycle.checked(domain, verdictOf(kind), nowMs);

/** What may happen to a domain, and what happened by it. */
export const events = {
  "a right answer": checked("right"),
  "a wrong answer": checked("wrong"),
  "a switch": (domain, nowMs) =>
    lifecycle.checked(domain, { ...verdictOf("right"), pointing: true }, nowMs),
  "three wrong answers": (domain, nowMs) =>
    [0, 1, 2].reduce((each) => checked("wrong")(each, nowMs), domain),
  "no answer": checked("unknown"),
  "no answer a hundred times": (domain, nowMs) =>
    Array.from({ length: 100 }).reduce<Domain>((each) => checked("unknown")(each, nowMs), domain),
  "a click": lifecycle.verifyRequested,
  "an order": lifecycle.ordering,
  "a certificate": (domain, nowMs) => lifecycle.certified(domain, certificateOf(nowMs), nowMs),
  "a refusal by CAA": refusedBy("caa"),
  "a rate limit": refusedBy("rate_limited", startMs + 2 * dayMs),
  "a refusal by policy": refusedBy("policy"),
  "an authority that is down": refusedBy("unavailable"),
  "edges that are not ready": refusedBy("unprepared"),
  "a failed authorisation": refusedBy("authorization_failed"),
  "a lost lease": (domain, nowMs) => lifecycle.postponed(domain, nowMs),
  "its removal": lifecycle.removed,
  "its being given up": lifecycle.abandoned,
} satisfies Record<string, Event>;
export type EventName = keyof typeof events;

const after = (domain: Domain, ...names: EventName[]): Domain =>
  names.reduce((each, name) => events[name](each, startMs), domain);

const live = after(isNew(), "a right answer", "an order", "a certificate");

/** One of each status that an event leads to, as of the beginning unless it says otherwise. */
export const lives: Readonly<Record<Exclude<Status, "suspended">, Domain>> = {
  pending_dns: isNew(),
  misconfigured: after(isNew(), "a wrong answer"),
  verified: after(isNew(), "a right answer"),
  issuing: after(isNew(), "a right answer", "an order"),
  certificate_delayed: lifecycle.ordering(
    lifecycle.checked(isNew(), verdictOf("right"), startMs - 30 * minuteMs),
    startMs,
  ),
  blocked: after(isNew(), "a right answer", "a refusal by CAA"),
  prepared: lifecycle.certified(
    lifecycle.checked(isNew("dns-01"), shown, startMs),
    certificateOf(startMs),
    startMs,
  ),
  live,
  degraded: after(live, "three wrong answers"),
  renewal_failing: after(live, "a refusal by CAA"),
  abandoned: after(isNew(), "its being given up"),
  removed: after(live, "its removal"),
};

export const statusAt = (domain: Domain, nowMs = startMs, standing = good): Status =>
  statusOf(domain, standing, nowMs);
