import { describe, expect, test } from "bun:test";
import { isServed, type OrderFailureReason } from "../../src/hosting/domains/domain.ts";
import * as lifecycle from "../../src/hosting/domains/lifecycle.ts";
import { dueJob, nextDueAtMs } from "../../src/hosting/domains/schedule.ts";
import {
  certificateOf,
  dayMs,
  events,
  finding,
  hourMs,
  isNew,
  lives,
  minuteMs,
  refusedBy,
  startMs,
  statusAt,
  verdictOf,
} from "./lives.ts";

describe("the certificate's half hour", () => {
  const sinceMs = lives.verified.certificate.issuance?.sinceMs ?? 0;

  for (const name of ["verified", "issuing"] as const) {
    test(`is over after exactly 30 minutes of ${name}`, () => {
      expect(statusAt(lives[name], sinceMs + 30 * minuteMs - 1)).toBe(name);
      expect(statusAt(lives[name], sinceMs + 30 * minuteMs)).toBe("certificate_delayed");
    });
  }

  test("is over for a refusal too, unless another attempt would not help", () => {
    const statusLater = (reason: OrderFailureReason) =>
      statusAt(refusedBy(reason)(lives.issuing, sinceMs), sinceMs + 30 * minuteMs);
    for (const reason of ["caa", "unavailable", "unprepared", "authorization_failed"] as const) {
      expect(statusLater(reason)).toBe("certificate_delayed");
    }
    for (const reason of ["rate_limited", "own_limit", "policy"] as const) {
      expect(statusLater(reason)).toBe("blocked");
    }
  });

  test("is not prolonged by clicks in it, and begins again with one after it", () => {
    const overMs = sinceMs + 30 * minuteMs;
    const clicked = lifecycle.verifyRequested(lives.issuing, overMs - 1);
    expect(statusAt(clicked, overMs)).toBe("certificate_delayed");
    expect(dueJob(clicked, overMs)).toBe("report_delay");
    expect(statusAt(lifecycle.verifyRequested(clicked, overMs), overMs)).toBe("issuing");
  });

  test("is told once, and again after a click", () => {
    const lateMs = sinceMs + 30 * minuteMs;
    expect(dueJob(lives.issuing, lateMs)).toBe("report_delay");
    const told = lifecycle.delayed(lives.issuing, [finding]);
    expect(dueJob(told, lateMs)).not.toBe("report_delay");
    const clicked = lifecycle.verifyRequested(told, lateMs);
    expect(dueJob(clicked, lateMs)).not.toBe("report_delay");
    expect(dueJob(clicked, lateMs + 30 * minuteMs)).toBe("report_delay");
  });

  test("begins again when DNS was wrong in between", () => {
    const wrong = events["a wrong answer"](lives.verified, startMs + minuteMs);
    const fixed = events["a right answer"](wrong, startMs + 5 * hourMs);
    expect(statusAt(fixed, startMs + 5 * hourMs)).toBe("verified");
    expect(dueJob(fixed, startMs + 5 * hourMs)).toBe("issue");
  });
});

