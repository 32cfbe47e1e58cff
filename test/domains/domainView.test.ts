import { describe, expect, test } from "bun:test";
import type { Domain, Status } from "../../src/hosting/domains/domain.ts";
import { noRouting } from "../../src/hosting/domains/domains.ts";
import { routingInEffect, viewOf } from "../../src/hosting/domains/domainView.ts";
import type { Finding } from "../../src/hosting/domains/finding.ts";
import * as lifecycle from "../../src/hosting/domains/lifecycle.ts";
import type { Routing } from "../../src/hosting/domains/routing.ts";
import { events, finding, good, lives, refusedBy, startMs } from "./lives.ts";

const seen = (
  domain: Domain,
  routing: Routing = noRouting,
  standing = good,
  held: readonly string[] = [],
  nowMs = startMs,
) => viewOf({ domain, version: 1, standing }, { ...routing, held: new Set(held) }, nowMs);
const codesOf = (findings: readonly Finding[]) => findings.map(({ code }) => code);

describe("what an owner sees", () => {
  const steps: Readonly<Record<keyof typeof lives, string>> = {
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
    abandoned: "none",
    removed: "none",
  };
  for (const [status, step] of Object.entries(steps)) {
    test(`of one that is ${status} is the step ${step}`, () => {
      const view = seen(lives[status as keyof typeof lives]);
      expect([view.status, view.step]).toEqual([status as Status, step as never]);
    });
  }

  test("of one that is suspended is no step at all", () => {
    const view = seen(lives.live, noRouting, { paid: false, deployed: true });
    expect([view.status, view.step]).toEqual(["suspended", "none"]);
  });

  for (const [paid, deployed, lacks, step] of [
    [false, true, /: the plan is free, and domains need the paid one\. /, /, change the plan\.$/],
    [true, false, /: shop shows no deployment\. /, /, publish the project again\.$/],
    [
      false,
      false,
      /the paid one, and shop shows no deployment/,
      /change the plan and publish the project again/,
    ],
  ] as const) {
    test(`of one that is suspended says what is missing: paid ${paid}, deployed ${deployed}`, () => {
      const [suspension, ...others] = seen(lives.live, noRouting, { paid, deployed }).findings;
      expect([suspension?.code, others]).toEqual(["SUSPENDED", []]);
      expect(suspension?.message).toMatch(lacks);
      expect(suspension?.next).toMatch(step);
    });
  }

  test("is by when DNS should be right and until when it is checked, while that is awaited", () => {
    const hourMs = 3_600_000;
    const deadlines = {
      propagatedByMs: startMs + 48 * hourMs,
      abandonAtMs: startMs + 720 * hourMs,
    };
    expect(seen(lives.pending_dns)).toMatchObject(deadlines);
    expect(seen(lives.misconfigured)).toMatchObject(deadlines);
    for (const domain of [lives.verified, lives.live, lives.degraded, lives.abandoned]) {
      const { propagatedByMs, abandonAtMs } = seen(domain);
      expect([propagatedByMs, abandonAtMs]).toEqual([undefined, undefined]);
    }
  });

  test("is a finding that DNS took too long, after what is wrong with it", () => {
    const lateMs = startMs + 48 * 3_600_000;
    const codesAt = (domain: Domain, nowMs: number) =>
      codesOf(seen(domain, noRouting, good, [], nowMs).findings);
    expect(codesAt(lives.misconfigured, lateMs - 1)).toEqual([finding.code]);
    expect(codesAt(lives.misconfigured, lateMs)).toEqual([finding.code, "PROPAGATION_OVERDUE"]);
    expect(codesAt(lives.pending_dns, lateMs)).toEqual(["PROPAGATION_OVERDUE"]);
    expect(codesAt(lives.live, lateMs)).toEqual([]);
  });

  test("is when a refused certificate is tried again, and nothing of it otherwise", () => {
    const blocked = refusedBy("rate_limited", startMs + 5_000_000)(lives.verified, startMs);
    expect(seen(blocked).retryAtMs).toBe(startMs + 5_000_000);
    expect(seen(lives.issuing).retryAtMs).toBeUndefined();
  });

  test("is each finding once, also where it is the reason of the refusal too", () => {
    const wrong = events["a wrong answer"](lives.live, startMs);
    const reason = { reason: "unprepared", findings: wrong.dns.findings } as const;
    const refused = lifecycle.orderFailed(wrong, { ...reason, retryAtMs: undefined }, startMs);
    expect(codesOf(seen(refused).findings)).toEqual([finding.code]);
  });

  test("is what DNS and what the authority said, both", () => {
    const wrong = events["a wrong answer"](lives.live, startMs);
    const caa: Finding = { code: "CAA_BLOCKS", message: "It blocks.", next: "Add it." };
    const reason = { reason: "caa", findings: [caa], retryAtMs: undefined } as const;
    const refused = lifecycle.orderFailed(wrong, reason, startMs);
    expect(codesOf(seen(refused).findings)).toEqual([finding.code, "CAA_BLOCKS"]);
  });

  test("is nothing of an earlier refusal while an order is under way", () => {
    const refused = refusedBy("caa")(lives.verified, startMs);
    expect(seen(refused).findings).toEqual([finding]);
    expect(seen(lifecycle.ordering(refused, startMs)).findings).toEqual([]);
  });

  test("is the name as people read it", () => {
    const domain = { ...lives.live, host: "xn--mnchen-3ya.example" };
    expect(seen(domain).unicodeHost).toBe("münchen.example");
  });

  test("is the certificate without its key", () => {
    expect(seen(lives.live).certificate).toEqual({
      issuer: "Test authority",
      notBeforeMs: startMs,
      notAfterMs: lives.live.certificate.held?.notAfterMs ?? 0,
      renewAtMs: lives.live.certificate.renewAtMs,
      window: undefined,
    });
    expect(seen(lives.verified).certificate).toBeUndefined();
  });

  test("is the part that the name plays, and whether that waits for a name to be served", () => {
    const { host } = lives.live;
    const to = "www.example.com";
    const primary = { primary: host, redirects: [] };
    const redirecting = {
      primary: undefined,
      redirects: [{ from: host, to, status: 302 as const }],
    };
    expect(seen(lives.live, noRouting, good, [host]).role).toEqual({ kind: "site" });
    for (const held of [true, false]) {
      const waiting = held ? [host, to] : ["other.example.com"];
      expect(seen(lives.live, primary, good, waiting).role).toEqual({ kind: "primary", held });
      expect(seen(lives.live, redirecting, good, waiting).role).toEqual({
        kind: "redirect",
        to,
        status: 302,
        held,
      });
    }
  });
});

test("a name that a routing leads to is held once its certificate has expired", async () => {
  const domain = lives.live;
  const { host, project } = domain;
  const routing = { primary: host, redirects: [] };
  const stored = { domain, version: 1, standing: good };
  const domains = { routing: () => ({ routing, version: 1 }), holderOf: () => stored };
  const endMs = domain.certificate.held?.notAfterMs ?? 0;
  const heldAt = async (nowMs: number) => [
    ...(await routingInEffect(domains, project, nowMs)).routing.held,
  ];
  expect(await heldAt(endMs - 1)).toEqual([]);
  expect(await heldAt(endMs)).toEqual([host]);
});
