import { describe, expect, test } from "bun:test";
import type { Domain, HeldCertificate } from "../../src/hosting/domains/domain.ts";
import {
  type DomainBefore,
  eventsOf,
  milestoneOf,
} from "../../src/hosting/domains/domainEvents.ts";
import * as lifecycle from "../../src/hosting/domains/lifecycle.ts";

const nowMs = Date.UTC(2026, 10, 15, 12);
const dayMs = 86_400_000;
const good = { paid: true, deployed: true };
const named = { id: "dom_1", host: "docs.example.com", project: "docs", ownerId: "a", target: "t" };
const right = { kind: "right", findings: [] } as const;
const added = lifecycle.added(named, nowMs);
const verified = lifecycle.checked(added, right, nowMs);
const held: HeldCertificate = {
  id: "cert_1",
  issuer: "CA",
  notBeforeMs: nowMs - dayMs,
  notAfterMs: nowMs + 89 * dayMs,
  renewalName: undefined,
};
const live = lifecycle.certified(verified, held, nowMs);
const types = (before: DomainBefore, domain: Domain, standing = good, atMs = nowMs) =>
  eventsOf(before, { domain, standing }, atMs).events.map(({ type }) => type);

describe("the milestone of a domain", () => {
  test("is none until its DNS was right, whatever its owner's standing", () => {
    expect(milestoneOf(added, good, nowMs)).toBeUndefined();
    expect(milestoneOf(added, { ...good, paid: false }, nowMs)).toBeUndefined();
    const wrong = lifecycle.checked(added, { kind: "wrong", findings: [] }, nowMs);
    expect(milestoneOf(wrong, good, nowMs)).toBeUndefined();
    expect(milestoneOf(lifecycle.removed(added, nowMs), good, nowMs)).toBe("removed");
  });

  test("follows its status", () => {
    expect(milestoneOf(verified, good, nowMs)).toBe("verified");
    expect(milestoneOf(live, good, nowMs)).toBe("live");
    expect(milestoneOf(live, { ...good, deployed: false }, nowMs)).toBe("suspended");
    const away = lifecycle.checked(verified, { kind: "wrong", findings: [] }, nowMs);
    expect(milestoneOf(away, good, nowMs)).toBe("degraded");
    expect(milestoneOf(lifecycle.abandoned(live, nowMs), good, nowMs)).toBe("removed");
  });

  test("is lost with the certificate: by its end, but not while a first one is ordered", () => {
    expect(milestoneOf(live, good, held.notAfterMs - 1)).toBe("live");
    expect(milestoneOf(live, good, held.notAfterMs)).toBe("degraded");
    expect(milestoneOf(lifecycle.ordering(verified, nowMs), good, nowMs)).toBe("verified");
  });
});

describe("the events of a change", () => {
  test("are those since the last event, not since the last write", () => {
    const before = { milestone: "live", domain: live } as const;
    expect(types(before, live)).toEqual([]);
    expect(types(before, live, good, held.notAfterMs)).toEqual(["domain.degraded"]);
    expect(types({ ...before, milestone: "suspended" }, live)).toEqual(["domain.live"]);
  });

  test("begin, for a domain from before there were events, with what it was", () => {
    expect(types({ milestone: undefined, domain: live }, live)).toEqual([]);
    expect(types({ milestone: undefined, domain: added }, verified)).toEqual(["domain.verified"]);
  });

  test("name a certificate before the domain that it makes live", () => {
    expect(types({ milestone: "verified", domain: verified }, live)).toEqual([
      "certificate.issued",
      "domain.live",
    ]);
  });
});