describe("waiting for DNS", () => {
  test("is checked at 15 s, 30 s, then each minute ten times, then ever more seldom", () => {
    let domain = isNew();
    const delays: number[] = [];
    let nowMs = startMs;
    for (let check = 0; check < 14; check++) {
      delays.push(nextDueAtMs(domain, nowMs) - nowMs);
      nowMs = nextDueAtMs(domain, nowMs);
      expect(dueJob(domain, nowMs)).toBe("check");
      domain = events["no answer"](domain, nowMs);
    }
    const minutes = Array<number>(10).fill(minuteMs);
    expect(delays).toEqual([15_000, 30_000, ...minutes, 69_000, 79_350]);
  });

  test("is begun anew by a click: at once, and then close together again", () => {
    let domain = isNew();
    for (let check = 0; check < 40; check++) domain = events["no answer"](domain, startMs);
    expect(domain.dns.nextCheckAtMs - startMs).toBeGreaterThan(hourMs / 2);
    domain = lifecycle.verifyRequested(domain, startMs);
    expect(dueJob(domain, startMs)).toBe("check");
    domain = events["no answer"](domain, startMs);
    expect(domain.dns.nextCheckAtMs).toBe(startMs + 30_000);
  });

  test("is overdue after exactly 48 hours, and never where DNS is right", () => {
    const { pending_dns: pending, misconfigured, verified } = lives;
    for (const domain of [pending, misconfigured, isNew()]) {
      expect(lifecycle.isOverdue(domain, startMs + 48 * hourMs - 1)).toBe(false);
      expect(lifecycle.isOverdue(domain, startMs + 48 * hourMs)).toBe(true);
    }
    expect(lifecycle.isOverdue(verified, startMs + 50 * hourMs)).toBe(false);
    expect(lifecycle.isOverdue(lives.abandoned, startMs + 50 * hourMs)).toBe(false);
  });

  test("is never called overdue when it was right once: drift is no slow propagation", () => {
    const wrong = events["a wrong answer"](lives.live, startMs + 60 * dayMs);
    expect(lifecycle.isOverdue(wrong, startMs + 60 * dayMs)).toBe(false);
  });

  test("is given up after exactly 30 days, counted from the last click", () => {
    let domain = isNew();
    const nearMs = startMs + 30 * dayMs - 1;
    domain = events["no answer"](domain, nearMs);
    expect(dueJob(domain, nearMs)).toBeUndefined();
    expect(dueJob(domain, nearMs + 1)).toBe("abandon");
    const clicked = events["no answer"](lifecycle.verifyRequested(domain, nearMs), nearMs);
    expect(dueJob(clicked, nearMs + 1)).not.toBe("abandon");
    expect(dueJob(events["no answer"](clicked, nearMs + 30 * dayMs), nearMs + 30 * dayMs)).toBe(
      "abandon",
    );
  });

  test("is looked at once more before it is given up, in case nobody looked for long", () => {
    for (const domain of [lives.pending_dns, lives.misconfigured]) {
      expect(dueJob(domain, startMs + 31 * dayMs)).toBe("check");
    }
  });
});

describe("a name that must be proven", () => {
  test("waits while its records do not show whose it is, and is held once they do", () => {
    const unproven = lifecycle.checked(isNew(), verdictOf("unknown"), startMs);
    expect([unproven.ownership.kind, statusAt(unproven)]).toEqual(["proof_needed", "pending_dns"]);
    expect(unproven.certificate.issuance).toBeUndefined();
    const proven = lifecycle.checked(unproven, verdictOf("right"), startMs);
    expect([proven.ownership.kind, statusAt(proven)]).toEqual(["held", "verified"]);
  });

  test("stays held when its records go wrong again", () => {
    const wrong = events["three wrong answers"](lives.verified, startMs);
    expect([wrong.ownership.kind, statusAt(wrong)]).toEqual(["held", "misconfigured"]);
  });

  test("is taken from its holder, who is told and has nothing more", () => {
    const lost = lifecycle.displaced(lives.live, startMs);
    expect(statusAt(lost)).toBe("abandoned");
    expect(lost.dns.findings.map(({ code }) => code)).toEqual(["PROVEN_ELSEWHERE"]);
    expect(isServed(lost)).toBe(false);
  });
});

