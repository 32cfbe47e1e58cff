/** What a domain's change is to those who follow events: pure rules. */
import { toJson } from "../../contract/json.ts";
import type { EventType, NewEvent } from "../../petstore/events/events.ts";
import { currentFindings } from "./currentFindings.ts";
import { type Domain, type Standing, type Status, statusOf } from "./domain.ts";

/** How far a domain has come, as its last event `domain.…` says. */
export type Milestone = "verified" | "live" | "degraded" | "suspended" | "removed";

const milestones: Readonly<Record<Status, Milestone>> = {
  pending_dns: "degraded",
  misconfigured: "degraded",
  verified: "verified",
  issuing: "verified",
  certificate_delayed: "verified",
  blocked: "verified",
  prepared: "verified",
  live: "live",
  degraded: "degraded",
  renewal_failing: "live",
  suspended: "suspended",
  abandoned: "removed",
  removed: "removed",
};

/** Undefined until DNS was right for the first time. */
export function milestoneOf(
  domain: Domain,
  standing: Standing,
  nowMs: number,
): Milestone | undefined {
  const { dns, certificate } = domain;
  const status = statusOf(domain, standing, nowMs);
  const milestone = milestones[status];
  const hasCertificate = certificate.held !== undefined;
  // It was served until its certificate expired.
  if (milestone === "verified" && hasCertificate && status !== "prepared") return "degraded";
  const isNew = !dns.everRight && !hasCertificate;
  return isNew && (milestone === "degraded" || milestone === "suspended") ? undefined : milestone;
}

export interface DomainBefore {
  /** Of the last event; undefined if there was none. */
  readonly milestone: Milestone | undefined;
  /** Undefined if it is new. */
  readonly domain: Domain | undefined;
}

export interface DomainAfter {
  readonly domain: Domain;
  readonly standing: Standing;
}

/** With the milestone to remember: status also changes by time, and by its owner's plan. */
export function eventsOf(
  before: DomainBefore,
  after: DomainAfter,
  nowMs: number,
): { readonly milestone: Milestone | undefined; readonly events: NewEvent[] } {
  const milestone = milestoneOf(after.domain, after.standing, nowMs);
  // One that was stored before there were events begins with what it was.
  const last =
    before.milestone ?? (before.domain && milestoneOf(before.domain, after.standing, nowMs));
  const types: EventType[] = certificateTypes(before.domain, after.domain);
  if (milestone !== undefined && milestone !== last) types.push(`domain.${milestone}`);
  return {
    milestone: milestone ?? last,
    events: types.map((type) => domainEvent(type, after, nowMs)),
  };
}

function certificateTypes(before: Domain | undefined, after: Domain): EventType[] {
  const [old, now] = [before?.certificate, after.certificate];
  if (now.held === undefined) return [];
  if (old?.held === undefined) return ["certificate.issued"];
  if (old.held.id !== now.held.id) return ["certificate.renewed"];
  const fails = now.issuance?.refusal !== undefined && old.issuance?.refusal === undefined;
  return fails ? ["certificate.renewal_failing"] : [];
}

/**
 * A certificate is expiring when it has seven days or less left, or less than a quarter of its life:
 * one that lives for six days is renewed after three, and is no news before that.
 */
export const expiringMs = 7 * 24 * 3_600_000;
export const expiringPart = 4;

/** Neither keys nor what an order is resumed with are in any event. */
export function domainEvent(
  type: EventType,
  { domain, standing }: DomainAfter,
  nowMs: number,
): NewEvent {
  const { id, host, project, ownerId, addedAtMs, certificate, hsts = "day" } = domain;
  const status = statusOf(domain, standing, nowMs);
  const { issuer = "", notBeforeMs, notAfterMs } = certificate.held ?? {};
  const findings = currentFindings(domain, standing, status);
  const data = toJson({
    ...{ id, host, project, ownerId, status },
    findings: findings.map(({ code, message }) => ({ code, message })),
    certificate: certificate.held && { issuer, notBeforeMs, notAfterMs },
    ...{ hsts, addedAtMs },
  });
  return { type, resource: `domains/${id}`, data: JSON.stringify(data) };
}