describe("a refusal", () => {
  const attempt = (domain = lives.verified, reason = refusedBy("unavailable"), nowMs = startMs) =>
    reason(lifecycle.ordering(domain, nowMs), nowMs);

  test("is tried again after 1, 10, 100 minutes and then each day", () => {
    let domain = lives.verified;
    const delays: number[] = [];
    for (let tries = 0; tries < 6; tries++) {
      domain = attempt(domain);
      const { issuance } = domain.certificate;
      delays.push(((issuance?.nextAttemptAtMs ?? 0) - startMs) / minuteMs);
    }
    expect(delays).toEqual([1, 10, 100, 1440, 1440, 1440]);
  });

  test("waits as long as the authority says, where that is longer", () => {
    const untilMs = startMs + 7 * hourMs;
    const refused = attempt(lives.verified, refusedBy("rate_limited", untilMs));
    expect(refused.certificate.issuance?.nextAttemptAtMs).toBe(untilMs);
    const soon = attempt(lives.verified, refusedBy("rate_limited", startMs + 1));
    expect(soon.certificate.issuance?.nextAttemptAtMs).toBe(startMs + minuteMs);
  });

  for (const reason of [
    "caa",
    "policy",
    "unavailable",
    "unprepared",
    "authorization_failed",
  ] as const) {
    test(`by ${reason} is tried again at once on a click, with the patience of the beginning`, () => {
      let domain = lives.verified;
      for (let tries = 0; tries < 4; tries++) domain = attempt(domain, refusedBy(reason));
      domain = lifecycle.verifyRequested(domain, startMs + hourMs);
      expect(domain.certificate.issuance?.nextAttemptAtMs).toBe(startMs + hourMs);
      domain = events["a right answer"](domain, startMs + hourMs);
      expect(dueJob(domain, startMs + hourMs)).toBe("issue");
      domain = attempt(domain, refusedBy(reason), startMs + hourMs);
      expect(domain.certificate.issuance?.nextAttemptAtMs).toBe(startMs + hourMs + minuteMs);
    });
  }

  test("by the authority's own limit is not hurried by clicks, however many", () => {
    const untilMs = startMs + 2 * dayMs;
    let domain = attempt(lives.verified, refusedBy("rate_limited", untilMs));
    for (let click = 0; click < 20; click++)
      domain = lifecycle.verifyRequested(domain, startMs + click);
    domain = events["a right answer"](domain, startMs + hourMs);
    expect(domain.certificate.issuance?.nextAttemptAtMs).toBe(untilMs);
    for (let nowMs = startMs + hourMs; nowMs < untilMs; nowMs += hourMs) {
      expect(dueJob(domain, nowMs)).not.toBe("issue");
    }
  });

  test("because DNS did not point here ends when it does", () => {
    const wrong = events["a wrong answer"](lives.verified, startMs);
    const refused = refusedBy("unprepared")(wrong, startMs);
    const fixed = events["a right answer"](refused, startMs + minuteMs);
    expect(statusAt(fixed, startMs + minuteMs)).toBe("verified");
    expect(dueJob(fixed, startMs + minuteMs)).toBe("issue");
  });

  test("because DNS does not point here is no attempt, and lasts until the next look", () => {
    let domain = attempt();
    for (let looks = 0; looks < 5; looks++) {
      domain = lifecycle.notPointing(events["a wrong answer"](domain, startMs), startMs);
      expect(domain.certificate.issuance?.nextAttemptAtMs).toBe(domain.dns.nextCheckAtMs);
    }
    const { issuance } = domain.certificate;
    expect(issuance).toMatchObject({ attempts: 1, refusal: { findings: domain.dns.findings } });
    expect(issuance?.nextAttemptAtMs).toBeLessThanOrEqual(startMs + minuteMs);
  });

  test("is forgotten with the certificate", () => {
    const certified = lifecycle.certified(attempt(), certificateOf(startMs), startMs);
    expect(certified.certificate.issuance).toBeUndefined();
  });
});

test("clicks count for an hour, and not before they were made", () => {
  let domain = isNew();
  for (const atMs of [0, 10, hourMs - 1])
    domain = lifecycle.verifyRequested(domain, startMs + atMs);
  expect(lifecycle.recentVerifyRequests(domain, startMs + hourMs)).toHaveLength(2);
  expect(lifecycle.recentVerifyRequests(domain, startMs + 9)).toEqual([startMs]);
  expect(lifecycle.verifyRequested(domain, startMs + hourMs + 10).clicksAtMs).toEqual([
    startMs + hourMs - 1,
    startMs + hourMs + 10,
  ]);
});

describe("what was removed", () => {
  test("is watched every day", () => {
    const { removed } = lives;
    expect(nextDueAtMs(removed, startMs)).toBe(startMs + dayMs);
    expect(dueJob(removed, startMs + dayMs)).toBe("watch");
    const watched = lifecycle.watched(removed, [finding], startMs + dayMs);
    expect(watched.dns.findings).toEqual([finding]);
    expect(nextDueAtMs(watched, startMs + dayMs)).toBe(startMs + 2 * dayMs);
  });

  test("has no certificate and wants none", () => {
    const { held, issuance, renewAtMs, askWindowAtMs } = lives.removed.certificate;
    expect([held, issuance, renewAtMs, askWindowAtMs]).toEqual(Array(4).fill(undefined));
  });
});
